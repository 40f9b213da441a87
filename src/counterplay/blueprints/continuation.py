"""What any re-solving of a blueprint could reach: the optimal continuation, and the best and worst gadget equilibria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.solve_subgame import gadget_game_of, gadget_unit, is_solved
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.priors import NONE
from counterplay.solvers.best_response import best_response
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import LP_UP_TO, equilibrium, solve_by, solve_lp
from counterplay.solvers.lp import SequenceFormLP
from counterplay.solvers.lp_assembly import FixedInfosets, GadgetOpponent, payoff_entries
from counterplay.solvers.refined_equilibrium import Refinement
from counterplay.solvers.worst_equilibrium import least_worth
from counterplay.subgames.cut import Cut
from counterplay.subgames.gadget_game import CutGame
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def exploitability(game: GameTree, strategy: Strategy) -> float:
    """What a best response wins from a strategy beyond the value of the game, in chips."""
    value = equilibrium(game.subgame).value
    own = value if strategy.player == 0 else -value
    return own + best_response(game.subgame, 1 - strategy.player, strategy.plan).value


def optimal_continuation(game: GameTree, blueprint: Strategy, pieces: Sequence[Cut]) -> Strategy:
    """The least exploitable strategy that plays the blueprint at every infoset before a subgame, and anything elsewhere
    (GGSE paper, definition 3). By linear program, or to a millionth of the largest payoff where the game is too large.

    Args:
        game: compiled.
        blueprint: the resolver's.
        pieces: the subgames, from `cut`.
    """
    me = blueprint.player
    standing = Restriction.local(game.trees[me], blueprint.behaviour, _before(game, me, pieces).astype(np.float64))
    problem = game.subgame.restricted(me, standing)
    if problem.leaves.entries <= LP_UP_TO:
        solution = solve_lp(problem, me)
    else:
        scale = float(np.abs(problem.leaves.rows.value).max())
        solution = solve_by(problem, "auto", Stop(exploitability=1e-6 * scale))
    chosen = Strategy.from_plan(game.trees[me], solution.plans[me])
    return Strategy(
        blueprint.tree, np.where(_sequences(blueprint, standing.keep == 0.0), blueprint.behaviour, chosen.behaviour)
    )


def bound_to_blueprint(game: GameTree, blueprint: Strategy, pieces: Sequence[Cut]) -> Restriction:
    """What binds a player who plays the blueprint everywhere but inside these subgames."""
    tree = game.trees[blueprint.player]
    standing = ~_inside(game, blueprint.player, pieces)
    return Restriction.local(tree, blueprint.behaviour, standing.astype(np.float64))


def _inside(game: GameTree, player: int, pieces: Sequence[Cut]) -> Flags:
    """(lanes,) the player's infosets in the subgames."""
    inside = np.zeros(len(game.histories), np.bool_)
    for piece in pieces:
        inside |= piece.root >= 0
    return _lanes(game, player, inside)


def _before(game: GameTree, player: int, pieces: Sequence[Cut]) -> Flags:
    """(lanes,) the player's infosets on the way to a subgame."""
    table = game.histories
    above = np.zeros(len(table), np.bool_)
    for piece in pieces:
        up = np.unique(table.parent[piece.top.histories])
        while len(up := up[up >= 0]):
            above[up] = True
            up = np.unique(table.parent[up])
    return _lanes(game, player, above)


def _lanes(game: GameTree, player: int, chosen: Flags) -> Flags:
    """(lanes,) the player's infosets with a choice that hold a chosen history."""
    table = game.histories
    lane = game.lanes[player][table.info[player][np.flatnonzero(chosen & (table.player == player))]]
    out = np.zeros(game.trees[player].lanes, np.bool_)
    out[lane[lane >= 0]] = True
    return out


def _sequences(strategy: Strategy, lanes: Flags) -> Flags:
    owner = strategy.tree.owner
    return np.asarray(np.concatenate([lanes, [False]])[owner])


@dataclass(frozen=True)
class Equilibria:
    """How exploitable the equilibria of gadget games are once they are put into the blueprint, in chips.

    Attributes:
        best: the least exploitable choice of equilibria.
        worst: the most exploitable that was found.
        bound: none is more exploitable than this; equal to `worst` where that is exact.
    """

    best: float
    worst: float
    bound: float


