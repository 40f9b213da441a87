"""Two solutions of one spot compared: their errors, what they win from each other, and the nodes where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.display import aligned, brief, labelled
from counterplay.errors import InputError, SeatError
from counterplay.opponents.given_strategy import GivenStrategy
from counterplay.opponents.model import OpponentModel
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.locking.strategy_diff import StrategyChange, diff_strategies
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot_game import as_spot_game

_ARRAYS = ("kind", "parent", "to", "pot", "win", "lose", "tie")
_SEEN = 1e-3
"""Nodes with a smaller share of changed deals are off the path; those with one that stays smaller where the other player
always comes are left out."""
_PAIR = (0, 1)
_ANSWERS = frozenset({"opponent", "seat"})
"""Facts of a solution that is the answer to a player."""
_PRECISE = 1e-6
"""Share of the pot that is rounding."""


class MeasuredPair(NamedTuple):
    """Both solutions with the ranges of one of them, 0 or 1. EVs are chips out of the pot. exploitability: of each
    solution, half of its NashConv in chips. ev: by player, (2, 2) lists: EV of the player of solution i against the
    other player of solution j. worst: by player, what the player of each solution wins at least."""

    ranges: int
    exploitability: tuple[float, float]
    ev: tuple[list[list[float]], list[list[float]]]
    worst: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class SolutionComparison:
    """The first solution, and the second in the first one's ranges; measured with these, and with the second one's
    ranges if those are others. changes: by player, in chips won from the second one's other player; off the path,
    too."""

    solutions: tuple[SolvedSpot, SolvedSpot]
    measured: tuple[MeasuredPair, ...]
    changes: tuple[list[StrategyChange], list[StrategyChange]]

    def __repr__(self) -> str:
        first = self.measured[0]
        return brief(self, *(labelled(f"exploitability {k + 1}", x) for k, x in enumerate(first.exploitability)))

    @property
    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        changes = {name: [one.facts for one in self.changes[k]] for k, name in enumerate(PLAYERS)}
        return {"measured": [one._asdict() for one in self.measured], "changes": changes}


def compare_solutions(first: SolvedSpot, second: SolvedSpot) -> SolutionComparison:
    """Measure two solutions of the same board, chips and bets against each other; their ranges may differ, and hands
    that a solution does not have play uniformly."""
    check_comparable(first, second)
    inside = _in_ranges(first, second)
    measured = [_measure(0, (first, inside))]
    mine, theirs = ((one.spot.oop.weights, one.spot.ip.weights) for one in (first, second))
    if not np.array_equal(mine, theirs):
        measured.append(_measure(1, (_in_ranges(second, first), second)))
    changes = [diff_strategies(first, inside, player, off_path=True) for player in _PAIR]
    return SolutionComparison((first, inside), tuple(measured), (changes[0], changes[1]))


def played_by(solved: SolvedSpot, model: OpponentModel, seed: int = 0) -> SolvedSpot:
    """A solution in which a model plays the seats that it has; in the other the player stays. Models that change an
    equilibrium change the solution, whatever it is."""
    game = as_spot_game(replace(solved, facts={k: x for k, x in solved.facts.items() if k not in _ANSWERS}))
    plans, refused = [], list[SeatError]()
    for seat in _PAIR:
        try:
            plans.append(model.strategy(game, seat, seed))
        except SeatError as error:
            refused.append(error)
            plans.append(GivenStrategy(solved).strategy(game, seat))
    if len(refused) == len(plans):
        raise refused[0]
    return replace(solved, plans=game.with_strategies(*plans).plans)


def check_comparable(first: SolvedSpot, second: SolvedSpot) -> None:
    """Reject spots that differ in more than their ranges: in the board, a field, or a betting path that only one of
    them has."""
    one, other = first.spot, second.spot
    if one.board != other.board:
        raise InputError(f"the boards differ: {cards_text(one.board)} and {cards_text(other.board)}")
    for name in ("deck", "rules", "pot", "stack", "rake", "rake_cap"):
        values = [getattr(spot, name) for spot in (one, other)]
        if values[0] != values[1]:
            mine, theirs = (f"{x:g}" if isinstance(x, float | int) else str(x) for x in values)
            raise InputError(f"the spots differ in their {name.replace('_', ' ')}: {mine} and {theirs}")
    trees = one.betting, other.betting
    if all(np.array_equal(getattr(trees[0], name), getattr(trees[1], name)) for name in _ARRAYS):
        return
    paths = [{tree.path(node) for node in range(tree.nodes)} for tree in trees]
    for k, number in enumerate(("first", "second")):
        if more := paths[k] - paths[1 - k]:
            path = min(more, key=lambda text: (len(text), text))
            raise InputError(f"the betting trees differ: '{path}' is in the {number} only")
    raise InputError("the betting trees differ in their payoffs")


def _in_ranges(mine: SolvedSpot, other: SolvedSpot) -> SolvedSpot:
    """The other solution on the tree of `mine`, dealt from its ranges."""
    game = as_spot_game(mine)
    spot = replace(mine.spot, oop=other.spot.oop, ip=other.spot.ip)  # bets may be written otherwise
    plans = [GivenStrategy(replace(other, spot=spot)).strategy(game, player) for player in _PAIR]
    return replace(mine, plans=game.with_strategies(*plans).plans, facts=other.facts)


def _measure(ranges: int, pair: tuple[SolvedSpot, SolvedSpot]) -> MeasuredPair:
    half, (one, two) = 0.5 * pair[0].spot.pot, pair

    def ev(player: int) -> list[list[float]]:
        return [[half + mine.plans.facing(1 - player, other.plans).value(player) for other in pair] for mine in pair]

    def worst(player: int) -> tuple[float, float]:
        first, second = (half + mine.plans.best_response(1 - player).value(player) for mine in pair)
        return first, second

    errors = 0.5 * one.plans.gap()[0], 0.5 * two.plans.gap()[0]
    return MeasuredPair(ranges, errors, (ev(0), ev(1)), (worst(0), worst(1)))


def comparison_lines(found: SolutionComparison, names: tuple[str, str], nodes: int = 5) -> list[str]:
    """The comparison as text; of each player so many nodes whose change is worth most, and as many off the path, those
    that change most."""
    spot, lines = found.solutions[0].spot, list[str]()
    for one in found.measured:
        if len(found.measured) > 1:
            lines += [f"with the ranges of {names[one.ranges]}:", ""]
        errors = [0.0 if chips <= _PRECISE * spot.pot else chips for chips in one.exploitability]  # of single precision
        rows: list[Sequence[str]] = [("", *names)]
        rows.append(("exploitability", *(f"{chips:.4g} chips, {100.0 * chips / spot.pot:.3g} %" for chips in errors)))
        for player, name in enumerate(PLAYERS):
            them = PLAYERS[1 - player]
            rows += [
                (f"EV {name} against {them} of {names[j]}", *(f"{one.ev[player][i][j]:.6g}" for i in _PAIR))
                for j in _PAIR
            ]
            rows.append((f"EV {name} at least", *(f"{x:.6g}" for x in one.worst[player])))
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines += [*aligned([f"<{widths[0]}", *(f">{width + 2}" for width in widths[1:])], rows), ""]
    for player, changes in enumerate(found.changes):
        on_path = [one for one in changes if one.size >= _SEEN]
        off_path = sorted((one for one in changes if one.size < _SEEN <= one.off_path), key=lambda one: -one.off_path)
        who, them = f"{PLAYERS[player]}, {names[0]} -> {names[1]},", PLAYERS[1 - player]
        if on_path:
            lines.append(f"{who} and what the change wins from {names[1]}:")
            lines += [f"  {one.chips:+.3g} chips at {_frequencies(one)}" for one in on_path[:nodes]]
        if off_path:
            lines.append(f"{who} off the path, where {them} of {names[1]} hardly ever comes:")
            lines += [f"  at {_frequencies(one)}" for one in off_path[:nodes]]
        if not on_path and not off_path:
            lines.append(f"{PLAYERS[player]} plays alike in both.")
    return lines


def _frequencies(one: StrategyChange) -> str:
    """A node and what the player does there in both solutions."""
    each = zip(one.actions, one.before, one.after, strict=True)
    parts = (f"{action} {100.0 * before:.1f} -> {100.0 * after:.1f} %" for action, before, after in each)
    return f"{one.path or 'the root'}: {', '.join(parts)}"
