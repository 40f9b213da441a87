"""A first strategy from few boards: the spot is solved with a few next cards, and what is learnt there is carried to all
other boards, hand by hand to those of like strength.

A few per cent of the boards cost as much less, so that a usable strategy is known after the time of two iterations. Its
regrets are kept at a small weight: iterations then begin from it, and forget it.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.jit import kernel
from counterplay.jit.threads import share, threads
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.kernels.sweep_records import Memory
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.layout.streets import CHILD, CHILD_END

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CARDS, ITERATIONS = (4, 6), 25
"""Next cards after each board, with one and with two to come, and iterations on them."""
LARGE = 4_000_000
"""Numbers of both players from which a first strategy is worth it."""
REGRETS, WEIGHT, COUNTED = 1.5, 0.2, 4
"""What is kept of the regrets and of the averages, and the iterations as which they count. Measured on turns and flops."""
_NEAR = 0.08
"""Difference of strength up to which a hand plays as the same hand on the other board, not as the nearest one there."""


class _FewBoards(NamedTuple):
    """The boards of a layer that are dealt. chosen: (n,) their numbers. stands_for: (n,) how many each stands for."""

    chosen: Ints
    stands_for: Floats


class _BoardMap(NamedTuple):
    """Where a layer's boards get their numbers. source: (boards,) another board, or itself. lanes: by player (own lanes of
    the layer,) int32 the lane there."""

    source: Ints
    lanes: tuple[NDArray[np.int32], NDArray[np.int32]]


def is_worth_it(layout: CompactLayout) -> bool:
    """Whether a tree is large, and has cards to come that are dealt one by one."""
    return layout.depth > 1 and not layout.bundled and sum(layout.stored) >= LARGE


def start_coarsely(run: CompactRun) -> None:
    """Begin a run, before its first iteration, with what is learnt on few boards; it then counts as COUNTED iterations."""
    layout, whole = run.layout, run.sweeps
    dealt, coarse = _few_boards(layout)
    run.sweeps = whole.dealing(coarse)
    try:
        run.advance(ITERATIONS)
    finally:
        run.sweeps, run.done = whole, COUNTED
    for player in (0, 1):
        _weaken(layout, player, run.memories[player], dealt)
    strength = [_strengths(layout, 0), _strengths(layout, 1)]
    for number in range(1, layout.depth):
        found = _matched(layout, number, dealt[number].chosen, (strength[0][number], strength[1][number]))
        sides = [partial(_spread, layout, player, number, run.memories[player], found) for player in (0, 1)]
        share(sides) if threads() > 1 else [side() for side in sides]


def _few_boards(layout: CompactLayout) -> tuple[list[_FewBoards], CompactLayout]:
    """By layer the boards that are dealt, evenly spaced after each board, and the same layout in which no others are: they
    stand for them."""
    streets, first = layout.streets, layout.tables.first
    boards, shares = [streets.boards], [streets.shares]
    chosen = [_FewBoards(np.zeros(1, np.int64), np.ones(1))]
    end, rows, weight = len(streets.boards), streets.boards[:1].copy(), np.ones(1)
    top = rows
    for number in range(1, layout.depth):
        some, places, weights = list[Ints](), end, list[Floats]()
        most = CARDS[min(layout.depth, 3) - 2]
        for row, times in zip(rows, weight, strict=True):
            every = np.arange(row[CHILD], row[CHILD_END])
            count = min(most, len(every))
            few = every[((np.arange(count) + 0.5) * len(every) / count).astype(np.int64)]
            more = streets.shares[every, 0].sum() / streets.shares[few, 0].sum()
            row[CHILD], row[CHILD_END] = places, places + len(few)
            places += len(few)
            some.append(few)
            weights.append(np.stack([np.full(len(few), more), np.full(len(few), times * more)], axis=1))
        if number > 1:
            boards.append(rows)
        every, both = np.concatenate(some), np.concatenate(weights)
        rows, weight, end = streets.boards[every].copy(), both[:, 1], places
        shares.append(streets.shares[every] * both)
        chosen.append(_FewBoards(every - int(first[number]), weight))
    boards.append(rows)
    found = copy(layout)
    boards[0] = np.concatenate([top, streets.boards[1:]])
    found.streets = streets._replace(boards=np.concatenate(boards), shares=np.concatenate(shares))
    return chosen, found


def _weaken(layout: CompactLayout, player: int, memory: Memory, dealt: list[_FewBoards]) -> None:
    """Keep a small weight of what is stored on the boards that were dealt. Regrets there are as large as of all boards for
    which they stood."""
    packed = len(memory.total_scale) > 0
    for k, segment in enumerate(layout.whole):
        few, decisions = dealt[segment.layer], segment.own(player)
        begins, widths = layout.rows_of(player, k, few.chosen)
        sizes = (segment.rows[player] - 1) * widths
        for board, begin, size, times in zip(few.chosen, begins, sizes, few.stands_for, strict=True):
            if packed and decisions:
                block = layout.blocks(player, k, decisions[0], board) - decisions[0].rank
                memory.regret_scale[block : block + len(decisions)] *= REGRETS / times
            elif not packed:
                memory.regret[begin : begin + size] *= REGRETS / times
                memory.total[begin : begin + size] *= WEIGHT
    memory.total_scale[:] *= WEIGHT


def _strengths(layout: CompactLayout, player: int) -> list[Floats]:
    """By layer (own lanes,) the part of the player's range that a hand beats, half of it where hands tie; before the last
    layer its mean over the boards to come."""
    boards, own, depth = layout.boards, layout.own[player], layout.depth
    last, lanes = boards.layers[-1], own.layers[-1]
    places = boards.kept(depth - 1)[lanes.kept]
    board = np.repeat(np.arange(len(lanes.first) - 1), np.diff(lanes.first))
    weight, rank = boards.cards.weights[player][last.hand[places]], last.rank[places]
    order = np.lexsort((rank, board))
    before = np.append(0.0, np.cumsum(weight[order]))
    new = np.append(True, (np.diff(rank[order]) != 0) | (np.diff(board[order]) != 0))
    begins = np.append(np.flatnonzero(new), len(order))
    tie = np.cumsum(new) - 1
    beaten = 0.5 * (before[begins[tie]] + before[begins[tie + 1]])
    found = np.zeros(len(order))
    begin, end = before[lanes.first[board]], before[lanes.first[board + 1]]
    found[order] = beaten
    listed = [(found - begin) / (end - begin)]
    for number in range(depth - 2, 0, -1):
        above = own.layers[number]
        up = above.number[boards.above(depth - 1, number)[places]]
        count = np.bincount(up, minlength=len(above.kept))
        listed.insert(0, np.bincount(up, listed[-1], len(above.kept)) / np.maximum(count, 1))
    return [np.zeros(0), *listed]


def _matched(layout: CompactLayout, number: int, chosen: Ints, strength: tuple[Floats, Floats]) -> _BoardMap:
    """For each board of a layer the chosen one on which hands are most alike in strength, and for each lane one there."""
    boards, count = layout.boards, len(layout.own[0].layers[number].first) - 1
    alike, hands = np.zeros((count, len(chosen))), len(boards.cards.hands)
    for player in (0, 1):
        board, hand = _lanes(layout, player, number)
        table = np.zeros((count, hands), np.float32)
        table[board, hand] = strength[player] - 0.5
        table /= np.linalg.norm(table, axis=1, keepdims=True) + 1e-9
        alike += table @ table[chosen].T
    source = chosen[np.argmax(alike, axis=1)]
    source[chosen] = chosen
    return _BoardMap(
        source, (_like(layout, 0, number, source, strength[0]), _like(layout, 1, number, source, strength[1]))
    )


def _lanes(layout: CompactLayout, player: int, number: int) -> tuple[Ints, Ints]:
    """(own lanes of a layer,) the boards, and a hand of each."""
    lanes = layout.own[player].layers[number]
    board = np.repeat(np.arange(len(lanes.first) - 1), np.diff(lanes.first))
    return board, layout.boards.layers[number].hand[layout.boards.kept(number)[lanes.kept]]


def _like(layout: CompactLayout, player: int, number: int, source: Ints, strength: Floats) -> NDArray[np.int32]:
    """(own lanes of a layer,) the lane of the same hand on the source of its board, or the one nearest in strength."""
    lanes, (board, hand) = layout.own[player].layers[number], _lanes(layout, player, number)
    found, asked = np.zeros(len(board), np.int32), source[board]
    for one in np.unique(source).tolist():
        here = np.flatnonzero(asked == one)
        begin, end = int(lanes.first[one]), int(lanes.first[one + 1])
        there, wanted = strength[begin:end], strength[here]
        order = np.argsort(there, kind="stable")
        right = np.clip(np.searchsorted(there[order], wanted), 0, len(order) - 1)
        left = np.maximum(right - 1, 0)
        nearer = np.abs(there[order[left]] - wanted) < np.abs(there[order[right]] - wanted)
        like = order[np.where(nearer, left, right)]
        same = np.full(len(layout.boards.cards.hands), -1)
        same[hand[begin:end]] = np.arange(end - begin)
        itself = same[hand[here]]
        near = (itself >= 0) & (np.abs(there[itself] - wanted) < _NEAR)
        found[here] = np.where(near | (board[here] == one) & (itself >= 0), itself, like)
    return found


def _spread(layout: CompactLayout, player: int, number: int, memory: Memory, found: _BoardMap) -> None:
    """Write what stands on the sources to all boards of a layer."""
    lanes, count = layout.own[player].layers[number], len(found.source)
    for k, segment in enumerate(layout.whole):
        if segment.layer == number:
            start, rows = int(layout.starts(player)[k]), segment.rows[player] - 1
            for numbers in (memory.regret, memory.total):
                copy_rows(numbers, (start, rows), lanes.padded, lanes.first, found.source, found.lanes[player])
            decisions = segment.own(player)
            if len(memory.total_scale) and decisions:
                begin = layout.blocks(player, k, decisions[0], 0) - decisions[0].rank
                for scales in (memory.regret_scale, memory.total_scale):
                    blocks = scales[begin : begin + len(decisions) * count].reshape(count, -1)
                    blocks[:] = blocks[found.source]


@kernel(nogil=True)
def copy_rows(numbers: Any, where: tuple[int, int], padded: Any, first: Any, source: Any, lanes: Any) -> None:
    """Copy a segment's rows to each board from its source, lane by lane.

    Args:
        numbers: a player's, of the whole tree.
        where: where the segment's begin, and its rows.
        padded, first: (boards + 1,) see `own_lanes.LayerLanes`.
        source: (boards,) the source of each board.
        lanes: (own lanes,) the lane there.
    """
    start, rows = where
    for b in range(len(source)):
        s = source[b]
        if s != b:
            wide, there = padded[b + 1] - padded[b], padded[s + 1] - padded[s]
            for row in range(rows):
                target, origin = start + rows * padded[b] + row * wide, start + rows * padded[s] + row * there
                for i in range(first[b + 1] - first[b]):
                    numbers[target + i] = numbers[origin + lanes[first[b] + i]]
