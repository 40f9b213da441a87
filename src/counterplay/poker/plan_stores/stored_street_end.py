"""The end of a street of a large spot: the game beyond it is solved on the compact engine.

Decisions before the end are locked so that both players come to it with the ranges that are asked for; what they could win
before it is not paid. So nothing of the game beyond stands in arrays but regrets and averages.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun, has_compact_form
from counterplay.poker.compact.kernels.sweep_records import BEST
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import SegmentDecision
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory
from counterplay.poker.plan_stores.compact_plans import layout_of
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.subtrees.street_limit import RangeSolves, StreetEnd, above_of, first_of_each, paid_beyond
from counterplay.solvers.minimiser import Minimiser
from counterplay.solvers.pace import Pace


@dataclass(frozen=True, eq=False)
class StoredStreetEnd(StreetEnd):
    """`StreetEnd` of a large spot; beyond it, strategies are stored in a precision."""

    precision: str

    def below(self) -> RangeSolves:
        """The game beyond the street, solved between ranges on the compact engine."""
        return StoredBelow(self)


class _Locked(NamedTuple):
    """A decision before the end: the number of its segment, the decision, and (actions,) where the sequences of its actions
    begin in the treeplex up to the end."""

    segment: int
    decision: SegmentDecision
    starts: I64


class _Came(NamedTuple):
    """How a player comes to a deal: by the choice that leads to `after`, DEAL without one, with (hands,) places there."""

    after: int
    places: I64


class StoredBelow:
    """The game beyond the end of a street on the compact engine (see `RangeSolves`)."""

    def __init__(self, end: StoredStreetEnd) -> None:
        self._end, self._precision = end, end.precision
        self._layout = layout_beyond(layout_of(end.part.whole), end.deals)
        self._sides = _Side(end, 0, self._layout), _Side(end, 1, self._layout)

    def enter(self, player: int, held: F64) -> None:
        self._sides[player].enter(held)

    def solve(self, method: Minimiser, iterations: int | None) -> CompactRun:
        """The averages after so many iterations; an `InputError` for a method that the engine does not have."""
        check_method(method, iterations)
        assert iterations is not None
        ways = [
            (WeightedMemory(1.0, side.given.bind(new_memory(self._layout, player, self._precision))),)
            for player, side in enumerate(self._sides)
        ]
        run, pace = CompactRun(self._layout, method, self._precision, (ways[0], ways[1])), Pace(inf)
        while run.done < iterations:
            pace.advance(run, iterations)
        run.forget_regrets()
        return run

    def claim(self, player: int, plans: CompactRun) -> F64:
        """(hands,) CFVs of a player's best response to the other's averages, of hands in the player's range."""
        averages = Averages.of_run(plans).choosing_under(player, self._sides[player].shut)
        return self._sides[player].read(averages, plans.sides[player][0])


class _Side:
    """One player before the end of a street, who comes there by the locks `given` with the range last entered. By the
    locks `shut` decisions before the end win nothing, so that CFVs are those of the deals alone."""

    def __init__(self, end: StoredStreetEnd, player: int, layout: CompactLayout) -> None:
        self._end, self._player, self._layout = end, player, layout
        part, boards = end.part, end.part.whole.boards
        runs = part.runs[player]
        self._at = end.places(runs, np.searchsorted(part.nodes, end.deals).tolist())
        self._above = above_of(runs, self._at)
        weights = boards.cards.weights[player][boards.layers[0].hand][boards.above(end.layer, 0)]
        self._dealt = np.tile(weights, len(end.deals))
        self._size = runs.tree.size
        self.given, self.shut = self._room(), self._room()
        for one, lanes in self._locked:
            none = np.zeros((one.decision.actions, len(lanes)))
            self.shut.write(one.segment, one.decision, lanes, none[0], none)

    def _room(self) -> RowLocks:
        """Locks of all decisions before the end."""
        none = RowLocks.none(self._layout, self._player, self._end.precision)
        return none.with_room((one.segment, one.decision, none.boards_of(one.segment, k)) for one, k in self._locked)

    @cached_property
    def _locked(self) -> list[tuple[_Locked, I64]]:
        """The decisions before the end, and all lanes of their layers."""
        part, found = self._end.part, list[tuple[_Locked, I64]]()
        places = {one.node: (k, one) for k, s in enumerate(self._layout.whole) for one in s.decisions}
        for node in part.decisions(self._player):
            segment, decision = places[int(part.nodes[node])]
            starts = part.runs[self._player].start[part.betting.children(node)].astype(np.int64)
            layer = self._layout.whole[segment].layer
            found.append((_Locked(segment, decision, starts), np.arange(part.whole.boards.lanes(layer))))
        return found

    def enter(self, held: F64) -> None:
        """Lock the decisions so that (hands,) probabilities are those of coming to the end."""
        reach, choice = np.ones(self._size), np.ones(self._size)
        reach[self._at] = held
        before = np.where(self._above > 0, reach[self._above], self._dealt)
        choice[self._at] = np.divide(held, before, out=np.zeros(len(held)), where=before > 0.0)
        for one, lanes in self._locked:
            must = choice[one.starts[:, None] + lanes]
            self.given.write(one.segment, one.decision, lanes, np.zeros(len(lanes)), must)

    def read(self, averages: Averages, way: WeightedMemory) -> F64:
        """(hands,) CFVs of a best response of the player, who is bound as by `shut`, at the sequences that enter."""
        betting, found, root = self._end.part.whole.betting, dict[int, Any](), np.zeros(0)
        for segment in sorted({0, *(one.segment for one, _ in self._locked)}):
            cfvs = averages.action_cfvs(self._player, way, range(segment, segment + 1), BEST)
            root = cfvs.root
            for one, lanes in self._locked:
                if one.segment == segment:
                    found[one.decision.node] = cfvs.at(one.decision.node, lanes)
        out = []
        for after, places in self._ways():
            rows = root if after == DEAL else found[int(betting.parent[after])][betting.action[after]]
            out.append(rows[places])
        cfv = np.concatenate(out)
        cfv[~first_of_each(self._at)] = 0.0  # where one sequence leads to two deals it is counted once
        return cfv

    def _ways(self) -> Iterator[_Came]:
        """How the player comes to each deal."""
        whole, layer = self._end.part.whole, self._end.layer
        before = whole.runs[self._player].before
        for deal in self._end.deals:
            after = int(before[deal])
            made = 0 if after == DEAL else layer_of(whole.betting, int(whole.betting.parent[after]))
            yield _Came(after, whole.boards.above(layer, made))


def check_method(method: Minimiser, iterations: int | None) -> None:
    """Reject the linear program and methods with predictions, which the compact engine does not have."""
    if iterations is None or not has_compact_form(method):
        name = "lp" if iterations is None else method.name
        raise InputError(
            f"in a spot this large the game below the limit is solved by iterations of cfr, cfr+ or dcfr, not by {name}"
        )


def layout_beyond(layout: CompactLayout, deals: list[int]) -> CompactLayout:
    """The same layout, in which only what follows some deals is paid."""
    layout.streets  # noqa: B018 - laid out before it is copied, so that both share it
    beyond = copy(layout)
    beyond.betting = paid_beyond(layout.betting, deals)[1]
    return beyond
