"""Look-aheads with unfinished solves, kept until their decision comes back."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.decisions import DecisionGroup
from counterplay.lookahead.search import Posed, Search

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
        kept = self._kept.get(_key(unit, search))
        return kept.posed if kept is not None and kept.game is game else None

    def keep(self, game: GameTree, unit: DecisionGroup, search: Search, posed: Posed) -> None:
        key = _key(unit, search)
        self._kept.pop(key, None)
        self._kept[key] = _Kept(game, unit, search, posed)
        trim(self._kept, [kept.posed for kept in self._kept.values()])

    def settle(self, unit: DecisionGroup) -> None:
        """Mark a unit as final, and drop solves that depend on other decisions there. With the full gadget a look-ahead
        depends on the decisions before it, with the others also on those around it."""
        states = {decision.state for decision in unit.decisions}
        above = {before.state for decision in unit.decisions for before in decision.path}
        for key, kept in list(self._kept.items()):
            before = set() if kept.unit.before is None else {decision.state for decision in kept.unit.before.path}
            around = kept.unit.before is None or kept.unit.before.state in above
            same = {decision.state for decision in kept.unit.decisions} == states
            if same or states & before or (around and not kept.search.frees_the_opponent):
                del self._kept[key]

    def clear(self) -> None:
        self._kept.clear()


def trim(kept: dict[Any, Any], posed: list[Posed]) -> None:
    """Keep as many of the latest unfinished look-aheads as fit, and at least one; posed: theirs, in order."""
    sizes = accumulate(one.solve.bytes for one in reversed(posed))
    fitting = max(1, sum(size <= _MOST for size in sizes))
    for old in list(kept)[:-fitting]:
        del kept[old]


def _key(unit: DecisionGroup, search: Search) -> tuple[object, ...]:
    states = tuple(sorted(decision.state for decision in unit.decisions))
    return (*states, search.p, search.gadget, search.exact)
