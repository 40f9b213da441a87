"""Checks of a strategy's arrays: probabilities that sum to 1 at every infoset, and counts of at least 0."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.jit import kernel
from counterplay.read_only import read_only
from counterplay.treeplex.treeplex import ACTIONS, COUNT, LANE, OFFSET, PAD, WIDTH, Treeplex

TOLERANCE = 1e-6
"""By how much the sum of an infoset's probabilities may differ from 1."""


def checked_behaviour(tree: Treeplex, values: ArrayLike) -> F64:
    """(size,) read-only, a behaviour of the tree's player.

    Raises:
        InputError: another shape or type, or an invalid infoset, which the message names.
    """
    what = f"the behaviour of player {tree.player}"
    behaviour = read_only(values, what, (tree.size,))
    if behaviour[0] != 1.0:
        raise InputError(f"{what} must begin with 1, the probability of the empty sequence, not {behaviour[0]:g}")
    lane = _faulty_lane(tree.arrays, behaviour, tree.dealt, TOLERANCE)
    if lane >= 0 and tree.lane_sequences[2][lane]:
        labels = tree.labels
        check_row(labels.infosets[labels.lanes.index(lane)], behaviour[tree.sequences_of(lane)])
    if lane >= 0 or behaviour[PAD] != 0.0:
        at = next(at for at in np.flatnonzero(~tree.real).tolist() if behaviour[at] != 0.0)
        raise InputError(f"{what} must be 0 in padding, not {behaviour[at]:g} at index {at}")
    return behaviour


def checked_plan(tree: Treeplex, values: ArrayLike) -> F64:
    """(size,) finite numbers as a plan of the tree's player; they may be negative, as rounding makes them.

    Raises:
        InputError: another shape or type, or a number that is not finite.
    """
    plan: Any = values
    if not (isinstance(plan, np.ndarray) and plan.dtype == np.float64 and plan.shape == (tree.size,)):
        plan = read_only(values, f"the plan of player {tree.player}", (tree.size,))
    if not isfinite(np.add.reduce(plan)):
        raise InputError(f"the plan of player {tree.player} must be finite numbers")
    checked: F64 = plan
    return checked


def checked_counts(tree: Treeplex, values: ArrayLike) -> F64:
    """(lanes,) read-only, the number of observations at each infoset.

    Raises:
        InputError: another shape or type, or a number that is negative or not finite.
    """
    counts = read_only(values, f"the counts of player {tree.player}", (tree.lanes,))
    if not (np.isfinite(counts).all() and (counts >= 0.0).all()):
        raise InputError("counts must be numbers of at least 0")
    return counts


def check_row(infoset: str, numbers: F64) -> None:
    """Reject numbers (actions,) that are no distribution."""
    if not np.isfinite(numbers).all() or (numbers < 0.0).any():
        raise InputError(f"the probabilities at the infoset {quoted(infoset)} must be numbers from 0 to 1")
    if abs(numbers.sum() - 1.0) > TOLERANCE:
        raise InputError(f"the probabilities at the infoset {quoted(infoset)} sum to {numbers.sum():.6g}, not 1")


@kernel
def _faulty_lane(tree: Any, behaviour: Any, dealt: Any, tolerance: Any) -> Any:
    """The first lane whose probabilities are negative, no numbers or do not sum to 1, or a padding lane with one that is not
    0; -1 if there is none. The first `dealt` lanes may have any sum.
    """
    for g in range(len(tree.groups)):
        offset, width, lane = tree.groups[g, OFFSET], tree.groups[g, WIDTH], tree.groups[g, LANE]
        for i in range(width):
            total, sound = 0.0, True
            for a in range(tree.groups[g, ACTIONS]):
                share = behaviour[offset + a * width + i]
                total += share
                sound = sound and share >= 0.0
            due = 1.0 if i < tree.groups[g, COUNT] else 0.0
            if lane + i < dealt and total < inf:
                due = total
            # Written so that NaN is a fault; padding must be 0 exactly.
            if not (sound and abs(total - due) <= tolerance * due):
                return lane + i
    return -1
