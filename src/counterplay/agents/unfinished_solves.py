"""Look-aheads with unfinished solves, kept until their decision comes back."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.decisions import DecisionGroup
from counterplay.lookahead.search import Search
from counterplay.lookahead.solve import Posed

_MOST = 1 << 30
"""The most bytes of unfinished solves; beyond it the oldest are dropped."""


class _Kept(NamedTuple):
    game: GameTree
    unit: DecisionGroup
    search: Search
    posed: Posed


class Unfinished:
    """Unfinished look-aheads by the public states that they decide, and by their search."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], _Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, game: GameTree, unit: DecisionGroup, search: Search) -> Posed | None:
        """The unfinished solve of a unit, if the game has not been expanded since."""
        found = self._kept.get(_key(unit, search))
        return found.posed if found is not None and found.game is game else None

    def keep(self, game: GameTree, unit: DecisionGroup, search: Search, posed: Posed) -> None:
        """Keep one."""
        key = _key(unit, search)
        self._kept.pop(key, None)
        self._kept[key] = _Kept(game, unit, search, posed)
        for old in list(self._kept)[: -_fitting([one.posed for one in self._kept.values()])]:
            del self._kept[old]

    def settle(self, unit: DecisionGroup) -> None:
        """Mark a unit as final, and drop solves that depend on other decisions there. With the full gadget a look-ahead
        depends on the decisions before it, with the others also on those around it.
        """
        states = {decision.state for decision in unit.decisions}
        above = {one.state for decision in unit.decisions for one in decision.path}
        for key, one in list(self._kept.items()):
            before = set() if one.unit.before is None else {decision.state for decision in one.unit.before.path}
            around = one.unit.before is None or one.unit.before.state in above
            same = {decision.state for decision in one.unit.decisions} == states
            if same or states & before or (around and not one.search.frees_the_opponent):
                del self._kept[key]

    def clear(self) -> None:
        """Drop all."""
        self._kept.clear()


def trim(kept: dict[Any, Posed]) -> None:
    """Keep as many of the latest unfinished look-aheads as fit, and at least one."""
    for old in list(kept)[: -_fitting(list(kept.values()))]:
        del kept[old]


def _fitting(posed: list[Posed]) -> int:
    """The number of the latest ones that fit, at least one."""
    held = accumulate(one.solve.bytes for one in reversed(posed))
    return max(1, sum(size <= _MOST for size in held))


def _key(unit: DecisionGroup, search: Search) -> tuple[object, ...]:
    states = tuple(sorted(decision.state for decision in unit.decisions))
    return (*states, search.p, search.gadget, search.exact)
