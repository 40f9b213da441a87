"""One subgame of a blueprint behind its gadget: the problem, its solution, and the solution put into the blueprint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.settings import ResolveSettings
from counterplay.lookahead.alternative_values import gifts
from counterplay.lookahead.priors import corrupt_estimate, shares
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Solution, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.solvers.ties import solve_toward
from counterplay.subgames.cut import Cut
from counterplay.subgames.entry import even, open_entry
from counterplay.subgames.gadget_entry import build_gadget_game, cfvs_at_top
from counterplay.subgames.gadget_game import CutGame
from counterplay.subgames.gadgets.full import full_entry
from counterplay.subgames.gadgets.max_margin import max_margin_entry
from counterplay.subgames.gadgets.resolving import resolving_entry
from counterplay.subgames.gadgets.unsafe import unsafe_entry
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

Floats = NDArray[np.float64]
_FOREVER = 1 << 60


def in_reach(piece: Cut, blueprint: Strategy) -> bool:
    """Whether a blueprint of the resolver ever comes to a subgame."""
    return bool(piece.weight(blueprint.plan).any())


def is_solved(piece: Cut, way: ResolveSettings, blueprint: Strategy, other: Strategy | None) -> bool:
    """Whether a subgame is solved again: the blueprint comes there, and so does the opponent's where the gadget takes its
    range."""
    if way.gadget.fixes_range and other is not None and not piece.top.range(piece.opponent, other.plan).any():
        return False
    return in_reach(piece, blueprint)


def gadget_unit(piece: Cut, way: ResolveSettings, blueprint: Strategy) -> float:
    """The unit of a gadget game, in chips of the whole game: how often chance and the resolver come there, so that a subgame
    that is hardly ever reached is solved as exactly as another. The full gadget speaks of the whole game; its unit is 1."""
    return 1.0 if way.gadget.keeps_path else float(piece.weight(blueprint.plan).sum())


def gadget_game_of(
    piece: Cut,
    way: ResolveSettings,
    blueprint: Strategy,
    other: Strategy | None = None,
    model: Strategy | None = None,
    draw: np.random.Generator | None = None,
    since: dict[int, int] | None = None,
) -> CutGame:
    """The gadget game of a subgame, with the estimate's tremble if the way has one; the prior is left to the solver. Its
    chips count `share` each.

    Args:
        piece: the subgame; the blueprint comes there.
        way: the gadget and its numbers.
        blueprint, other, model: as for `resolve_at`.
        draw: source of the estimate's errors.
        since: for reach max-margin, the history with which the re-solving before began, by public state of the top; by
            default the root.
    """
    plan, size = blueprint.plan / gadget_unit(piece, way, blueprint), piece.size
    if way.gadget.keeps_path:
        return build_gadget_game(piece, full_entry(size), plan)
    if way.gadget.fixes_range:
        came = None if other is None else shares(piece.top.range(piece.opponent, other.plan))
        return build_gadget_game(piece, unsafe_entry(size, came), plan)
    values = cfvs_at_top(build_gadget_game(piece, open_entry(size), plan), blueprint, other if way.profile else None)
    if way.gadget.takes_gifts:
        values = values + _gifts(piece, blueprint, since) / gadget_unit(piece, way, blueprint)
    weight = piece.weight(plan)
    scale = even(weight) if way.normalised else None
    gadget = max_margin_entry(values, scale, weight) if way.gadget.chooses_one else resolving_entry(values, scale)
    problem = build_gadget_game(piece, gadget, plan)
    if model is None or way.alpha == 0.0:
        return problem
    estimate = way.tremble.estimate(piece, plan, model.plan)
    if estimate.any():
        estimate = corrupt_estimate(shares(estimate), way.error, draw or np.random.default_rng(0), weight > 0.0)
    return way.tremble.tilted(problem, estimate)


def _gifts(piece: Cut, blueprint: Strategy, since: dict[int, int] | None) -> Floats:
    """(size,) what the opponent gave away on the way, against the blueprint; chips of the whole game."""
    game, them = piece.game, piece.opponent
    claims = game.subgame.leaves.product(them, blueprint.plan).copy()
    tree = game.trees[them]
    best(tree.arrays, np.zeros(0), np.zeros(0), claims, np.zeros(tree.size))
    begun = since or dict.fromkeys(piece.top.public.tolist(), 0)
    return gifts(piece.top, them, claims, blueprint.plan, begun)


def solve_gadget_game(
    problem: CutGame, way: ResolveSettings, other: Strategy | None = None, model: Strategy | None = None
) -> Solution:
    """The solution of a gadget game, refined by the way's prior.

    Args:
        problem: from `entered`.
        way: how to solve it.
        other: the opponent's part of the blueprint, for the prior of that name.
        model: the opponent from whom SES wins as much as the value of the game leaves, by linear program.
    """
    me = problem.piece.resolver
    problem, toward = way.tremble.refined(problem, other.plan if other else None, way.solver)
    subgame = problem.subgame
    if toward is not None:
        return Refinement(subgame, toward, me).solution()
    if way.solver == "lp" and way.alpha > 0.0 and model:
        return solve_toward(subgame, me, problem.won_from(model.behaviour, model.plan))
    if way.solver == "lp":
        return solve_lp(subgame, me)
    blind = way.stop.exploitability == 0.0 and way.stop.iterations < _FOREVER
    solution = solve_cfr(subgame, minimiser(way.solver), way.stop, look=not blind)
    nash_conv, value = gap(subgame, solution.plans)
    return replace(solution, nash_conv=nash_conv, value=value)


def splice_solution(problem: CutGame, player: int, solution: Solution, strategy: Strategy) -> Strategy:
    """A strategy of the whole game with a player's part of a solution put in, wherever that comes."""
    subgame = problem.subgame
    tree, plan = subgame.trees[player], solution.plans[player]
    chosen = subgame.restrictions[player].chosen(tree, plan)
    before = problem.taken(player, strategy.behaviour)
    comes = np.concatenate([plan[tree.arrays.parent] > 0.0, [True]])[tree.owner]
    return Strategy(strategy.tree, problem.splice(player, np.where(comes, chosen, before), strategy.behaviour))
