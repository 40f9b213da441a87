"""A sparse payoff as small dense tiles, for games in which all hands of a public state meet.

Rows are cut into *runs* of up to eight neighbours with entries in nearly the same columns. Where a run has enough entries in
a range of neighbouring columns, the two form a *tile*: eight values per column, so that one column costs one fused
multiply-add. Equal tiles are stored once. Every row is in exactly one run, so that a product writes its result instead of
adding to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.treeplex.runs import lengths_of, starts_of
from counterplay.treeplex.treeplex import LANES

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_NEAR = 2
"""Columns so far apart still speak for one run: hands that tie, or hold the same card, leave holes."""


class Tiles(NamedTuple):
    """runs: (R, 2), first row of a run, and the end of its places. places: (P, 3), index of the tile's first column among
    `cells`, first column, column after the last. cells: (C, 8), a tile's columns. rest: (entries,), the entries in no tile.
    pay: whether most tiles occur more than once.
    """

    runs: Ints
    places: Ints
    cells: Floats
    rest: Mask
    pay: bool


def tiles_of(start: Longs, column: Ints, value: Floats) -> Tiles:
    """The tiles of a matrix that is given by rows.

    Args:
        start: (rows + 1,) where the entries of each row begin.
        column, value: (entries,) each; the columns of a row rise.
    """
    row = np.repeat(np.arange(len(start) - 1), start[1:] - start[:-1])
    first = _runs(start, row, column)
    run = first.searchsorted(row, side="right") - 1
    # Entries by (run, column); `names` are the columns of all runs, `met` their entries.
    key = run << 32 | column
    order = key.argsort(kind="stable")
    key = key[order]
    begin = starts_of(key)
    names, met = key[begin], lengths_of(begin, len(key))
    of_entry = np.repeat(np.arange(len(names)), met)
    # Neighbouring columns have equal differences of name and place.
    breaks = starts_of(names - np.arange(len(names)))
    width, met = lengths_of(breaks, len(names)), np.add.reduceat(met, breaks) if len(names) else met
    # A range of neighbouring columns becomes a tile if it is filled well enough; its columns are numbered through.
    chosen = met >= 2 * width + 2
    inside = np.repeat(chosen, width)
    number = inside.cumsum() - 1  # of each column that is in a tile
    taken = inside[of_entry]
    cells, entries = np.zeros((int(inside.sum()), LANES)), order[taken]
    cells[number[of_entry[taken]], row[entries] - first[run[entries]]] = value[entries]
    rest = np.ones(len(column), np.bool_)
    rest[entries] = False
    ranges = breaks[chosen]
    places = np.empty((len(ranges), 3), np.int32)
    places[:, 0], places[:, 1] = number[ranges], names[ranges] & 0xFFFFFFFF
    places[:, 2] = places[:, 1] + width[chosen]
    runs = np.empty((len(first), 2), np.int32)
    runs[:, 0], runs[:, 1] = first, np.bincount(names[ranges] >> 32, minlength=len(first)).cumsum()
    places, kinds = _unique(places, cells)
    return Tiles(runs, places, kinds, rest, 2 * len(kinds) <= len(cells))


def _runs(start: Longs, row: Longs, column: Ints) -> Longs:
    """The first row of each run."""
    count = start[1:] - start[:-1]
    # Rows and columns in one sorted key: entries of the next row are found by binary search.
    key = row << 32 | column
    at = key.searchsorted(key + (1 << 32) - _NEAR)  # the first entry of the next row that is not far to the left
    near = at < len(key)
    near[near] = key[at[near]] <= key[near] + (1 << 32) + _NEAR
    shared = np.bincount(row[near], minlength=len(count))[:-1]
    less = np.minimum(count[:-1], count[1:])
    joined = np.where(less > 0, 2 * shared >= less, count[:-1] == count[1:])
    chains = np.concatenate([[0], 1 + (~joined).nonzero()[0]])  # a chain is cut into runs of eight
    place = np.arange(len(count)) - np.repeat(chains, lengths_of(chains, len(count)))
    return np.flatnonzero(place % LANES == 0)


def _unique(places: Ints, cells: Floats) -> tuple[Ints, Floats]:
    """The tiles with equal ones stored once."""
    if not len(places):
        return places, np.zeros((0, LANES))
    sizes = places[:, 2] - places[:, 1]
    kept, count, out = [np.zeros((0, LANES))], 0, places.copy()
    for size in np.unique(sizes).tolist():
        members = np.flatnonzero(sizes == size)
        bodies = cells[places[members, 0, None] + np.arange(size)].reshape(len(members), -1) + 0.0  # no negative zeros
        raw = np.ascontiguousarray(bodies).view(np.dtype((np.void, bodies.shape[1] * 8)))[:, 0]
        _, first, which = np.unique(raw, return_index=True, return_inverse=True)
        out[members, 0] = count + size * which
        kept.append(bodies[first].reshape(-1, LANES))
        count += size * len(first)
    return out, np.concatenate(kept)
