"""A blueprint before and after its subgames are re-solved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from counterplay.errors import InputError
from counterplay.gadgets import Gadget, Resolving
from counterplay.lookahead.resolver import Knowledge
from counterplay.lookahead.search import LookAhead, Search
from counterplay.lookahead.tremble import NONE
from counterplay.problem.solvable_game import SolvableGame
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.plan_store import ArrayPlans, GamePlans, MeasuredPlans
from counterplay.treeplex.strategy import Strategy

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
    """The settings of re-solving, for every subgame. error: L1 distance of an error added to the estimate. profile:
    whether alternative values are those of both players' blueprint (Liu et al. 2022), not of a best response."""

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

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "gadget": str(self.gadget), "prior": self.look.prior_name, "epsilon": self.look.epsilon, "alpha": self.alpha,
            "error": self.error, "normalised": self.search.tremble.normalised,
            "variant": OF_BLUEPRINT if self.alpha else None,
            "values": PROFILE if self.profile else BEST_RESPONSE, "solver": str(self.solver), "ties": self.ties,
        }  # fmt: skip

    @property
    def trembles(self) -> bool:
        """Return whether the opponent errs toward the prior with a probability above 0, not only in the limit."""
        return self.solver != "lp" or bool(self.look.epsilon)

    @property
    def ties(self) -> str | None:
        """The tie-breaking of SES among optimal plans of a gadget game, whose gains differ. None for other methods."""
        if self.alpha == 0.0:
            return None
        if self.look.prior != NONE:
            return "toward the prior"
        return "toward the model" if self.solver == "lp" else OPEN


Plans = TypeVar("Plans", bound=MeasuredPlans, covariant=True)


@dataclass(frozen=True, eq=False)
class BlueprintInputs(Generic[Plans]):
    """The blueprint to re-solve: both parts as far as they are known, the resolver, and the opponent's model for
    SES."""

    plans: Plans
    resolver: int
    model: Plans | None = None

    @staticmethod
    def of(
        subgame: Subgame, mine: Strategy, theirs: Strategy | None = None, model: Strategy | None = None
    ) -> BlueprintInputs[GamePlans]:
        modelled = None if model is None else ArrayPlans.of(subgame, model)
        return BlueprintInputs(ArrayPlans.of(subgame, mine, theirs), mine.player, modelled)

    @property
    def opponent(self) -> int:
        return 1 - self.resolver

    def knowledge(
        self: BlueprintInputs[GamePlans], way: ResolveSettings, draw: np.random.Generator | None = None
    ) -> Knowledge:
        return Knowledge(self.plans, self.model, way.profile, way.error, draw)


@dataclass(frozen=True, eq=False)
class ResolvedBlueprint(Generic[Plans]):
    """A blueprint with re-solved subgames; Ctrl-C leaves those not reached as they were. skipped: number of subgames
    that the blueprint never reaches. gap: the largest NashConv of a solution in its gadget game, in chips of the whole
    game."""

    plans: Plans
    resolver: int
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False

    @property
    def strategy(self) -> Strategy:
        return self.plans.strategy(self.resolver)  # type: ignore[no-any-return]


NOTE = (
    "The value of this game is not known: in its place stands what both parts of the blueprint win from each other, and "
    "exploitability is counted from that. Values before and after are against the model."
)


@dataclass(frozen=True)
class Baseline:
    """A value of a game for player 0, in chips. error: by how much the value of either player may be larger, where the
    game is not solved exactly. known: whether it is the value of the game, not what both parts of the blueprint win
    from each other."""

    name: str
    value: float
    known: bool = True
    error: float = 0.0

    @staticmethod
    def of(game: SolvableGame) -> Baseline:
        """The value of a game in memory."""
        found = equilibrium_of(game)
        return Baseline(game.name, found.value, error=0.0 if found.method == "lp" else found.exploitability)

    @property
    def note(self) -> str | None:
        return None if self.known else NOTE

    def of_player(self, player: int) -> float:
        """The value for a player, in chips; an upper bound."""
        return (self.value if player == 0 else -self.value) + self.error

    def exploitability(self, plans: MeasuredPlans, player: int) -> float:
        """Gain of a best response to a player's plan beyond the value, in chips; below 0 by rounding."""
        return self.of_player(player) + plans.best_value(1 - player)

    def shown(self, exploitability: float) -> float:
        """An exploitability without rounding below 0."""
        return max(0.0, exploitability) if self.known else exploitability


def exploitability(game: SolvableGame, strategy: Strategy) -> float:
    """The exploitability of a strategy, in chips."""
    return Baseline.of(game).exploitability(ArrayPlans.of(game.subgame, strategy), strategy.player)
