"""The record of a solved spot: the question, its tree, both plans and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.spot import Spot
from counterplay.treeplex.sweeps import behaviour_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution:
    """Two strategies of a spot.

    Attributes:
        spot: the question.
        tree: its public tree.
        plans: of oop and ip.
        facts: method, iterations, seconds, exploitability in chips and in per cent of the pot, ...
    """

    spot: Spot
    tree: PublicTree
    plans: tuple[Floats, Floats]
    facts: dict[str, Any]

    @cached_property
    def behaviours(self) -> tuple[Floats, Floats]:
        """Two (size,): what both do, also where their plans do not come."""
        first, second = (behaviour_of(runs.tree, plan) for runs, plan in zip(self.tree.runs, self.plans, strict=True))
        return first, second
