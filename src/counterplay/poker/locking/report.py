"""Reports of answers to leaks, in players' words and chips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.stakes import NO_BOUND
from counterplay.poker.cards.deck import RANKS, Deck
from counterplay.poker.locking.exploit_leak import LeakAnswer
from counterplay.poker.locking.strategy_diff import StrategyChange, diff_strategies
from counterplay.poker.ranges.grid import WIDTH, cell_of
from counterplay.poker.spots.spot import Spot

_NODES, _HANDS, _LOCKED = 5, 8, 8
_SAME = 1e-9
"""Share of the pot that is rounding."""
_SEEN_CHIPS = 1e-5
"""Share of the pot below which a change is shown as worth nothing."""
_SEEN = 1e-3
"""Nodes with a smaller share of changed deals are left out."""


def report_leak(answer: LeakAnswer, *, nodes: int = _NODES, hands: int = _HANDS, grid: bool = False) -> list[str]:
    """The lines of a report. nodes: number of nodes shown, those with the largest change. hands: number of hand classes
    at each."""
    if not answer.lock.nodes:
        ours, theirs = PLAYERS[answer.player], PLAYERS[answer.lock.opponent]
        return [f"{theirs} has no leak that is certain: you ({ours}) play on as in the equilibrium."]
    lines = [*_leak(answer), "", *_worth(answer)]
    told = [one for one in answer.changes() if one.size >= _SEEN][:nodes]
    if not told:
        return [*lines, "", f"You ({PLAYERS[answer.player]}) play on as in the equilibrium."]
    lines += ["", f"How your strategy ({PLAYERS[answer.player]}) changed, and what each change wins from the leak:"]
    for one in told:
        lines += ["", *_node(one, hands, answer.solved.spot)]
        if grid:
            lines += ["", *grid_lines(one, answer.solved.spot.deck)]
    return lines


def _leak(answer: LeakAnswer) -> Iterator[str]:
    """The locked nodes, the most frequent first."""
    lock, them = answer.lock, PLAYERS[answer.lock.opponent]
    leaky = replace(answer.solved, plans=answer.plans.facing(lock.opponent, lock.beside(answer.worst_opponent)))
    found = {one.path: one for one in diff_strategies(answer.solved, leaky, lock.opponent)}
    paths = [lock.solved.tree.betting.path(node) for node in lock.nodes]
    here = sorted((found[path] for path in paths if path in found), key=lambda one: -one.size)
    places = "node" if len(lock.nodes) == 1 else "nodes"
    yield f"The leak of {them}, at {len(lock.nodes)} {places} (equilibrium -> leak):"
    for one in here[:_LOCKED]:
        yield f"  at {one.path or 'the root'}: {_both(one)}"
    if len(lock.nodes) > len(here[:_LOCKED]):
        yield f"  ... and {len(lock.nodes) - len(here[:_LOCKED])} more"
    yield from lock.lowered[:_LOCKED]
    if len(lock.lowered) > _LOCKED:
        yield f"... and {len(lock.lowered) - _LOCKED} more such orders"
    after = "as well as possible, knowing the leak" if answer.elsewhere == "free" else "as in the equilibrium"
    yield f"Everywhere else {them} plays {after}."


def _worth(answer: LeakAnswer) -> Iterator[str]:
    spot = answer.solved.spot

    def chips(number: float) -> str:
        blinds = "" if spot.big_blind is None else f" {100.0 * number / spot.big_blind:.4g} bb/100,"
        return f"{number:.4g} chips a hand, {100.0 * number / spot.pot:.3g} % of the pot,{blinds}"

    if answer.method == "rnr":
        yield f"The answer takes the leak for true with probability {answer.p:g}."
    if (most := answer.max_exploitability) is not None:
        kept = answer.exploitability <= most + _SAME * spot.pot
        says = (
            "may lose {} to a perfect opponent, and no more" if kept else "was to lose {} at most, and is not there yet"
        )
        yield f"The answer {says.format(chips(most) if kept else chips(most)[:-1])}."
    known = answer.equilibrium_exploitability  # the value of the spot is known so well
    if (gap := answer.value_gap) is not None and gap > _SAME * spot.pot:
        yield f"The spot is worth {spot.stakes.amount(0.5 * spot.pot + answer.value)}, known to {gap:.2g} chips."
    least = "" if spot.rake else "at least "  # with a rake they may cost us more than they win
    won, already = (
        "nothing" if gain <= error else f"{least}{chips(gain)}"
        for gain, error in ((answer.gain, 0.0), (answer.equilibrium_gain, known))
    )
    yield f"From this leak your strategy wins {won} more than equilibrium play is worth."
    yield f"Equilibrium play that takes no notice of it would win {already} more."
    back = chips(answer.exploitability)[:-1]
    if spot.rake:
        yield f"A perfect opponent who knows your strategy wins {back}, beyond the equilibrium."
    else:
        yield f"A perfect opponent who knows your strategy wins back at most {back}."
    if answer.most is not None:
        which = "strategy" if answer.max_exploitability is None else "strategy with so little risk"
        yield f"No {which} wins more than {chips(answer.most)} from the leak."
    if spot.rake:
        yield NO_BOUND
    if answer.interrupted:
        yield "Ctrl-C ended the work early: a better answer may exist; the numbers are right for this one."
    if answer.worst_opponent is None:
        yield f"At the nodes {PLAYERS[answer.lock.opponent]} has the leak, and elsewhere plays as in the equilibrium."


def _node(one: StrategyChange, most: int, spot: Spot) -> Iterator[str]:
    """A node in one line, its hands below."""
    where = one.path or "the root"
    worth = _chips(one.chips, spot)
    yield f"at {where}, {100.0 * one.size:.3g} % of all hands play otherwise, worth {worth}: {_both(one)}"
    found = one.hands()
    for action, name in enumerate(one.actions):
        here = [row for row in found if row.action == action][:most]
        if here:
            yield f"  {name} more: " + ", ".join(
                f"{row.name} {100.0 * row.before:.0f} -> {100.0 * row.after:.0f} % ({_chips(row.chips, spot)})"
                for row in here
            )


def _chips(number: float, spot: Spot) -> str:
    """Chips, in big blinds where those are known; rounding is 0."""
    number = 0.0 if abs(number) <= _SEEN_CHIPS * spot.pot else number
    return f"{number:.3g} chips" if spot.big_blind is None else f"{number / spot.big_blind:.3g} bb"


def _both(one: StrategyChange) -> str:
    """The frequency of each action before and after; an unchanged one once."""
    parts = []
    for name, x, y in zip(one.actions, one.before, one.after, strict=True):
        first, second = _percent(x), _percent(y)
        parts.append(f"{name} {first}" if first == second else f"{name} {first} -> {second}")
    return ", ".join(parts)


def _percent(share: float) -> str:
    return "(never here)" if np.isnan(share) else f"{100.0 * share:.0f} %"


def grid_lines(one: StrategyChange, deck: Deck) -> list[str]:
    """The 13×13 grid of a change: by how many percentage points each class takes the most changed action more often."""
    delta = 100.0 * (one.hands_after - one.hands_before)[:, one.action]
    shown = sorted({card // 4 for card in deck.cards}, reverse=True)
    lines = [f"{one.actions[one.action]} more or less often, in percentage points:"]
    lines.append("  " + " ".join(f"{RANKS[rank]:^{WIDTH}}" for rank in shown))
    for i, row in enumerate(shown):
        cells = [cell_of(row, column, i < j) for j, column in enumerate(shown)]
        lines.append(f"{RANKS[row]} " + " ".join(_cell(delta[cell], one.classes[cell]) for cell in cells))
    return lines


def _cell(points: float, comes: float) -> str:
    if not comes > 0.0 or np.isnan(points):
        return f"{'.':^{WIDTH}}"
    return f"{points:^+{WIDTH}.0f}" if abs(points) >= 0.5 else f"{'0':^{WIDTH}}"
