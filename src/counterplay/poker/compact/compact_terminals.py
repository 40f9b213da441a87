"""Terminals of all segments, laid out for the kernels in the dtype of the working set."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.compact.compact_layout import CompactLayout
from counterplay.poker.compact.segments import Segment, SegmentLeaf
from counterplay.poker.public_tree.payoff_layout import terminal_at
from counterplay.poker.showdown.terminals import Fold, Showdown, terminals_of

Ints = NDArray[np.int64]
ENDS, SHOWN = 0, 1
"""Kinds: terminals on the boards of a segment, in place on the last street; showdowns on boards to come."""
COUNT, BATCH, PLACE, AMOUNT = range(4)
FIELDS = 4
"""Columns of the last axis of `SegmentTerminals.table`."""


class SegmentTerminals(NamedTuple):
    """Both players' terminals.

    table: (segments, 2 players, 2 kinds, 4) the number of batches and where batches, places and amounts begin. batches,
    places, amounts: see `terminals.Terminals`. blank: (segments, 2, 2) the part of `rows` with the rows of CFVs that no
    terminal sets on the last street.
    """

    table: Ints
    batches: Ints
    places: Ints
    amounts: NDArray[Any]
    blank: Ints
    rows: Ints


def segment_terminals(layout: CompactLayout, dtype: Any) -> SegmentTerminals:
    """Lay them out, for plans and CFVs of a dtype."""
    return _Laying(layout, dtype).done()


class _Laying:
    """Terminals under construction."""

    def __init__(self, layout: CompactLayout, dtype: Any) -> None:
        self._layout, self._dtype = layout, dtype
        self._unit = 1.0 / layout.boards.cards.pairs  # of a chip
        self._parts: list[list[NDArray[Any]]] = [[], [], []]
        self._sizes = [0, 0, 0]

    def done(self) -> SegmentTerminals:
        """All segments."""
        segments = self._layout.segments
        index = np.zeros((len(segments), 2, 2, FIELDS), np.int64)
        blank, rows = np.zeros((len(segments), 2, 2), np.int64), list[int]()
        for k, one in enumerate(segments):
            for player in (0, 1):
                self._pack(index[k, player, ENDS], one, player, one.ends, last=False)
                self._pack(index[k, player, SHOWN], one, player, one.shown, last=True)
                free = set(range(one.rows[player])) - {leaf.rows[player] for leaf in one.ends}
                blank[k, player] = len(rows), len(rows) + len(free)
                rows += sorted(free)
        batches, places, amounts = (np.concatenate(part) for part in self._parts)
        return SegmentTerminals(index, batches.ravel(), places, amounts, blank, np.array(rows, np.int64))

    def _pack(self, row: Ints, segment: Segment, player: int, leaves: list[SegmentLeaf], *, last: bool) -> None:
        """Some leaves of a segment, evaluated on its boards or on the last ones."""
        layout = self._layout
        tables, depth = layout.tables, layout.depth
        layer = depth - 1 if last else segment.layer
        unit = self._unit * layout.boards.layers[layer].chance
        moved = last or segment.layer + 1 < depth
        mine, theirs = (layout.stride(segment.layer, side) for side in (player, 1 - player))
        found: list[Showdown | Fold] = []
        for k, leaf in enumerate(leaves):
            reach, cfv = leaf.rows[1 - player] * theirs, leaf.rows[player] * mine
            if moved:
                reach, cfv = k * layout.room, (len(leaves) + k) * layout.room
            found.append(terminal_at(layout.betting, leaf.node, player, (reach, cfv), unit))
        room = 2 * len(leaves) * layout.room
        sizes = room + theirs * segment.rows[1 - player], room + mine * segment.rows[player]
        board = tables.widest[layer]._replace(hands=min(own.most[layer] for own in layout.own))
        laid = terminals_of(board, found, sizes, self._dtype, store=True)
        row[0] = len(laid.batches)
        for k, array in enumerate(laid):
            row[1 + k] = self._sizes[k]
            self._parts[k].append(array)
            self._sizes[k] += len(array)
