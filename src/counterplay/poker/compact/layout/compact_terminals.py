"""Terminals of all segments, laid out for the kernels in the dtype of the working set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import Pair, SegmentLeaf, ends_of, rows_of
from counterplay.poker.public_tree.bundled_boards import SMALL, bundle_matrices
from counterplay.poker.public_tree.payoff import terminal_at
from counterplay.poker.showdown.terminals import terminals_of

PLACED, MOVED, SHOWN = range(3)
"""Kinds: terminals on last boards, whose hands stand in the working set, those of a segment or those that follow it; folds
before the last street, and showdowns on last boards two cards ahead, whose hands are moved."""
KINDS = 3
COUNT, BATCH, PLACE, AMOUNT = range(4)
FIELDS = 4
"""Columns of the last axis of `SegmentTerminals.table`."""


class SegmentTerminals(NamedTuple):
    """Both players' terminals.

    table: (segments, 2 players, 3 kinds, 4) the number of batches and where batches, places and amounts begin. batches,
    places, amounts: see `terminals.Terminals`. blank: (segments, 2, 3) the part of `rows` with the rows of CFVs that no
    terminal of kind PLACED sets, and the number of all of them. small, matrices: those of `bundle_matrices`, empty without
    bundles.
    """

    table: I64
    batches: I64
    places: I64
    amounts: AnyArray
    blank: I64
    rows: I64
    small: I64
    matrices: AnyArray


def segment_terminals(layout: CompactLayout, dtype: Any, *, alone: bool) -> SegmentTerminals:
    """Lay them out, for plans and CFVs of a dtype. alone: those of single segments of the last street, with which sweeps
    begin there; else those of all that follow a segment of a street before it."""
    return _Laying(layout, dtype).done(alone=alone)


class _Laying:
    def __init__(self, layout: CompactLayout, dtype: Any) -> None:
        self._layout, self._dtype = layout, dtype
        self._unit = 1.0 / layout.boards.cards.pairs  # of a chip
        none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, dtype)
        self._parts: list[list[AnyArray]] = [[array] for array in none]
        self._sizes = [0, 0, 0]

    def done(self, *, alone: bool) -> SegmentTerminals:
        """All segments, in sweeps that begin on the last street, or before it."""
        layout, segments = self._layout, self._layout.segments
        index = np.zeros((len(segments), 2, KINDS, FIELDS), np.int64)
        blank, rows = np.zeros((len(segments), 2, 3), np.int64), list[int]()
        for k, one in enumerate(segments):
            last = one.layer + 1 == layout.depth
            if last != alone:
                continue
            followed = layout.followed(one)
            ends = one.ends if last else list(ends_of(followed))
            most = (one.rows[0], one.rows[1]) if last else rows_of(followed)
            for player in (0, 1):
                self._place(index[k, player, PLACED], ends, player, most)
                self._move(index[k, player, MOVED], layout.folds_of(one), player, one.layer)
                self._move(index[k, player, SHOWN], [] if followed else one.shown, player, layout.depth - 1)
                free = set(range(most[player])) - {leaf.rows[player] for leaf in ends}
                blank[k, player] = len(rows), len(rows) + len(free), most[player]
                rows += sorted(free)
        batches, places, amounts = (np.concatenate(part) for part in self._parts)
        small = np.zeros((0, SMALL), np.int64), np.zeros(0, self._dtype)
        if layout.bundled:
            small = bundle_matrices(layout.boards, self._dtype)
        return SegmentTerminals(index, batches.ravel(), places, amounts, blank, np.array(rows, np.int64), *small)

    def _place(self, row: I64, leaves: Sequence[SegmentLeaf], player: int, rows: Pair) -> None:
        """Terminals on last boards, in rows of the working set of the last street."""
        layer = self._layout.depth - 1
        mine, theirs = (self._layout.stride(layer, side) for side in (player, 1 - player))
        places = [(leaf.rows[1 - player] * theirs, leaf.rows[player] * mine) for leaf in leaves]
        self._lay(row, leaves, player, layer, places, (theirs * rows[1 - player], mine * rows[player]))

    def _move(self, row: I64, leaves: Sequence[SegmentLeaf], player: int, layer: int) -> None:
        """Terminals whose hands are moved to the order of boards of a layer."""
        count, room = len(leaves), self._layout.room
        places = [(k * room, (count + k) * room) for k in range(count)]
        self._lay(row, leaves, player, layer, places, (2 * count * room, 2 * count * room))

    def _lay(
        self, row: I64, leaves: Sequence[SegmentLeaf], player: int, layer: int, places: list[Pair], sizes: Pair
    ) -> None:
        row[1:] = self._sizes
        if not leaves:
            return
        layout = self._layout
        unit = self._unit * layout.boards.layers[layer].chance
        found = [
            terminal_at(layout.betting, leaf.node, player, place, unit)
            for leaf, place in zip(leaves, places, strict=True)
        ]
        board = layout.tables.widest[layer]._replace(hands=min(own.most[layer] for own in layout.own))
        laid = terminals_of(board, found, sizes, self._dtype, store=True)
        row[0] = len(laid.batches)
        for k, array in enumerate(laid):
            self._parts[k].append(array)
            self._sizes[k] += len(array)
