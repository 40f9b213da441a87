"""Settings of re-solving a blueprint: gadget, prior, tilt, solver."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.priors import NONE, Prior
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.tremble import Tremble
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver, minimiser
from counterplay.subgames.gadgets import Gadget, Resolving, gadget_of

ITERATIONS = 5000
"""As in Kubíček et al. 2026, table 1, by CFR."""
OPEN = "open: the gain is not unique"
"""The label of SES without tie-breaking."""


@dataclass(frozen=True, eq=False)
class ResolveSettings:
    """The settings of re-solving, for every subgame.

    Attributes:
        gadget: the opponent's entry, also by name.
        prior, epsilon, alpha, normalised: see `Tremble`.
        error: L1 distance of an error added to the estimate, to measure its cost.
        profile: whether alternative values are those of both players' blueprint (Liu et al. 2022), not of a best response.
        solver: `lp`, or a regret minimiser.
        stop: stopping rule of a minimiser; by default `ITERATIONS`.
    """

    gadget: Gadget = Resolving()  # noqa: RUF009 - frozen
    prior: Prior = NONE
    epsilon: float | None = None
    alpha: float = 0.0
    error: float = 0.0
    normalised: bool = False
    profile: bool = False
    solver: Solver = "cfr+"
    stop: Stop = field(default_factory=lambda: Stop(iterations=ITERATIONS))

    def __post_init__(self) -> None:
        object.__setattr__(self, "gadget", gadget_of(self.gadget))
        self.tremble.check(self.gadget)
        if self.error and not self.alpha:
            raise InputError("the error is that of alpha's estimate, and alpha is 0")
        if self.solver != "lp":
            minimiser(self.solver)

    @property
    def trembles(self) -> bool:
        """Whether the opponent errs toward the prior with a probability above 0, not only in the limit."""
        return self.solver != "lp" or bool(self.epsilon)

    @property
    def ties(self) -> str | None:
        """The tie-breaking of SES among optimal plans of a gadget game, whose gains differ. None for other methods."""
        if self.alpha == 0.0:
            return None
        if self.prior != NONE:
            return "toward the prior"
        return "toward the model" if self.solver == "lp" else OPEN

    @property
    def search(self) -> Search:
        """The settings as the search of one subtree."""
        look = LookAhead(Depth(), None, self.gadget, self.prior, self.epsilon, self.normalised)
        return Search(look, 0.0, self.alpha, self.solver, self.stop)

    @property
    def tremble(self) -> Tremble:
        """The opponent's trembles at the gadget's decisions."""
        return Tremble(self.alpha, self.prior, self.epsilon, self.normalised)
