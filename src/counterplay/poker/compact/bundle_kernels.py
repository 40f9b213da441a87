"""Terminals on the boards of a bundle, by small matrices (see `bundled_boards`)."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel
from counterplay.poker.compact.bundled_boards import COUNT, FROM, MATRIX, SMALL
from counterplay.poker.compact.compact_layout import CHILD, CHILD_END
from counterplay.treeplex.simd import LANES, get, load, same_as, shifted, store


@kernel(inner=True)
def pay_bundle(tree: Any, bundle: Any, terminals: Any, count: int, plan: Any, out: Any) -> None:
    """CFVs at terminals, of which there are `count` batches, on all boards of a bundle. The vectors of a board may reach
    into the lanes of the next one, which comes after it."""
    for b in range(get(bundle, CHILD), get(bundle, CHILD_END)):
        board = shifted(tree.small, SMALL * b)
        lanes, begin = get(board, COUNT), get(board, FROM)
        matrix, here, there = shifted(tree.matrices, get(board, MATRIX)), shifted(plan, begin), shifted(out, begin)
        places, amounts = terminals.places, terminals.amounts
        for k in range(count):
            size = get(terminals.batches, 2 * k)
            for one in range(size):
                reach, show, fold = get(places, one), get(places, size + one), get(places, 3 * size + one)
                if show >= 0:
                    chips, fresh = get(amounts, size + one), get(places, 2 * size + one)
                    _show(matrix, lanes, shifted(here, reach), chips, shifted(there, show), fresh)
                if fold >= 0:
                    chips, fresh = get(amounts, 5 * size + one), get(places, 4 * size + one)
                    _fold(matrix, lanes, shifted(here, reach), chips, shifted(there, fold), fresh)
            places, amounts = shifted(places, 5 * size), shifted(amounts, 6 * size)


@kernel(inner=True)
def _show(matrix: Any, lanes: int, reach: Any, chips: float, out: Any, fresh: int) -> None:
    """A showdown of so many chips."""
    i, times = 0, same_as(out, chips)
    while i + LANES < lanes:  # two vectors at a time
        one, two = same_as(out, 0.0), same_as(out, 0.0)
        for j in range(0, LANES * lanes, LANES):
            other = same_as(out, get(reach, j // LANES))
            one += load(matrix, i * lanes + j) * other
            two += load(matrix, (i + LANES) * lanes + j) * other
        _give(out, i, one * times, fresh)
        _give(out, i + LANES, two * times, fresh)
        i += 2 * LANES
    if i < lanes:
        one = same_as(out, 0.0)
        for j in range(0, LANES * lanes, LANES):
            one += load(matrix, i * lanes + j) * same_as(out, get(reach, j // LANES))
        _give(out, i, one * times, fresh)


@kernel(inner=True)
def _fold(matrix: Any, lanes: int, reach: Any, chips: float, out: Any, fresh: int) -> None:
    """A fold of so many chips: each hand gets the reach of all hands but itself."""
    wide = (lanes + LANES - 1) // LANES * LANES
    hands = shifted(matrix, wide * lanes)
    counted, total = shifted(hands, wide), get(hands, 0) * get(reach, 0)
    for j in range(1, lanes):
        total += get(hands, j) * get(reach, j)
    every, times = same_as(out, total), same_as(out, chips)
    for i in range(0, lanes, LANES):
        _give(out, i, (every - load(reach, i)) * load(counted, i) * times, fresh)


@kernel(inline=True, inner=True)
def _give(out: Any, i: int, value: Any, fresh: int) -> None:
    if fresh:
        store(out, i, value)
    else:
        store(out, i, load(out, i) + value)
