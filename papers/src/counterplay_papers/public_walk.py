"""Techniques of nested solving against each other in games in memory that are too large to solve every public state of.

A walk goes down the public states from the root. At each, every technique that comes there against some other with at least
a given probability solves its decision, in a game that it expands lazily; from the first that it comes to less often on, it
plays the strategy that the value function is made of. What two such players win from each other is computed by their reach
of each history, and not sampled.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from counterplay import CHANCE, TERMINAL, GameTree, Portfolio, Strategy
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.arrays import F64, I64, Flags
from counterplay.gametree.compile.expectation import children_of
from counterplay.leaves.matrix import MatrixValued
from counterplay.lookahead.decisions import group_of_decision
from counterplay.lookahead.search import Search
from counterplay.lookahead.step import decide_group, make_reachable
from counterplay.subgames.cut_game import Border


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
    """

    whole: GameTree = field(kw_only=True, repr=False, compare=False)
    _last: list[tuple[I64, F64]] = field(default_factory=list, init=False, repr=False, compare=False)

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """As of `Portfolio`; there is no model."""
        if model is not None:
            raise ValueError("a portfolio of the whole game has no values against a model")
        del resolver, source
        here = whole_histories(border.game, self.whole, np.zeros(0, np.int64))[border.histories]
        if not (self._last and np.array_equal(self._last[0][0], here)):
            self._last[:] = [(here, self.between(self.whole, here))]
        return MatrixValued(self._last[0][1])


class WalkingPlayer:
    """A player who solves the public states that a walk through a game comes to, over a `WholePortfolio`."""

    def __init__(self, whole: GameTree, seat: int, search: Search) -> None:
        self._whole, self.seat = whole, seat
        rules: Any = whole.rules
        self._tracker = ExpandingSearch(rules, seat, search)
        self._map = np.zeros(1, np.int64)

    def copy(self) -> Self:
        """An independent copy, for another branch."""
        new = copy.copy(self)
        new._tracker = copy.copy(self._tracker)
        new._tracker.chain = self._tracker.chain.copy()
        new._tracker._steps = []
        return new

    def solve(self, histories: I64) -> float:
        """Solve the public state of histories (n,) of the whole game, in which the seat has a choice; returns the gap."""
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


