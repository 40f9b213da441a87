"""How strong hands are on their boards, how alike boards are by that, and which hands of one are like those of another."""

from __future__ import annotations

from math import sqrt
from typing import Any

from counterplay.jit import kernel


@kernel(nogil=True)
def fill_strengths(first: Any, rank: Any, weight: Any, out: Any) -> None:
    """The part of a board's weight that each lane beats, half of it where they tie.

    Args:
        first: (boards + 1,) lanes before each board.
        rank: (lanes,) ascending on each board.
        weight: (lanes,) positive.
        out: (lanes,) is filled.
    """
    for b in range(len(first) - 1):
        end, every, below, i = first[b + 1], 0.0, 0.0, first[b]
        for k in range(i, end):
            every += weight[k]
        while i < end:
            after, tied = i, 0.0
            while after < end and rank[after] == rank[i]:
                tied += weight[after]
                after += 1
            for k in range(i, after):
                out[k] = (below + 0.5 * tied) / every
            below += tied
            i = after


@kernel(nogil=True)
def fill_rows(first: Any, hand: Any, strength: Any, out: Any) -> None:
    """Fill (boards, hands) with strengths around their middle, of length 1 on each board. hand, strength: (lanes,)."""
    for b in range(len(first) - 1):
        square = 0.0
        for i in range(first[b], first[b + 1]):
            square += (strength[i] - 0.5) ** 2
        scale = 1.0 / (sqrt(square) + 1e-9)
        for i in range(first[b], first[b + 1]):
            out[b, hand[i]] = scale * (strength[i] - 0.5)


@kernel(nogil=True, loops=True)
def add_product(first: Any, second: Any, out: Any) -> None:
    """Add the product of (n, hands) and (hands, k) to (n, k). One thread does it in one order, unlike libraries of linear
    algebra, whose own threads go on to wait for more on the cores that sweeps are about to need."""
    for i in range(first.shape[0]):
        for h in range(first.shape[1]):
            number = first[i, h]
            if number != 0.0:
                for j in range(second.shape[1]):
                    out[i, j] += number * second[h, j]


@kernel(nogil=True)
def find_like(first: Any, hand: Any, strength: Any, order: Any, source: Any, near: float, same: Any, out: Any) -> None:
    """For each lane one on the source of its board: that of the same hand, or where strengths differ by more than `near` the
    one nearest in strength.

    Args:
        first: (boards + 1,) lanes before each board.
        hand, strength: (lanes,).
        order: (lanes,) the lanes of each board in ascending order of strength, from 0.
        source: (boards,) the board on which the lane is.
        near: a difference of strengths.
        same: (hands,) -1; room.
        out: (lanes,) is filled, from 0 on each board.
    """
    for b in range(len(source)):
        begin, count = first[source[b]], first[source[b] + 1] - first[source[b]]
        for k in range(count):
            same[hand[begin + k]] = k
        for i in range(first[b], first[b + 1]):
            itself, wanted = same[hand[i]], strength[i]
            if itself >= 0 and (source[b] == b or abs(strength[begin + itself] - wanted) < near):
                out[i] = itself
                continue
            low, high = 0, count
            while low < high:
                middle = (low + high) // 2
                if strength[begin + order[begin + middle]] < wanted:
                    low = middle + 1
                else:
                    high = middle
            right = order[begin + min(low, count - 1)]
            left = order[begin + max(min(low, count - 1) - 1, 0)]
            nearer = abs(strength[begin + left] - wanted) < abs(strength[begin + right] - wanted)
            out[i] = left if nearer else right
        for k in range(count):
            same[hand[begin + k]] = -1


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
