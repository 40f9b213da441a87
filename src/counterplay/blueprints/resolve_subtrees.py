"""Re-solving a blueprint: subtrees of any game are solved again behind a gadget, and put into one strategy."""

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
from counterplay.subgames.plan_store import ArrayPlans
from counterplay.subgames.subtree import Subtree
from counterplay.treeplex.strategy import Strategy

Watch = Callable[[int, int], None]
"""Called with how many subgames are solved, and how many there are."""


@dataclass(frozen=True, eq=False)
class ResolvedBlueprint:
    """A blueprint with subgames solved again.

    Attributes:
        strategy: the whole strategy.
        other: what the opponent's part of it has become, where it is known.
        states: how many subgames were solved.
        skipped: how many the resolver's blueprint never comes to, or the opponent's where a range is needed.
        gap: the largest NashConv of a solution in its gadget game, in chips of the whole game.
        seconds: wall clock.
        interrupted: whether Ctrl-C ended it early; the subgames not reached are as in the blueprint.
    """

    strategy: Strategy
    other: Strategy | None
    states: int
    skipped: int
    gap: float
    seconds: float
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class BlueprintInputs:
    """What is solved again.

    Attributes:
        subgame: the whole game as one problem.
        mine, theirs: the resolver's part and the opponent's; None where that is not known.
        model: the opponent's modelled strategy, for SES.
    """

    subgame: Subgame
    mine: Strategy
    theirs: Strategy | None = None
    model: Strategy | None = None

    @property
    def plans(self) -> ArrayPlans:
        """Both parts, to be asked branch by branch."""
        return ArrayPlans.of(self.subgame, self.mine, self.theirs)

    def knowledge(self, way: ResolveSettings, draw: np.random.Generator | None = None) -> Knowledge:
        """What a subtree is solved again with."""
        model = None if self.model is None else ArrayPlans.of(self.subgame, self.model)
        return Knowledge(self.plans, model, way.profile, way.error, draw)


def resolve_subtrees(
    subtrees: Iterable[Subtree | None],
    blueprint: BlueprintInputs,
    way: ResolveSettings,
    *,
    nested: bool = False,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> ResolvedBlueprint:
    """Solve subtrees again, one after the other.

    Args:
        subtrees: where; None where nobody can be.
        blueprint: what is known; the opponent's part is needed for the unsafe gadget, the prior `blueprint` and
            `way.profile`, the model where `way.alpha` is above 0.
        way: how.
        nested: some are inside earlier ones, and solved within what those left.
        seed: of the errors of the estimate.
        watch: called with how many are solved.

    Raises:
        InputError: something is missing that the way needs, or the blueprint comes to none of them.
    """
    begin, me = run_time(), blueprint.mine.player
    check_given(way, blueprint)
    if isinstance(way.prior, Mapping):
        subtrees = list(subtrees)
        check_used(way.prior, [one for one in subtrees if one is not None])
    known = blueprint.knowledge(way, np.random.default_rng(seed))
    now = ResolvedBlueprint(blueprint.mine, blueprint.theirs, 0, 0, 0.0, 0.0)
    try:
        for number, subtree in enumerate(subtrees):
            if nested:
                known = replace(known, plans=replace(blueprint, mine=now.strategy, theirs=now.other).plans)
            found = resolve_subtree(subtree, way.search, known)
            if found is None:
                now = replace(now, skipped=now.skipped + 1)
            else:
                mine, theirs = now.strategy, now.other
                now = replace(
                    now,
                    strategy=Strategy(mine.tree, found.splice(me, mine.behaviour), mine.facts),
                    other=theirs and Strategy(theirs.tree, found.splice(1 - me, theirs.behaviour)),
                    states=now.states + 1,
                    gap=max(now.gap, found.gap),
                    interrupted=found.interrupted,
                )
                if found.interrupted:
                    break
            if watch:
                watch(number + 1)
    except KeyboardInterrupt:
        now = replace(now, interrupted=True)
    if not now.states and not now.interrupted:
        raise InputError("the blueprint never comes to the subgames that are to be solved again")
    return replace(now, seconds=run_time() - begin)


def check_given(way: ResolveSettings, blueprint: BlueprintInputs) -> None:
    """Refuse a way that needs what is not known.

    Raises:
        InputError: naming it.
    """
    for needed, what in (
        (way.gadget.fixes_range, f"the {way.gadget} gadget"),
        (way.prior == BLUEPRINT, "the prior 'blueprint'"),
        (way.profile, "values of the blueprint profile"),
    ):
        if needed and blueprint.theirs is None:
            raise InputError(f"{what} needs the opponent's part of the blueprint")
    if way.alpha > 0.0 and blueprint.model is None:
        raise InputError("alpha needs a model of the opponent")
