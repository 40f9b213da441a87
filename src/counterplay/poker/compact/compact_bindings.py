"""Restrictions of a player of a spot as locks of the compact engine, and solves under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.compact_solve import CompactSolution, solve_run
from counterplay.poker.compact.compact_sweeps import Ways
from counterplay.poker.compact.layout.segments import SegmentDecision
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory, without_regrets
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.branch_restriction import BranchRestriction, LaneTrust, Numbers

_KNOWN: WeakKeyDictionary[BranchRestriction, RowLocks] = WeakKeyDictionary()
"""One restriction is measured many times."""


@dataclass(frozen=True, eq=False)
class Bindings:
    """Locks that bind players of a tree of all boards; averages are strategies on all boards."""

    tree: PublicTree
    averages: Averages

    def locks(self, player: int, restriction: BranchRestriction) -> RowLocks:
        """The locks of trust by infoset."""
        found = _KNOWN.get(restriction)
        if found is None or found.layout is not self.averages.layout:
            found = _KNOWN[restriction] = self._locks(player, restriction)
        return found

    def _locks(self, player: int, restriction: BranchRestriction) -> RowLocks:
        assert restriction.trust is not None
        runs, layout, trust = self.tree.runs[player], self.averages.layout, restriction.trust

        def trusted() -> Iterator[tuple[int, SegmentDecision, I64, F64]]:
            for node, (segment, decision) in self.averages.decisions.items():
                if decision.player == player:
                    first = int(runs.lane[node])
                    span = trust.span(first, first + self.tree.boards.lanes(layout.whole[segment].layer))
                    if span is not None:
                        yield segment, decision, np.flatnonzero(span > 0.0), span

        none = RowLocks.none(layout, player, self.averages.precision)
        locks = none.with_room((segment, one, none.boards_of(segment, lanes)) for segment, one, lanes, _ in trusted())
        for segment, one, lanes, span in trusted():
            must = span[lanes] * self._choices(player, one.node, lanes, restriction.model)
            locks.write(segment, one, lanes, 1.0 - span[lanes], must)
        return locks

    def _choices(self, player: int, node: int, lanes: I64, numbers: Any) -> F64:
        """(actions, n) numbers by sequence at a decision of a player."""
        start, children = self.tree.runs[player].start, self.tree.betting.children(node)
        return np.stack([numbers[int(start[child]) + lanes] for child in children])

    def changed(self, player: int, way: WeightedMemory, sequences: I64, behaviour: F64) -> Any:
        """A way of a player with other probabilities (n,) at some sequences (n,): of all actions of their decisions, or of
        some."""
        tree, runs, layout = self.tree, self.tree.runs[player], self.averages.layout
        order = np.argsort(sequences, kind="stable")  # of one that comes twice the last counts
        ordered = sequences[order]

        def touched() -> Iterator[tuple[int, SegmentDecision, I64, list[tuple[int, I64]]]]:
            for node, (segment, decision) in self.averages.decisions.items():
                if decision.player == player:
                    places = tree.boards.lanes(layout.whole[segment].layer)
                    inside = []
                    for child in tree.betting.children(node):
                        start = int(runs.start[child])
                        low, high = np.searchsorted(ordered, (start, start + places)).tolist()
                        inside.append((start, order[low:high]))
                    lanes = np.unique(np.concatenate([sequences[k] - start for start, k in inside]))
                    if len(lanes):
                        yield segment, decision, lanes, inside

        before = RowLocks.of_memory(layout, player, way.memory)
        locks = before.with_room(
            (segment, one, before.boards_of(segment, lanes)) for segment, one, lanes, _ in touched()
        )
        for segment, one, lanes, inside in touched():
            must = self.averages.played(player, way, one.node, lanes)
            for row, (start, k) in zip(must, inside, strict=True):
                row[np.searchsorted(lanes, sequences[k] - start)] = behaviour[k]
            locks.write(segment, one, lanes, np.zeros(len(lanes)), must)
        return locks.bind(way.memory)

    def is_own(self, player: int, restriction: BranchRestriction) -> bool:
        """Whether it follows a strategy that stands on the boards that are dealt here."""
        source = getattr(restriction.model, "source", None)
        return restriction.trust is None and source is not None and self._stands_here(player, source)

    def _stands_here(self, player: int, source: tuple[Averages, int]) -> bool:
        averages, whose = source
        return (
            whose == player
            and averages.layout is self.averages.layout
            and averages.precision == self.averages.precision
        )

    def standing(self, player: int, lanes: I64, behaviour: Numbers) -> Ways:
        """The way of a player whose (n,) infosets stand as in a (size,) behaviour, and who is free elsewhere."""
        found = self._locks(player, BranchRestriction(behaviour, LaneTrust(lanes, np.ones(len(lanes)))))
        return (WeightedMemory(1.0, found.bind(self._new(player))),)

    def free(self, player: int) -> Ways:
        return (WeightedMemory(1.0, self._new(player)),)

    def opponents(self, player: int, restriction: BranchRestriction, p: float) -> Ways:
        """The ways of a player who is bound with probability p, decided before the game, and else free. A plan scope has its
        own probability."""
        if restriction.trust is None:
            ways = (
                WeightedMemory(1.0 - restriction.p, self._new(player)),
                WeightedMemory(restriction.p, self._model(player, restriction.model)),
            )
            return ways if restriction.p < 1.0 else ways[1:]
        bound = self.locks(player, restriction)
        if p == 1.0:
            return (WeightedMemory(1.0, bound.bind(self._new(player))),)
        return WeightedMemory(1.0 - p, self._new(player)), WeightedMemory(p, bound.bind(self._new(player)))

    def _new(self, player: int) -> Any:
        return new_memory(self.averages.layout, player, self.averages.precision)

    def _model(self, player: int, model: Any) -> Any:
        """The memory of a strategy by sequence, which is played whatever the regrets: its own, if it was read from this
        tree."""
        source = getattr(model, "source", None)
        if source and self._stands_here(player, source):
            ways = source[0].sides[player]
            if len(ways) == 1:
                return without_regrets(ways[0].memory)
        return self.written(player, model)[0].memory

    def written(self, player: int, numbers: Any) -> Ways:
        """A strategy given by sequence, as stored averages."""
        return self.averages.written(player, lambda node, lanes: self._choices(player, node, lanes, numbers))

    def solved(
        self, player: int, ways: Ways | None, method: Minimiser, stop: Stop, progress: Progress | None = None
    ) -> tuple[Averages, CompactSolution]:
        """The spot solved where a player plays in some ways, None for free, and the other one is free."""
        layout, precision = self.averages.layout, self.averages.precision
        mine, theirs = ways or self.free(player), self.free(1 - player)
        sides = (mine, theirs) if player == 0 else (theirs, mine)
        run = CompactRun(layout, method, precision, sides, self.averages.sweeps)
        found = solve_run(run, stop, progress)
        return Averages.of_run(run), found
