"""Settings of re-solving a blueprint: gadget, prior, tilt, solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from counterplay.errors import InputError
from counterplay.gadgets import Gadget, Resolving
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.tremble import NONE
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver

OF_BLUEPRINT = "of a blueprint: its subgames solved again"
"""SES as Liu et al. 2022 have it, beside the continual method `ses` of `respond`."""
ITERATIONS = 5000
"""As in Kubíček et al. 2026, table 1, by CFR."""
PROFILE, BEST_RESPONSE = VALUES = ("profile", "best-response")
"""Where alternative values come from: what both parts of the blueprint do, or a best response to one."""
OPEN = "open: the gain is not unique"
"""The label of SES without tie-breaking."""


@dataclass(frozen=True, eq=False)
class ResolveSettings:
    """The settings of re-solving, for every subgame.

    error: L1 distance of an error added to the estimate, to measure its cost. profile: whether alternative values are
    those of both players' blueprint (Liu et al. 2022), not of a best response. search: the settings as the search of one
    subtree.
    """

    look: LookAhead = LookAhead()  # noqa: RUF009 - frozen
    alpha: float = 0.0
    error: float = 0.0
    profile: bool = False
    solver: Solver = "cfr+"
    stop: Stop = field(default_factory=lambda: Stop(iterations=ITERATIONS))
    search: Search = field(init=False)

    def __post_init__(self) -> None:
        if self.look.gadget is None:
            object.__setattr__(self, "look", replace(self.look, gadget=Resolving()))
        object.__setattr__(self, "search", Search(self.look, 0.0, self.alpha, self.solver, self.stop))
        if self.error and not self.alpha:
            raise InputError("the error is that of alpha's estimate, and alpha is 0")

    @property
    def gadget(self) -> Gadget:
        return self.search.gadget

    def facts(self) -> dict[str, Any]:
        return {
            "gadget": str(self.gadget), "prior": self.look.prior_name, "epsilon": self.look.epsilon, "alpha": self.alpha,
            "error": self.error, "normalised": self.search.tremble.normalised,
            "variant": OF_BLUEPRINT if self.alpha else None,
            "values": PROFILE if self.profile else BEST_RESPONSE, "solver": str(self.solver), "ties": self.ties,
        }  # fmt: skip

    @property
    def trembles(self) -> bool:
        """Whether the opponent errs toward the prior with a probability above 0, not only in the limit."""
        return self.solver != "lp" or bool(self.look.epsilon)

    @property
    def ties(self) -> str | None:
        """The tie-breaking of SES among optimal plans of a gadget game, whose gains differ. None for other methods."""
        if self.alpha == 0.0:
            return None
        if self.look.prior != NONE:
            return "toward the prior"
        return "toward the model" if self.solver == "lp" else OPEN
