"""Bets and raises of a menu in chips: what sizes of a text are at a state of the betting.

Amounts are rounded to the nearest smallest chip, halves up, then held between the least raise and all-in (of the shorter
stack); sizes that coincide are one action. A chip amount no larger than the bet faced is left out.
"""

from __future__ import annotations

import math
from fractions import Fraction

from counterplay.poker.betting.bet_sizes import BET, DONK, RAISE, BetSize, BetSizes
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import BettingState, Legal, all_in, legal, pot


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
    for size in _sizes_at(state, sizes):
        if size.letter == "any":
            found.update(range(least, top + 1))
        else:
            wanted = _amount(rules, state, size, can)
            if size.letter != "c" or wanted > max(state.put) - state.base:
                found.add(min(max(wanted, least), top))
    raised = {_or_all_in(rules, state, to, top, sizes) for to in found}
    return sorted(raised) if sizes.merge is None else _merged(rules, state, raised, sizes.merge)


def _sizes_at(state: BettingState, sizes: BetSizes) -> tuple[BetSize, ...]:
    """The sizes of a bet or raise; a donk has those of any bet unless it has its own."""
    place = (state.street, int(state.kind))
    if max(state.put) > state.base:
        return sizes.at.get((*place, RAISE), ())
    usual = sizes.at.get((*place, BET), ())
    return sizes.at.get((*place, DONK), usual) if state.leader == 1 - state.kind else usual


def _merged(rules: BettingRules, state: BettingState, found: set[int], near: Fraction) -> list[int]:
    """Amounts without those near a larger one: (pot + larger) / (pot + smaller) < 1 + near, in chips after calling."""
    level, called = max(state.put) - state.base, pot(rules, state) + legal(rules, state).call
    kept: list[int] = []
    for to in sorted(found, reverse=True):
        if not kept or Fraction(called + kept[-1] - level, called + to - level) >= 1 + near:
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


def _or_all_in(rules: BettingRules, state: BettingState, to: int, top: int, sizes: BetSizes) -> int:
    """The bet, or all-in if it puts in too much of the remaining chips, or a call would leave too little behind."""
    mine = state.put[state.kind] - state.base
    if sizes.all_in_at is not None and to - mine >= sizes.all_in_at * (top - mine):
        return top
    if sizes.force is not None and top - to <= sizes.force * (rules.pot + 2 * (state.base + to)):
        return top
    return to


def _round(amount: Fraction | float) -> int:
    return math.floor(amount + Fraction(1, 2)) if isinstance(amount, Fraction) else math.floor(amount + 0.5)