def equilibria(
    game: GameTree,
    blueprint: Strategy,
    pieces: Sequence[Cut],
    way: ResolveSettings,
    *,
    other: Strategy | None = None,
    model: Strategy | None = None,
    seconds: float = 60.0,
    seed: int = 0,
) -> Equilibria:
    """The interval of exploitabilities over all equilibria of the gadget games at once.

    With a prior these are the refined ones: best against an opponent who follows it, among all that keep the value; or,
    with an epsilon above 0, the equilibria of the games with that tremble. Without one, behind the resolving gadget, the
    blueprint itself is an equilibrium and none is worse, so that the worst needs no search; elsewhere it is a mixed-integer
    program, and in case of need the worst that a local search finds.

    Args:
        game: compiled.
        blueprint: the resolver's.
        pieces: the subgames, from `cut`, none inside another.
        way: the gadget, how alternative values are taken, the prior.
        other: the opponent's part of the blueprint, where the way needs it.
        model: as for `resolve_at`.
        seconds: for the mixed-integer program.
        seed: of the errors of the estimate, as it was for `resolve_at`.
    """
    me, value = blueprint.player, equilibrium(game.subgame).value
    own = value if me == 0 else -value
    draw = np.random.default_rng(seed)
    pieces = [piece for piece in pieces if is_solved(piece, way, blueprint, other)]
    kept = [
        one
        for piece in pieces
        for one in _kept(gadget_game_of(piece, way, blueprint, other, model, draw), way, blueprint, other)
    ]
    also, floors = [one.faced for one in kept], [one.floor for one in kept]
    fixed = FixedInfosets(~_inside(game, me, pieces), blueprint.behaviour)
    program = SequenceFormLP(game.subgame, me, [Restriction()], fixed, also)
    best = program.maximise(None, [1.0] + [0.0] * len(also), [-np.inf, *floors])
    least = own - best.guarantees[0]
    safe = way.gadget.never_worse and not way.profile and not way.alpha
    refined = way.prior != NONE
    ceiling = exploitability(game, blueprint) if safe and not (refined and way.trembles) else np.inf
    if way.gadget.admits_blueprint and safe and not refined:
        return Equilibria(least, ceiling, ceiling)
    found = least_worth(game.subgame, me, fixed, also, floors, seconds)
    worth = min(_downhill(game, program, plan, floors, me) for plan in (best.plan, found.plan))
    return Equilibria(least, own - worth, max(own - worth, min(own - found.bound, ceiling)))


class _Kept(NamedTuple):
    """An opponent of a gadget game, and what an equilibrium wins from it at least: chips of the resolver in that game."""

    faced: GadgetOpponent
    floor: float


def _kept(problem: CutGame, way: ResolveSettings, blueprint: Strategy, other: Strategy | None) -> list[_Kept]:
    """What makes a plan an equilibrium of a gadget game: its value, and against the prior the best beside it."""
    problem, toward = way.tremble.refined(problem, other.plan if other else None, way.solver)
    unit = gadget_unit(problem.piece, way, blueprint)
    floors = [_Kept(_faced(problem, unit), _value(problem))]
    if toward is not None:
        refinement = Refinement(problem.subgame, toward, problem.piece.resolver)
        faced = replace(floors[0].faced, restriction=toward)
        floors.append(_Kept(faced, refinement.against_prior() - refinement.rounding))
    return floors


def _downhill(game: GameTree, program: SequenceFormLP, plan: Floats, floors: list[float], me: int) -> float:
    """What a plan is worth against its best answer once no single change of one of the two makes it worth less."""
    other, lowest = game.trees[1 - me], np.inf
    while True:
        answer = best_response(game.subgame, 1 - me, plan)
        if -answer.value >= lowest - 1e-9 * game.span:
            return float(min(lowest, -answer.value))
        lowest = -answer.value
        against = game.subgame.leaves.product(me, reach(other, answer.behaviour))
        plan = program.maximise(-against, [0.0] * (1 + len(floors)), [-np.inf, *floors]).plan


def _value(problem: CutGame) -> float:
    """The value of a gadget game in chips of the resolver, less what the linear program may be off by."""
    me = problem.piece.resolver
    solution = solve_lp(problem.subgame, me)
    largest = float(np.abs(problem.subgame.leaves.rows.value).max(initial=0.0))
    return (solution.value if me == 0 else -solution.value) - 1e-9 * largest


def _faced(problem: CutGame, unit: float) -> GadgetOpponent:
    """The opponent of a gadget game of this unit, against whom a plan of the whole game is measured."""
    piece = problem.piece
    me, them = piece.resolver, piece.opponent
    first, second, chips = payoff_entries(problem.subgame, me)
    place = np.zeros(problem.subgame.trees[me].size, np.int64)
    inner, outer = problem.matched[me]
    place[inner] = outer
    place[problem.choices[me][piece.top.known[me]]] = piece.game.sequences[me][piece.top.histories]
    chips = np.where(first == 0, chips, chips / unit)  # a plan of the whole game is smaller by that
    return GadgetOpponent(
        problem.subgame.trees[them], problem.subgame.restrictions[them], (place[first], second, chips)
    )
