"""The further measures of a re-solved blueprint: the optimal continuation, the interval of equilibria, the bounds of SES."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.continuation import (
    Equilibria,
    continuing_solver,
    equilibria,
    joint_equilibria,
    least_solver,
)
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.plan_store import GamePlans, MeasuredPlans


class JointSolvers(NamedTuple):
    """The solvers of a game from its root, for the optimal continuation and for the least exploitable strategy."""

    continuing: tuple[Solver, Stop]
    least: tuple[Solver, Stop]


def further_measures(
    base: Baseline,
    blueprint: BlueprintInputs[MeasuredPlans],
    found: MeasuredPlans,
    subtrees: Sequence[Any],
    way: ResolveSettings,
    asked: ResolveRequest,
    solvers: JointSolvers,
    interval: Callable[[], Equilibria] | None = None,
) -> dict[str, Any]:
    """The requested measures on the subtrees of the first place. found: the strategies after re-solving. interval: computes
    the interval of equilibria."""
    me, plans = blueprint.resolver, blueprint.plans
    extra: dict[str, Any] = {}
    if asked.continuation:
        best, _ = plans.solved(me, subtrees, *solvers.continuing, beside=True)
        extra["continuation"] = base.shown(base.exploitability(best, me))
    if asked.interval and interval is not None:
        extra["equilibria"] = interval()
    if asked.bounds:
        least, _ = plans.solved(me, subtrees, *solvers.least)
        extra["safety"] = ses_bounds(base, blueprint, found, least, subtrees, way, asked.seed)
    return extra


def measure_in_memory(
    game: SolvableGame,
    base: Baseline,
    blueprint: BlueprintInputs[GamePlans],
    found: GamePlans,
    subtrees: Sequence[Any],
    way: ResolveSettings,
    asked: ResolveRequest,
    *,
    joint: bool = False,
) -> dict[str, Any]:
    """`further_measures` in a game in memory. joint: the subtrees were solved at once, behind the full gadget."""

    def interval() -> Equilibria:
        if joint:
            return joint_equilibria(base, blueprint, subtrees)
        return equilibria(game, blueprint, subtrees, way, base=base, seed=asked.seed)

    solvers = JointSolvers(continuing_solver(game), least_solver(game))
    return further_measures(base, blueprint, found, subtrees, way, asked, solvers, interval)


def check_further(name: str, asked: ResolveRequest, *, both: bool, entries: int = 0) -> None:
    """Reject further measures of a game that cannot be taken.

    Args:
        name: of the game.
        asked: the measures; the bounds of SES need its model.
        both: whether the opponent's part of the blueprint is known.
        entries: payoff entries of a game whose linear program may be too large.
    """
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
