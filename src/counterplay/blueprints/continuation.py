"""Further measures of a re-solved blueprint: the optimal continuation, the interval of equilibria, the bounds of SES."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.resolve_request import ResolveRequest
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.ses_bounds import ses_bounds
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError
from counterplay.lookahead.resolver import Knowledge, enter
from counterplay.lookahead.tremble import NONE
from counterplay.poker.spots.spot_game import StoredSpotGame
from counterplay.problem.solvable_game import SolvableGame, by_kind
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO
from counterplay.solvers.lp import FixedInfosets, GadgetOpponent, SequenceFormLP, payoff_entries, solve_lp
from counterplay.solvers.minimiser import Solver
from counterplay.solvers.refined_equilibrium import Refinement, least_worth
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import GamePlans, MeasuredPlans, lanes_inside
from counterplay.subgames.subtree import Subtree

_FINE = 1e-6
"""Share of the largest payoff to which an optimal continuation too large for the linear program is solved."""


def optimal_continuation(game: SolvableGame, plans: GamePlans, player: int, pieces: Sequence[Subtree]) -> GamePlans:
    """The least exploitable strategy among those that play the blueprint at every infoset before a subgame (Kubíček et
    al. 2026, definition 3). By linear program, or in large games to a millionth of the largest payoff."""
    return plans.solved(player, pieces, *joint_solvers(game).continuing, beside=True)[0]


class JointSolvers(NamedTuple):
    """The solvers of a game from its root around decisions that stand: for the optimal continuation, and for the least
    exploitable strategy among those that play the blueprint outside the subgames."""

    continuing: tuple[Solver, Stop]
    least: tuple[Solver, Stop]


def joint_solvers(game: SolvableGame) -> JointSolvers:
    """Those of a game in memory: the linear program, for the optimal continuation of a large game a minimiser."""
    return by_kind(JOINT_SOLVERS, game, _usual_solvers)(game)


def _usual_solvers(game: SolvableGame) -> JointSolvers:
    leaves = game.subgame.leaves
    continuing = "lp" if leaves.entries <= LP_UP_TO else "auto", Stop(exploitability=_FINE * leaves.largest)
    return JointSolvers(continuing, ("lp", Stop(exploitability=0.0)))


def _stored_solvers(game: StoredSpotGame) -> JointSolvers:
    """As exactly as its equilibrium."""
    solver = game.solver, Stop(exploitability=game.fine)
    return JointSolvers(solver, solver)


JOINT_SOLVERS: dict[type, Callable[[Any], JointSolvers]] = {StoredSpotGame: _stored_solvers}
"""By kind of game."""


@dataclass(frozen=True)
class Equilibria:
    """The exploitability of gadget-game equilibria once they are spliced into the blueprint, in chips.

    Attributes:
        best: the least exploitable choice of equilibria.
        worst: the most exploitable choice found.
        bound: upper bound over all choices; equal to `worst` if that is exact.
    """

    best: float
    worst: float
    bound: float


def equilibria(
    game: SolvableGame,
    blueprint: BlueprintInputs[GamePlans],
    pieces: Sequence[Subtree],
    way: ResolveSettings,
    *,
    base: Baseline | None = None,
    seconds: float = 60.0,
    seed: int = 0,
) -> Equilibria:
    """The interval of exploitabilities over all equilibria of the gadget games at once.

    With a prior these are the refined ones: best against an opponent who follows it, among all that attain the value;
    or, with an epsilon above 0, the equilibria of the games with that tremble. Without a prior, in the resolving
    gadget, the blueprint itself is an equilibrium and none is worse, so that the worst needs no search; otherwise it is
    found by a mixed-integer program or, if that fails, by local search.

    Args:
        game: compiled, or a spot; small enough for the linear program.
        blueprint: both parts as far as needed, and the model.
        pieces: the subgames, from `cut`, none inside another.
        way: the gadget, how alternative values are taken, the prior.
        base: the value that exploitability is counted from; by default that of the game.
        seconds: time limit of the mixed-integer program.
        seed: seed of the estimate's errors, as for `resolve_subtrees`.
    """
    me, base = blueprint.resolver, base or Baseline.of(game)
    own = base.of_player(me)
    known = blueprint.knowledge(way, np.random.default_rng(seed))
    games = [(piece, enter(piece, way.search, known)) for piece in pieces]
    entered = [(piece, problem) for piece, problem in games if problem is not None]
    kept = [one for piece, problem in entered for one in _kept(problem, piece, way, known)]
    also, floors = [one.faced for one in kept], [one.floor for one in kept]
    standing = ~lanes_inside(game.trees[me], [piece for piece, _ in entered])
    fixed = FixedInfosets(standing, blueprint.plans.strategy(me).behaviour)
    program = SequenceFormLP(game.subgame, me, None, fixed, also)
    best = program.maximise(None, [1.0] + [0.0] * len(also), [-np.inf, *floors])
    least = own - best.guarantees[0]
    safe = way.gadget.never_worse and not way.profile and not way.alpha
    refined = way.look.prior != NONE
    ceiling = base.exploitability(blueprint.plans, me) if safe and not (refined and way.trembles) else np.inf
    if way.gadget.admits_blueprint and safe and not refined:
        return Equilibria(least, ceiling, ceiling)
    found = least_worth(game.subgame, me, fixed, also, floors, seconds)
    worth = min(_downhill(game, program, plan, floors, me) for plan in (best.plan, found.plan))
    return Equilibria(least, own - worth, max(own - worth, min(own - found.bound, ceiling)))


def joint_equilibria(base: Baseline, blueprint: BlueprintInputs[GamePlans], pieces: Sequence[Subtree]) -> Equilibria:
    """The interval behind the full gadget: that game is the whole game, whose equilibria are all as exploitable."""
    me = blueprint.resolver
    found = blueprint.plans.solved(me, pieces, "lp", Stop())[0]
    least = base.exploitability(found, me)
    return Equilibria(least, least, least)


class _Kept(NamedTuple):
    """An opponent of a gadget game, and the least value of an equilibrium against them; chips of the resolver there."""

    faced: GadgetOpponent
    floor: float


def _kept(problem: GadgetGame, piece: Subtree, way: ResolveSettings, known: Knowledge) -> list[_Kept]:
    """Conditions for an equilibrium of a gadget game: the value and, with a prior, the best value against it."""
    other = piece.opponent
    plan = known.plans.reach(other) if known.plans.knows(other) else None
    problem, toward = way.search.tremble.refined(problem, piece, plan, way.solver)
    floors = [_Kept(_faced(problem, piece), _value(problem))]
    if toward is not None:
        refinement = Refinement(problem.subgame, toward, piece.resolver)
        faced = replace(floors[0].faced, restriction=toward)
        floors.append(_Kept(faced, refinement.against_prior() - refinement.rounding))
    return floors


def _downhill(game: SolvableGame, program: SequenceFormLP, plan: F64, floors: list[float], me: int) -> float:
    """The value of a plan against its best response at a local minimum: no change of one of the two lowers it."""
    lowest = np.inf
    while True:
        answer = best_response(game.subgame, 1 - me, plan)
        if -answer.value >= lowest - 1e-9 * game.span:
            return float(min(lowest, -answer.value))
        lowest = -answer.value
        against = game.subgame.leaves.product(me, played_plan(game.subgame, 1 - me, answer.behaviour))
        plan = program.maximise(-against, [0.0] * (1 + len(floors)), [-np.inf, *floors]).plan


def _value(problem: GadgetGame) -> float:
    """The value of a gadget game in chips of the resolver, less the tolerance of the linear program."""
    me = problem.resolver
    solution = solve_lp(problem.subgame, me)
    return (solution.value if me == 0 else -solution.value) - 1e-9 * problem.subgame.leaves.largest


def _faced(problem: GadgetGame, piece: Subtree) -> GadgetOpponent:
    """The opponent of a gadget game, for measuring a plan of the whole game."""
    me, them = piece.resolver, piece.opponent
    first, second, chips = payoff_entries(problem.subgame, me)
    place = np.zeros(problem.subgame.trees[me].size, np.int64)
    inner, outer = problem.pairs(me)
    place[inner] = outer
    place[problem.choices[me]] = piece.tops(me)
    chips = np.where(first == 0, chips, chips * problem.share)  # the constants stand at the empty sequence
    return GadgetOpponent(
        problem.subgame.trees[them], problem.subgame.restrictions[them], (place[first], second, chips)
    )


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

    return further_measures(base, blueprint, found, subtrees, way, asked, joint_solvers(game), interval)


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
