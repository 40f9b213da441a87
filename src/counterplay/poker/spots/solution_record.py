"""The record of a solved spot: the spot, its tree, both plans and their facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.spots.spot import Spot


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution:
    """Two strategies of a spot.

    Attributes:
        spot: the spot.
        tree: its public tree.
        plans: those of oop and ip, read branch by branch.
        facts: method, iterations, seconds, exploitability in chips and in per cent of the pot,
            value and EV (see `worth.worth_of`), ...
    """

    spot: Spot
    tree: PublicTree
    plans: SpotPlans
    facts: dict[str, Any]
