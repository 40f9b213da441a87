"""The further measures of a re-solved blueprint: the optimal continuation, the interval of equilibria, the bounds of SES."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.continuation import equilibria, joint_equilibria, least_exploitable, optimal_continuation
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.subgames.plan_store import GamePlans
from counterplay.subgames.subtree import Subtree


def further_measures(
    game: SolvableGame,
    base: Baseline,
    blueprint: BlueprintInputs,
    found: GamePlans,
    firsts: Sequence[Subtree],
    way: ResolveSettings,
    asked: ResolveRequest,
    *,
    joint: bool = False,
) -> dict[str, Any]:
    """Those that were asked for, on the subtrees of the first place."""
    me, seed = blueprint.resolver, asked.seed
    extra: dict[str, Any] = {}
    if asked.continuation:
        best = optimal_continuation(game, blueprint.plans, me, firsts)
        extra["continuation"] = base.shown(base.exploitability(best, me))
    if asked.interval:
        if joint:
            extra["equilibria"] = joint_equilibria(base, blueprint, firsts)
        else:
            extra["equilibria"] = equilibria(game, blueprint, firsts, way, base=base, seed=seed)
    if asked.bounds:
        least = least_exploitable(game, blueprint.plans, me, firsts)
        extra["safety"] = ses_bounds(base, blueprint, found, least, firsts, way, seed)
    return extra


def check_further(name: str, asked: ResolveRequest, *, both: bool, entries: int = 0) -> None:
    """Reject further measures of a game that cannot be taken."""
    if asked.bounds and (asked.model is None or not both):
        raise InputError("the bounds of SES need the opponent's part of the blueprint, and a model")
    if asked.interval and entries > LP_UP_TO:
        raise InputError(f"{name} is too large for the interval, which takes linear programs")


def check_interval(asked: ResolveRequest, way: ResolveSettings, subgames: int) -> None:
    """Reject the interval of several subgames behind a gadget that counts on slack: solutions of all of them that each
    count on the same could together be more exploitable than any that is found."""
    if asked.interval and way.gadget.counts_on_slack and subgames > 1:
        raise InputError(
            f"behind the {way.gadget} gadget the equilibria of a subgame depend on the solutions before it: the interval "
            "is then of one subgame, by 'only'"
        )
