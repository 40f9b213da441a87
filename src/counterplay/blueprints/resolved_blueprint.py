"""A blueprint before and after its subgames are re-solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from counterplay.blueprints.settings import ResolveSettings
from counterplay.lookahead.resolver import Knowledge
from counterplay.problem.subgame import Subgame
from counterplay.subgames.plan_store import ArrayPlans, GamePlans, MeasuredPlans
from counterplay.treeplex.strategy import Strategy

Plans = TypeVar("Plans", bound=MeasuredPlans, covariant=True)


@dataclass(frozen=True, eq=False)
class BlueprintInputs(Generic[Plans]):
    """The blueprint to re-solve: both parts as far as they are known, the resolver, and the opponent's model for SES."""

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
        """The inputs of re-solving a subtree."""
        return Knowledge(self.plans, self.model, way.profile, way.error, draw)


@dataclass(frozen=True, eq=False)
class ResolvedBlueprint(Generic[Plans]):
    """A blueprint with re-solved subgames; Ctrl-C leaves those not reached as they were.

    skipped: number of subgames that the resolver's blueprint never reaches, or the opponent's if a range is needed. gap:
    the largest NashConv of a solution in its gadget game, in chips of the whole game.
    """

    plans: Plans
    resolver: int
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False

    @property
    def strategy(self) -> Strategy:
        strategy: Strategy = self.plans.strategy(self.resolver)
        return strategy
