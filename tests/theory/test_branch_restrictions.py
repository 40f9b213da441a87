"""A restriction read branch by branch is the one of whole arrays; restrictions compose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import counterplay as cp
from counterplay import InputError
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust, Restriction
from counterplay.treeplex.sweeps import behaviour_of, reach
from counterplay.treeplex.treeplex import Treeplex

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


@given(st.data(), st.integers(0, 1))
def test_a_restriction_within_another_binds_what_the_other_leaves_free(data: st.DataObject, player: int) -> None:
    """Played by both is what the outer one makes of what the inner one makes of the free choice; with a plan, too."""
    tree = cp.load("kuhn").trees[player]
    draw = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    inner, outer = (Restriction.local(tree, _drawn(tree, draw), draw.random(tree.lanes)) for _ in range(2))
    free = _drawn(tree, draw)
    both = outer.behaviour(tree, inner.behaviour(tree, free))
    np.testing.assert_allclose(inner.within(tree, outer).behaviour(tree, free), both, atol=1e-12)
    p, model = 0.3, reach(tree, _drawn(tree, draw))
    played = Restriction(p, model, inner.keep, inner.mix).within(tree, outer).played(tree, free)
    np.testing.assert_allclose(played, p * model + (1.0 - p) * reach(tree, both), atol=1e-12)
    assert inner.within(tree, Restriction()) is inner


def _drawn(tree: Treeplex, draw: np.random.Generator) -> NDArray[np.float64]:
    """A random behaviour."""
    return behaviour_of(tree, reach(tree, draw.random(tree.size)))
