"""Limits of re-solving a blueprint: the optimal continuation, and the best and worst gadget equilibria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.resolved_blueprint import BlueprintInputs
from counterplay.blueprints.settings import ResolveSettings
from counterplay.lookahead.priors import NONE
from counterplay.lookahead.resolver import Knowledge, enter
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.problem.solvable_game import SolvableGame
from counterplay.solvers.best_response import best_response, played_plan
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO, solve_lp
from counterplay.solvers.lp import FixedInfosets, GadgetOpponent, SequenceFormLP, payoff_entries
from counterplay.solvers.minimiser import Solver
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.solvers.worst_equilibrium import least_worth
from counterplay.subgames.branch_lanes import lanes_inside
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import GamePlans
from counterplay.subgames.subtree import Subtree

_FINE = 1e-6
"""Share of the largest payoff to which an optimal continuation too large for the linear program is solved."""


def optimal_continuation(game: SolvableGame, plans: GamePlans, player: int, pieces: Sequence[Subtree]) -> GamePlans:
    """The least exploitable strategy among those that play the blueprint at every infoset before a subgame (Kubíček et
    al. 2026, definition 3). By linear program, or in large games to a millionth of the largest payoff."""
    return plans.solved(player, pieces, *continuing_solver(game), beside=True)[0]


def continuing_solver(game: SolvableGame) -> tuple[Solver, Stop]:
    """The solver of optimal continuations: the linear program, in large games a minimiser; a large spot is solved as exactly
    as its equilibrium."""
    if isinstance(game, StoredSpotGame):
        return game.solver, Stop(exploitability=game.fine)
    leaves = game.subgame.leaves
    return "lp" if leaves.entries <= LP_UP_TO else "auto", Stop(exploitability=_FINE * leaves.largest)


def least_solver(game: SolvableGame) -> tuple[Solver, Stop]:
    """The solver of the least exploitable strategy among those that play the blueprint outside the subgames."""
    return continuing_solver(game) if isinstance(game, StoredSpotGame) else ("lp", Stop(exploitability=0.0))


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
    """The interval of subgames that are solved at once behind the full gadget: that game is the whole game, so that all its
    equilibria are as exploitable as the least."""
    me = blueprint.resolver
    found = blueprint.plans.solved(me, pieces, "lp", Stop())[0]
    least = base.exploitability(found, me)
    return Equilibria(least, least, least)


class _Kept(NamedTuple):
    """An opponent of a gadget game, and the least value of an equilibrium against them: chips of the resolver in that
    game.
    """

    faced: GadgetOpponent
    floor: float


def _kept(problem: GadgetGame, piece: Subtree, way: ResolveSettings, known: Knowledge) -> list[_Kept]:
    """The conditions for a plan to be an equilibrium of a gadget game: the value and, with a prior, the best value
    against it."""
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
