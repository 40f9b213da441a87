"""Hands counted by a player's last sequence, added up to all sequences and infosets on their way."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64
from counterplay.treeplex.treeplex import Treeplex

ENOUGH = 10
"""The number of observations of an infoset for full trust in a model there (Johanson and Bowling 2009)."""


def visits(tree: Treeplex, last: F64) -> tuple[F64, F64]:
    """(size,) hands through each sequence, and (lanes,) through each infoset, given the hands (size,) by the player's
    last sequence."""
    seen, counts, before = last.copy(), np.zeros(tree.lanes), tree.arrays.parent
    for offset, width, n, lane, count in tree.arrays.groups[::-1].tolist():
        # A group: (actions, infosets) hands by sequence, from `offset`; infosets are lanes from `lane`.
        here = seen[offset : offset + n * width].reshape(n, width)[:, :count].sum(axis=0)
        counts[lane : lane + count] = here
        np.add.at(seen, before[lane : lane + count], here)
    return seen, counts
