"""The layout of a payoff as tiles: nothing is lost, nothing stands twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from counterplay.leaves.product import tiles_of
from counterplay.treeplex.treeplex import LANES


@given(st.integers(0, 2**32 - 1))
def test_tiles_and_the_rest_are_the_matrix(seed: int) -> None:
    """Rows of eight that resemble one another, empty ones, and payoffs of few kinds, so that some tiles are equal."""
    rng = np.random.default_rng(seed)
    there = np.repeat(rng.random((int(rng.integers(1, 8)), 20)) < rng.random(), int(rng.integers(1, 10)), axis=0)
    there &= rng.random(there.shape) < 0.95
    matrix = np.where(there, rng.choice([-1.0, 1.0, 2.0], (1, 20)), 0.0)
    row, column = there.nonzero()
    start = np.searchsorted(row, np.arange(len(matrix) + 1))
    tiles = tiles_of(start, column.astype(np.int32), matrix[row, column])

    ends, found = [*tiles.runs[1:, 0].tolist(), len(matrix)], np.zeros((len(matrix) + LANES, 20))
    begin = 0
    for (first, stop), last in zip(tiles.runs.tolist(), ends, strict=True):
        assert 0 < last - first <= LANES
        for number, left, right in tiles.places[begin:stop].tolist():
            found[first : first + LANES, left:right] += tiles.cells[number : number + right - left].T
        begin = stop
    assert tiles.runs[0, 0] == 0
    assert begin == len(tiles.places)
    found[row[tiles.rest], column[tiles.rest]] += matrix[row, column][tiles.rest]
    np.testing.assert_array_equal(found[: len(matrix)], matrix)

    kinds = {(number, right - left) for number, left, right in tiles.places.tolist()}
    texts = {tiles.cells[number : number + size].tobytes() for number, size in kinds}
    columns = sum(right - left for _, left, right in tiles.places.tolist())
    assert len(texts) == len(kinds)
    assert sum(size for _, size in kinds) == len(tiles.cells)
    assert tiles.pay == (2 * len(tiles.cells) <= columns)
