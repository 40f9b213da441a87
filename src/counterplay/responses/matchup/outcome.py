"""What a method finds: a plan, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.arrays import F64


@dataclass(frozen=True, eq=False)
class Outcome:
    """plan: (size,) the responder's plan; in a whole game of hold'em a strategy. gap: distance from the optimum of the
    objective, in chips. interrupted: whether Ctrl-C stopped it. solver: its solver. behaviour: (size,) the behaviour,
    also where the plan has no reach; None if unspecified. iterations: of a sampled solve; None of others. cut: the limit
    that ended a sampled solve before its iterations, "seconds" or "Ctrl-C"; None if none did.
    """

    plan: Any
    gap: float = 0.0
    interrupted: bool = False
    solver: str = "lp"
    behaviour: F64 | None = None
    iterations: int | None = None
    cut: str | None = None
