"""A game in memory that is searched like one that is not: by players in lazily expanded games, with its exact values."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from counterplay import GameTree, Portfolio, Strategy
from counterplay.agents.position.expanding import ExpandingPosition
from counterplay.arrays import F64, I64
from counterplay.gametree.compile.children import children_of
from counterplay.leaves.matrix import MatrixValued
from counterplay.lookahead.decisions import group_of_decision
from counterplay.lookahead.off_path import make_reachable
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group
from counterplay.subgames.cut_shape import Border


def whole_histories(part: GameTree, whole: GameTree, known: I64) -> I64:
    """(H,) the history of the whole game at each history of a part of it. known: (k,) those of the first k histories."""
    found = np.full(len(part.histories), -1, np.int64)
    found[: len(known)] = known
    if not len(known):
        found[0] = 0
    above, step = part.histories.parent, part.histories.action
    children, action = children_of(whole), whole.histories.action
    todo = np.flatnonzero(found < 0)
    while len(todo):
        ready = todo[found[above[todo]] >= 0]
        first, last = children.start[found[above[ready]]], children.start[found[above[ready]] + 1]
        for offset in range(int((last - first).max())):
            one = children.members[np.minimum(first + offset, last - 1)]
            same = action[one] == step[ready]
            found[ready[same]] = one[same]
        todo = np.flatnonzero(found < 0)
    return found


@dataclass(frozen=True)
class WholePortfolio(Portfolio):
    """A portfolio that knows the whole of a game which is expanded lazily.

    All players who solve a public state ask for the same values one after the other: the last ones are kept.

    Attributes:
        whole: the game.
    """

    whole: GameTree = field(kw_only=True, repr=False, compare=False)
    _last: list[tuple[I64, F64]] = field(default_factory=list, init=False, repr=False, compare=False)

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """As of `Portfolio`; there is no model.

        Raises:
            ValueError: there is one.
        """
        if model is not None:
            raise ValueError("a portfolio of the whole game has no values against a model")
        del resolver, source
        here = whole_histories(border.game, self.whole, np.zeros(0, np.int64))[border.histories]
        if not (self._last and np.array_equal(self._last[0][0], here)):
            self._last[:] = [(here, self.between(self.whole, here))]
        return MatrixValued(self._last[0][1])


class WalkingPlayer:
    """A player who solves the public states that a walk through a game comes to.

    Args:
        whole: the game.
        seat: the player's.
        search: of every decision; its values are those of a `WholePortfolio`.

    """

    def __init__(self, whole: GameTree, seat: int, search: Search) -> None:
        self._whole, self.seat = whole, seat
        rules: Any = whole.rules
        self._tracker = ExpandingPosition(rules, seat, search)
        self._map = np.zeros(1, np.int64)

    def copy(self) -> Self:
        """An independent copy, for another branch."""
        new = copy.copy(self)
        new._tracker = copy.copy(self._tracker)
        new._tracker.chain = self._tracker.chain.copy()
        new._tracker._steps = []
        return new

    def solve(self, histories: I64) -> float:
        """Solve the public state of histories (n,) of the whole game, in which the seat has a choice; returns the gap.

        Raises:
            KeyboardInterrupt: the solve was cut short.
        """
        history = self._reach(int(histories[0]))
        decision = self._tracker.at(history).decision
        chain = self._tracker.chain
        self._remap()
        if decision is None or chain.is_decided(decision):
            return 0.0
        unit = group_of_decision(chain.game, decision, chain.search.depth, self._tracker.among())
        with make_reachable(chain, unit):
            found = decide_group(chain, unit)
        if found.interrupted:
            raise KeyboardInterrupt
        return found.gap

    def odds(self, histories: I64, actions: I64) -> F64:
        """(n,) the probability of an action, by its number (n,), at each history of a public state that is solved."""
        part = self._tracker.game
        order = np.argsort(self._map, kind="stable")
        here = order[np.searchsorted(self._map[order], histories)]
        lane = part.lanes[self.seat][part.histories.info[self.seat][here]]
        first, stride, _ = part.trees[self.seat].lane_sequences
        sequence = np.where(lane >= 0, first[lane] + actions * stride[lane], 0)
        return np.where(lane >= 0, self._tracker.chain.behaviour[sequence], 1.0)

    def _reach(self, history: int) -> int:
        """The number of a history of the whole game in the part, which is expanded as far as it."""
        self._remap()
        while True:
            at = history
            here = np.flatnonzero(self._map == at)
            while not len(here):
                at = int(self._whole.histories.parent[at])
                here = np.flatnonzero(self._map == at)
            if at == history:
                return int(here[0])
            self._tracker.expand_at(here)
            self._remap()

    def _remap(self) -> None:
        self._map = whole_histories(self._tracker.game, self._whole, self._map)
