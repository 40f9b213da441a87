"""The usual statistics of poker as classes of decisions: where each counts, and which actions it counts. docs/hands.md
has the definitions in words.

The same classes are found in observed hands and in betting trees, so that a player and a strategy are compared by one
definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, pot, start
from counterplay.poker.betting.tree import BettingTree

FOLD, CALL, RAISE = "fold", "call", "raise"
_POT = (0.75, 1.25)
"""Bets of about the pot, as shares of it."""
LATER = STREETS[1:]
STATISTICS: dict[str, str] = {
    "VPIP button": "calls or raises before the flop, on the button",
    "VPIP big blind": "calls or raises before the flop, in the big blind",
    "PFR button": "raises before the flop at least once, on the button",
    "PFR big blind": "raises before the flop at least once, in the big blind",
    "3-bet": "raises an opening raise",
    "fold to raise": "folds to an opening raise",
    "fold to 3-bet": "folds to a raise of the own raise before the flop",
    **{f"c-bet {street}": "bets first, after the last raise of the street before" for street in LATER},
    **{f"fold to c-bet {street}": "folds to such a bet" for street in LATER},
    **{f"fold to pot {street}": "folds to a bet or raise of 0.75 to 1.25 pots" for street in LATER},
    "check-raise": "raises after a check in the same street",
    "aggression": "bets or raises, of all bets, raises and calls after the flop",
    "WTSD": "goes to showdown, of the hands that see a flop",
    "W$SD": "collects the pot or a part of it at showdown, whoever shows",
}
"""Statistics and what they count; all but the last two are counted decision by decision."""
WENT, WON = "WTSD", "W$SD"


class Counted(NamedTuple):
    """A decision that counts in a statistic. name: of the statistic. hits: the actions that count in its favour. among:
    the actions that count at all; none at a later decision of a hand that counts already, which `hits` may turn."""

    name: str
    hits: frozenset[str]
    among: frozenset[str] = frozenset((FOLD, CALL, RAISE))


_FOLDS, _RAISES, _PUTS_IN = frozenset({FOLD}), frozenset({RAISE}), frozenset({CALL, RAISE})
_EITHER = 2
"""The leader where the street before is not known: whoever acts."""


class DecisionWatch:
    """The statistics at each decision of a hand or spot, in which `after` follows the steps.

    A spot does not say who raised last before it: there, either player counts as that one.
    """

    def __init__(self, rules: BettingRules) -> None:
        self._rules = rules
        self._leader = _EITHER if rules.first > 0 else -1
        self._acted, self._raised, self._checked = [False, False], [False, False], [False, False]

    def branch(self) -> DecisionWatch:
        """A copy, to follow another branch."""
        other = copy(self)
        other._acted, other._raised, other._checked = self._acted.copy(), self._raised.copy(), self._checked.copy()
        return other

    def after(self, state: BettingState, action: Action) -> None:
        """Follow a step."""
        if action.move is Move.DEAL:
            self._leader, self._checked = state.leader, [False, False]
            return
        self._acted[state.kind] = True
        self._raised[state.kind] |= kind_of(action.move) == RAISE
        self._checked[state.kind] |= action.move is Move.CHECK

    def statistics(self, state: BettingState) -> Iterator[Counted]:
        """The statistics in which the decision at a state counts."""
        me = int(state.kind)
        faced = state.put[1 - me] - state.put[me]
        if state.street == 0:
            yield from self._before_flop(state, me, faced)
            return
        street = STREETS[state.street]
        yield Counted("aggression", _RAISES, _PUTS_IN if faced > 0 else _RAISES)
        if faced <= 0:
            if self._leader in (me, _EITHER):
                yield Counted(f"c-bet {street}", _RAISES)
            return
        if state.raises == 1 and self._leader in (1 - me, _EITHER):
            yield Counted(f"fold to c-bet {street}", _FOLDS)
        if _POT[0] <= faced / (pot(self._rules, state) - faced) <= _POT[1]:
            yield Counted(f"fold to pot {street}", _FOLDS)
        if self._checked[me]:
            yield Counted("check-raise", _RAISES)

    def _before_flop(self, state: BettingState, me: int, faced: int) -> Iterator[Counted]:
        seat = "button" if me else "big blind"
        if not self._acted[me]:  # who folds or checks here has no later decision before the flop
            yield Counted(f"VPIP {seat}", _PUTS_IN if faced > 0 else _RAISES)
            yield Counted(f"PFR {seat}", _RAISES)
        elif not self._raised[me]:
            yield Counted(f"PFR {seat}", _RAISES, frozenset())
        if faced > 0 and state.raises == 1:
            yield Counted("3-bet", _RAISES)
            yield Counted("fold to raise", _FOLDS)
        if faced > 0 and state.raises == 2 and self._acted[me]:
            yield Counted("fold to 3-bet", _FOLDS)


def kind_of(move: Move) -> str:
    """What a statistic calls an action: a check is a call."""
    if move is Move.FOLD:
        return FOLD
    return CALL if move in (Move.CHECK, Move.CALL) else RAISE


def walk_tree(betting: BettingTree) -> Iterator[tuple[int, BettingState, DecisionWatch]]:
    """Every decision of a betting tree, with its state by the rules and what was watched on the way."""
    stack = [(0, start(betting.rules), DecisionWatch(betting.rules))]
    while stack:
        node, state, watch = stack.pop()
        if state.kind <= Kind.PLAYER1:
            yield node, state, watch
        for child in betting.children(node):
            move, to = Move(int(betting.move[child])), round(float(betting.to[child]) / betting.rules.unit)
            action, branch = Action(move, to), watch.branch()
            branch.after(state, action)
            stack.append((child, act(betting.rules, state, action), branch))
