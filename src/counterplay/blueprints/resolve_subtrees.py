"""Re-solving a blueprint: subtrees of any game are re-solved with a gadget and spliced into one strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.priors import BLUEPRINT, check_used
from counterplay.lookahead.resolver import Knowledge, resolve_subtree
from counterplay.problem.subgame import Subgame
from counterplay.subgames.plan_store import ArrayPlans, GamePlans
from counterplay.subgames.subtree import Subtree
from counterplay.treeplex.strategy import Strategy

Watch = Callable[[int, int], None]
"""Called with the number of solved subgames, and their total."""


@dataclass(frozen=True, eq=False)
class ResolvedBlueprint:
    """A blueprint with re-solved subgames.

    Attributes:
        plans: of both players, the opponent's where it is known.
        resolver: who solved them again.
        states: number of re-solved subgames.
        skipped: number of subgames that the resolver's blueprint never reaches, or the opponent's if a range is needed.
        gap: the largest NashConv of a solution in its gadget game, in chips of the whole game.
        seconds: wall-clock time.
        interrupted: whether Ctrl-C ended it early; the subgames not reached are as in the blueprint.
    """

    plans: GamePlans
    resolver: int
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False

    @property
    def strategy(self) -> Strategy:
        """The resolver's whole strategy."""
        return self.plans.strategy(self.resolver)


@dataclass(frozen=True, eq=False)
class BlueprintInputs:
    """The blueprint to re-solve.

    Attributes:
        plans: the resolver's part, and the opponent's where that is known.
        resolver: 0 or 1.
        model: the opponent's modelled strategy, for SES.
    """

    plans: GamePlans
    resolver: int
    model: GamePlans | None = None

    @staticmethod
    def of(
        subgame: Subgame, mine: Strategy, theirs: Strategy | None = None, model: Strategy | None = None
    ) -> BlueprintInputs:
        """From strategies of a whole game in memory."""
        modelled = None if model is None else ArrayPlans.of(subgame, model)
        return BlueprintInputs(ArrayPlans.of(subgame, mine, theirs), mine.player, modelled)

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver

    def knowledge(self, way: ResolveSettings, draw: np.random.Generator | None = None) -> Knowledge:
        """The inputs of re-solving a subtree."""
        return Knowledge(self.plans, self.model, way.profile, way.error, draw)


def resolve_subtrees(
    subtrees: Iterable[Subtree | None],
    blueprint: BlueprintInputs,
    way: ResolveSettings,
    *,
    nested: bool = False,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> ResolvedBlueprint:
    """Re-solve subtrees one by one.

    Args:
        subtrees: the subtrees; None for one that cannot be reached.
        blueprint: the known parts; the opponent's is needed for the unsafe gadget, the prior `blueprint` and
            `way.profile`, the model if `way.alpha` is above 0.
        way: the settings.
        nested: some are inside earlier ones, and re-solved within their results.
        seed: seed of the estimate's errors.
        watch: called with the number of solved subtrees.

    Raises:
        InputError: a missing input, or the blueprint reaches none of the subtrees.
    """
    begin = run_time()
    check_given(way, blueprint)
    if isinstance(way.look.prior, Mapping):
        subtrees = list(subtrees)
        check_used(way.look.prior, [one for one in subtrees if one is not None])
    known = blueprint.knowledge(way, np.random.default_rng(seed))
    now = ResolvedBlueprint(blueprint.plans, blueprint.resolver, 0, 0, 0.0, 0.0)
    try:
        for number, subtree in enumerate(subtrees):
            if nested:
                known = replace(known, plans=now.plans)
            found = resolve_subtree(subtree, way.search, known)
            if found is None:
                now = replace(now, skipped=now.skipped + 1)
            else:
                plans = now.plans
                for player in filter(plans.knows, (0, 1)):
                    plans = found.put_into(plans, player)
                gap, states = max(now.gap, found.gap), now.states + 1
                now = replace(now, plans=plans, states=states, gap=gap, interrupted=found.interrupted)
                if found.interrupted:
                    break
            if watch:
                watch(number + 1)
    except KeyboardInterrupt:
        now = replace(now, interrupted=True)
    if not now.states and not now.interrupted:
        raise InputError("the blueprint never reaches the subgames to re-solve")
    return replace(now, seconds=run_time() - begin)


def check_given(way: ResolveSettings, blueprint: BlueprintInputs) -> None:
    """Reject settings that need an unknown part.

    Raises:
        InputError: the message names it.
    """
    for needed, what in (
        (way.gadget.fixes_range, f"the {way.gadget} gadget"),
        (way.look.prior == BLUEPRINT, "the prior 'blueprint'"),
        (way.profile, "values of the blueprint profile"),
    ):
        if needed and not blueprint.plans.knows(blueprint.opponent):
            raise InputError(f"{what} needs the opponent's part of the blueprint")
    if way.alpha > 0.0 and blueprint.model is None:
        raise InputError("alpha needs a model of the opponent")