class PublicWalk:
    """A walk through a game.

    Args:
        values: the value function, which knows the game; the first strategies of its players are the base.
        searches: of the techniques.
        least: the probability from which on a public state is solved.
        parts: pieces of the walk, between which the first public events are shared out.
        player: makes a `WalkingPlayer` of the game, a seat and a search.

    Attributes:
        wins: (techniques, techniques) what player 0 by the row wins from player 1 by the column, in chips.
        unsolved: likewise the probability that one of them comes where they play the base.
        solved: number of look-aheads.
        gap: the largest gap of their solutions, in chips.
    """

    def __init__(
        self,
        values: WholePortfolio,
        searches: Sequence[Search],
        least: float,
        parts: int = 1,
        player: Callable[[GameTree, int, Search], WalkingPlayer] = WalkingPlayer,
    ) -> None:
        self._values, self._whole, self._searches, self._player = values, values.whole, searches, player
        self._least, self._parts = least, parts
        self._base = [values.strategies(values.whole, player)[0].behaviour for player in (0, 1)]
        many = len(searches)
        self.wins, self.unsolved = np.zeros((many, many)), np.zeros((many, many))
        self.solved, self.gap = 0, 0.0

    def play(self, part: int | None) -> None:
        """Walk down one part of the game, or down all of it."""
        ones = np.ones((len(self._searches), 1))
        first, second = ([self._player(self._whole, seat, search) for search in self._searches] for seat in (0, 1))
        self._visit(_Spot(np.zeros(1, np.int64), (ones, ones), ([*first], [*second])), part)

    def _visit(self, spot: _Spot, part: int | None) -> None:
        table, counts = self._whole.histories, part in (None, 0)
        mass = spot.mass(table.reach)
        alive = [np.array([one is not None for one in own]) for own in spot.players]
        if mass.max() < self._least or not (alive[0].any() or alive[1].any()):
            if counts:
                self.unsolved += mass * np.outer(*alive)
                self._count(spot, self._values.between(self._whole, spot.histories)[:, 0, 0])
            return
        mover = int(table.player[spot.histories[0]])
        if mover != CHANCE and self._chooses(mover, spot.histories):
            self._solve(spot, mover, mass)
        below = self._below(spot, mover)
        over = table.player[below.histories] == TERMINAL
        if counts:
            end = below.only(over)
            self._count(end, table.utility[end.histories])
        rest = below.only(~over)
        public = self._whole.public[0][table.info[0][rest.histories]]
        states = np.unique(public)
        for number, state in enumerate(states.tolist()):
            if part is None or len(states) == 1 or number % self._parts == part:
                self._visit(rest.only(public == state).copied(), part if len(states) == 1 else None)

    def _chooses(self, player: int, histories: I64) -> bool:
        lanes = self._whole.lanes[player][self._whole.histories.info[player][histories]]
        return bool((lanes >= 0).any())

    def _solve(self, spot: _Spot, mover: int, mass: F64) -> None:
        """Solve the decision for all techniques that come there often enough; the others play the base from here on."""
        own, other = spot.players[mover], spot.players[1 - mover]
        often = mass.max(axis=1 - mover) >= self._least
        for number, player in enumerate(own):
            if player is None:
                continue
            if often[number]:
                self.gap = max(self.gap, player.solve(spot.histories))
                self.solved += 1
                continue
            own[number] = None
            left = (number, slice(None)) if mover == 0 else (slice(None), number)
            self.unsolved[left] += mass[left] * [one is not None for one in other]

    def _below(self, spot: _Spot, mover: int) -> _Spot:
        """All children."""
        children = children_of(self._whole)
        below = children.of_all(spot.histories)
        counts = np.diff(children.start)[spot.histories]
        up = np.repeat(np.arange(len(counts)), counts)
        action = np.arange(len(below)) - np.repeat(np.cumsum(counts) - counts, counts)
        reach = [own[:, up] for own in spot.reach]
        if mover != CHANCE and self._chooses(mover, spot.histories):
            choosing = self._whole.lanes[mover][self._whole.histories.info[mover][spot.histories[up]]] >= 0
            base = np.where(choosing, self._base[mover][self._whole.sequences[mover][below]], 1.0)
            for number, player in enumerate(spot.players[mover]):
                reach[mover][number] *= base if player is None else player.odds(spot.histories[up], action)
        return _Spot(below, (reach[0], reach[1]), spot.players)

    def _count(self, spot: _Spot, chips: F64) -> None:
        weight = self._whole.histories.reach[spot.histories] * chips
        self.wins += (spot.reach[0] * weight) @ spot.reach[1].T


@dataclass(frozen=True, eq=False)
class _Spot:
    """Histories (n,) of a walk; each technique's own reach of them in both seats, (techniques, n); and the players of both
    seats, for each technique, None from where it plays the base on."""

    histories: I64
    reach: tuple[F64, F64]
    players: tuple[list[WalkingPlayer | None], list[WalkingPlayer | None]]

    def mass(self, chance: F64) -> F64:
        """(techniques, techniques) the probability that a pair comes there."""
        return np.asarray((self.reach[0] * chance[self.histories]) @ self.reach[1].T)

    def only(self, which: Flags) -> _Spot:
        """Some of the histories."""
        return _Spot(self.histories[which], (self.reach[0][:, which], self.reach[1][:, which]), self.players)

    def copied(self) -> _Spot:
        """The same with players of their own."""
        first, second = ([one and one.copy() for one in own] for own in self.players)
        return _Spot(self.histories, self.reach, (first, second))
