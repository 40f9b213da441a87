"""Size of a betting tree before it is built; and the successors of a state, from which it is built: the actions of a menu,
whose sizes become chips.

Amounts are rounded to the nearest smallest chip, halves up, then held between the least raise and all-in (of the shorter
stack); sizes that coincide are one action. A chip amount no larger than the bet faced is left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from counterplay.budget import spend
from counterplay.errors import InputError
from counterplay.poker.betting.bet_sizes import BET, DONK, RAISE, BetSize, BetSizes, read_sizes
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Legal, Move, act, all_in, legal, pot, start


def amounts(rules: BettingRules, state: BettingState, sizes: BetSizes) -> list[int]:
    """The bets or raises of a menu, ascending: what the player to act will have bet in this street, in units."""
    can = legal(rules, state)
    if not can.most:
        return []
    top = all_in(rules, state)
    if rules.bets is not None:
        return [min(can.least, top)]
    least = min(can.least, top)
    found: set[int] = set()
    place = (state.street, int(state.kind))
    if max(state.put) > state.base:
        menu = sizes.at.get((*place, RAISE), ())
    else:  # a donk has the sizes of any bet unless it has its own
        menu = sizes.at.get((*place, BET), ())
        menu = sizes.at.get((*place, DONK), menu) if state.leader == 1 - state.kind else menu
    for size in menu:
        if size.letter == "any":
            found.update(range(least, top + 1))
        else:
            wanted = _amount(rules, state, size, can)
            if size.letter != "c" or wanted > max(state.put) - state.base:
                found.add(min(max(wanted, least), top))
    # All-in instead, where a bet puts in too much of the remaining chips, or a call would leave too little behind.
    mine = state.put[state.kind] - state.base
    for to in list(found):
        much = sizes.all_in_at is not None and to - mine >= sizes.all_in_at * (top - mine)
        if much or (sizes.force is not None and top - to <= sizes.force * (rules.pot + 2 * (state.base + to))):
            found = found - {to} | {top}
    if sizes.merge is None:
        return sorted(found)
    # Without those near a larger one: (pot + larger) / (pot + smaller) < 1 + near, in chips after calling.
    level, called = max(state.put) - state.base, pot(rules, state) + can.call
    kept: list[int] = []
    for to in sorted(found, reverse=True):
        if not kept or Fraction(called + kept[-1] - level, called + to - level) >= 1 + sizes.merge:
            kept.append(to)
    return kept[::-1]


def _amount(rules: BettingRules, state: BettingState, size: BetSize, can: Legal) -> int:
    """The amount of a size, before it is clipped to the least raise and all-in."""
    level = max(state.put) - state.base
    called = pot(rules, state) + can.call
    top = all_in(rules, state)
    if size.letter == "%":
        return _round(level + size.number * called)
    if size.letter == "x":
        return _round(level * size.number)
    if size.letter == "c":
        return _round(size.number / Fraction(str(rules.unit)))
    if size.letter == "e":
        streets = float(size.number) or rules.last - state.street + 1
        # (1 + 2f)^streets times the pot is the pot with both stacks in it
        grown = (1.0 + 2.0 * (top - level) / called) ** (1.0 / streets) if called else math.inf
        return top if math.isinf(grown) else _round(round(level + (grown - 1.0) / 2.0 * called, 6))
    return top if size.letter == "a" else 0


def _round(amount: Fraction | float) -> int:
    return math.floor(amount + Fraction(1, 2)) if isinstance(amount, Fraction) else math.floor(amount + 0.5)


SizesLike = BetSizes | str | Mapping[str, str]
MOST_COUNTED = 500_000
"""The most different actions that are counted, which takes some seconds. Sequences share them: a tree of 280,000 nodes
has 17,000.
"""
WIDE, MOST_WIDE = 30, 60_000
"""A menu of more actions than this is wide, as that of `any` is; trees that have one are refused within a second."""


@dataclass(frozen=True)
class Count:
    """Numbers of nodes of a betting tree, each per street (preflop, flop, turn, river). decisions, deals, folds,
    showdowns: nodes by kind. actions: actions at all decisions together; times the hands, the size of a strategy."""

    decisions: tuple[int, ...]
    deals: tuple[int, ...]
    folds: tuple[int, ...]
    showdowns: tuple[int, ...]
    actions: tuple[int, ...]

    @property
    def nodes(self) -> int:
        return sum(self.decisions) + sum(self.deals) + sum(self.folds) + sum(self.showdowns)

    def __str__(self) -> str:
        streets = [
            f"{name} {self.decisions[i]:,} decisions with {self.actions[i]:,} actions"
            for i, name in enumerate(STREETS)
            if self.decisions[i]
        ]
        return f"{self.nodes:,} betting nodes: " + "; ".join(streets or ["no decision"])


def count(
    rules: BettingRules, sizes: SizesLike = "", *, root: BettingState | None = None, most: int = MOST_COUNTED
) -> Count:
    """The size of the tree of `build`, without building it: states that coincide are visited once."""
    sizes = sizes_for(rules, sizes)
    top = start(rules) if root is None else root
    known: dict[BettingState, tuple[int, ...]] = {}
    stack: list[tuple[BettingState, list[BettingState] | None]] = [(top, None)]
    seen = 0
    limit = most
    while stack:
        state, after = stack.pop()
        if state in known:
            continue
        if after is None:
            after = [child for _, child in successors(rules, state, sizes)]
            seen += len(after)
            spend("different actions of a betting tree", len(after))
            if len(after) > WIDE:
                limit = min(limit, MOST_WIDE)
            if seen > limit:
                raise InputError(
                    f"betting tree: more than {limit:,} different actions are more than can be counted; ask for fewer bet "
                    "sizes or a raise cap"
                )
            stack.append((state, after))
            stack.extend((child, None) for child in after if child not in known)
        else:
            # Five rows of four streets: its own place in the count, and everything below it.
            count_of = [sum(column) for column in zip(*(known[child] for child in after), strict=True)] or [0] * 20
            row = {Kind.DEAL: 1, Kind.FOLD0: 2, Kind.FOLD1: 2, Kind.SHOWDOWN: 3}.get(state.kind, 0)
            count_of[4 * row + state.street] += 1
            if row == 0:
                count_of[16 + state.street] += len(after)
            known[state] = tuple(count_of)
    total = known[top]
    return Count(*(total[4 * row : 4 * row + 4] for row in range(5)))


def successors(rules: BettingRules, state: BettingState, sizes: BetSizes) -> list[tuple[Action, BettingState]]:
    """The menu at a state and the successor of each action: fold, check or call, then bets or raises ascending."""
    if state.kind > Kind.DEAL:
        return []
    if state.kind is Kind.DEAL:
        after = act(rules, state, Action(Move.DEAL))  # who led matters only where donks have sizes: fewer states differ
        return [(Action(Move.DEAL), after if sizes.knows_donks else after._replace(leader=-1))]
    can = legal(rules, state)
    level = max(state.put) - state.base
    mine = state.put[state.kind] - state.base
    menu = [Action(Move.FOLD)] if can.fold else []
    menu.append(Action(Move.CALL, mine + can.call) if can.call else Action(Move.CHECK))
    top = all_in(rules, state)
    bet = Move.RAISE if level else Move.BET
    menu += [Action(Move.ALL_IN if to == top else bet, to) for to in amounts(rules, state, sizes)]
    reached = [act(rules, state, action) for action in menu]
    if sizes.keeps_initiative:  # a street without a bet so far leaves it where it was
        reached = [
            after._replace(leader=state.leader) if not after.raises and after.kind <= Kind.DEAL else after
            for after in reached
        ]
    return list(zip(menu, reached, strict=True))


def sizes_for(rules: BettingRules, sizes: SizesLike) -> BetSizes:
    """Sizes, read if they are a text or texts."""
    read = sizes if isinstance(sizes, BetSizes) else read_sizes(sizes)
    read.check(rules)
    return read
