"""Terminals of all segments, laid out for the kernels in the dtype of the working set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.segments import Pair, SegmentLeaf, ends_of, rows_of
from counterplay.poker.public_tree.boards import SMALL, bundle_matrices
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
    none = np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.zeros(0, dtype)
    parts: list[list[AnyArray]] = [[array] for array in none]
    ends_at, last_layer, room = [0, 0, 0], layout.depth - 1, layout.room

    def lay(row: I64, leaves: Sequence[SegmentLeaf], player: int, layer: int, places: list[Pair], sizes: Pair) -> None:
        row[1:] = ends_at
        if leaves:
            unit = 1.0 / layout.boards.cards.pairs * layout.boards.layers[layer].chance  # of a chip
            terminals = [
                terminal_at(layout.betting, leaf.node, player, place, unit)
                for leaf, place in zip(leaves, places, strict=True)
            ]
            board = layout.tables.widest[layer]._replace(hands=min(own.most[layer] for own in layout.own))
            laid = terminals_of(board, terminals, sizes, dtype, store=True)
            row[0] = len(laid.batches)
            for k, array in enumerate(laid):
                parts[k].append(array)
                ends_at[k] += len(array)

    index = np.zeros((len(layout.segments), 2, KINDS, FIELDS), np.int64)
    blank, rows = np.zeros((len(layout.segments), 2, 3), np.int64), list[int]()
    for k, one in enumerate(layout.segments):
        last = one.layer == last_layer
        if last != alone:
            continue
        followed = layout.followed(one)
        ends = one.ends if last else list(ends_of(followed))
        most = (one.rows[0], one.rows[1]) if last else rows_of(followed)
        for player in (0, 1):
            # Those on last boards, in rows of the working set; then those whose hands are moved to the order of boards.
            mine, theirs = (layout.stride(last_layer, side) for side in (player, 1 - player))
            places = [(leaf.rows[1 - player] * theirs, leaf.rows[player] * mine) for leaf in ends]
            sizes = theirs * most[1 - player], mine * most[player]
            lay(index[k, player, PLACED], ends, player, last_layer, places, sizes)
            shown = [] if followed else one.shown
            for kind, leaves, layer in ((MOVED, layout.folds_of(one), one.layer), (SHOWN, shown, last_layer)):
                count = len(leaves)
                moved = [(j * room, (count + j) * room) for j in range(count)]
                lay(index[k, player, kind], leaves, player, layer, moved, (2 * count * room, 2 * count * room))
            free = set(range(most[player])) - {leaf.rows[player] for leaf in ends}
            blank[k, player] = len(rows), len(rows) + len(free), most[player]
            rows += sorted(free)
    batches, amount_places, amounts = (np.concatenate(part) for part in parts)
    small = np.zeros((0, SMALL), np.int64), np.zeros(0, dtype)
    if layout.bundled:
        small = bundle_matrices(layout.boards, dtype)
    return SegmentTerminals(index, batches.ravel(), amount_places, amounts, blank, np.array(rows, np.int64), *small)
