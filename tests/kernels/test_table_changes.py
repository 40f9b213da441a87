"""What a share of the boards changes: the same numbers as by whole arrays, and only of lines that have changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from counterplay.poker.whole_game.blueprints.round_tables import LINE, add_changes, copy_lines, lines_of, take_changes


@given(
    size=st.integers(1, 5 * LINE),
    kind=st.sampled_from([np.float32, np.float64]),
    is_new=st.booleans(),
    among_some=st.booleans(),
    rows=st.sampled_from([1, 3]),
    seed=st.integers(0, 999),
)
def test_changes_are_those_of_whole_arrays(
    size: int, kind: type, is_new: bool, among_some: bool, rows: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    before: Any = np.zeros((rows, size), kind) if is_new else random.normal(size=(rows, size)).astype(kind)
    change = random.normal(size=before.shape) * (random.random(before.shape) < random.choice([0.0, 0.02, 0.5]))
    after = before + change.astype(kind)
    table = after.copy()
    total: Any = random.normal(size=before.shape).astype(kind)
    expected = total + (after - before)
    changed = np.unique(np.flatnonzero(after.reshape(-1) != before.reshape(-1)) // LINE)
    more = np.flatnonzero(random.random(lines_of(table)) < 0.3)
    among = np.union1d(changed, more).astype(np.int32) if among_some else None
    found = take_changes(table, None if is_new else before, among)
    add_changes(total, found)
    np.testing.assert_array_equal(total, expected)
    np.testing.assert_array_equal(table, before if is_new else after)
    np.testing.assert_array_equal(found.places, changed)
    copy_lines(total, found.places, after)
    np.testing.assert_array_equal(total[after != before], after[after != before])
    assert (found.values.size, found.values.dtype) == (LINE * found.places.size, np.dtype(kind))
