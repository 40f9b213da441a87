"""A restriction read branch by branch is the one of whole arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.errors import InputError
from counterplay.treeplex.branch_restriction import BranchRestriction, LaneTrust

SHARES = st.floats(0.0, 1.0)
CHANGES = st.lists(st.lists(st.tuples(st.integers(0, 30), SHARES), max_size=6), max_size=4)


@given(CHANGES, SHARES, st.integers(0, 30), st.integers(0, 30))
def test_trust_by_infoset_is_that_of_an_array(
    changes: list[list[tuple[int, float]]], elsewhere: float, one: int, other: int
) -> None:
    """The last change counts; a row of infosets has its trust, or none."""
    wanted, found = np.full(31, elsewhere), LaneTrust(elsewhere=elsewhere)
    for change in changes:
        lanes, trust = np.array([lane for lane, _ in change], np.int64), np.array([share for _, share in change])
        found = found.put(lanes, trust)
        for lane, share in change:
            wanted[lane] = share
    np.testing.assert_array_equal(found[np.arange(31)], wanted)
    parts = [LaneTrust(), *(LaneTrust(found.lanes[k], found.trust[k]) for k in (slice(2, None), slice(0, 2)))]
    both = LaneTrust.joined(parts)
    np.testing.assert_array_equal(both.lanes, found.lanes)
    np.testing.assert_array_equal(both.trust, found.trust)
    assert found.free(31) == (wanted < 1.0).sum()
    first, end = sorted((one, other))
    row = found.span(first, end)
    np.testing.assert_array_equal(np.zeros(end - first) if row is None else row, wanted[first:end])
    assert row is not None or not wanted[first:end].any()


def test_what_is_no_restriction_is_refused() -> None:
    with pytest.raises(InputError, match="trust must be between 0 and 1"):
        LaneTrust().put(np.arange(2), 1.5)
    with pytest.raises(InputError, match="trust by infoset, or p above 0"):
        BranchRestriction(np.ones(3))
