"""Utilities of a game: how large they may be, and how close to each other."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.games.game import LARGEST_UTILITY

_LEAST_SPAN = 1e-9
"""Regrets below a thousandth of it count as none."""
_LEAST_SHARE = 1e-7
"""Of the largest utility, what utilities must differ by: linear programs are as exact as that."""


def check_utilities(name: str, utility: F64) -> None:
    """Reject utilities so large or so small that their sums and products overflow or underflow, or that differ by less than
    tolerances.

    Args:
        name: of the game.
        utility: (terminals,) chips of player 0.

    Raises:
        InputError: naming the game and what its utilities are.
    """
    sizes = np.abs(utility)
    most, least = sizes.max(initial=0.0), sizes.min(initial=np.inf, where=sizes > 0.0)
    if not (most < LARGEST_UTILITY and least > 1.0 / LARGEST_UTILITY):
        raise InputError(
            f"{name}: utilities must lie between {1 / LARGEST_UTILITY:g} and {LARGEST_UTILITY:g} in absolute value, or be 0"
        )
    span = float(np.ptp(utility)) if len(utility) else 0.0
    if 0.0 < span < _LEAST_SPAN:
        raise InputError(
            f"{name}: the utilities differ by {span:.3g} at most, which is taken for rounding: use a smaller unit, in which "
            f"they differ by {_LEAST_SPAN:g} or more"
        )
    if 0.0 < span < _LEAST_SHARE * most:
        raise InputError(
            f"{name}: the utilities lie between {utility.min():.12g} and {utility.max():.12g}, where rounding hides their "
            "differences: subtract their middle from all of them"
        )
