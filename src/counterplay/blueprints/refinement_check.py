"""Check of refined equilibria: whether a strategy is a GGSE of the gadget games at a place, for a prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterplay.blueprints.resolved_blueprint import BlueprintInputs, ResolveSettings
from counterplay.errors import InputError
from counterplay.gadgets import Resolving, gadget_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.resolver import enter
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import NONE, UNIFORM, Prior, check_weights, prior_of
from counterplay.opponents.opponent import opponent
from counterplay.solvers.refined_equilibrium import Gaps, Refinement
from counterplay.subgames.cut import Place, subgames_at
from counterplay.texts.arguments import TEXT, instance, takes
from counterplay.treeplex.strategy import Strategy


@takes(at=TEXT, strategy=instance("a Strategy", Strategy))
def refinement_gaps(
    game: GameTree,
    blueprint: Any,
    strategy: Strategy,
    at: str,
    *,
    gadget: Any = Resolving.name,
    prior: str | Mapping[str, float] = UNIFORM,
    normalised: bool = False,
    declared: bool = False,
) -> Gaps:
    """The distance of a strategy from a gadget game sequential equilibrium in every subgame at a place: both numbers
    are 0 up to rounding if and only if it is one (Kubíček et al. 2026, definition 2).

    Args:
        game: from `load`.
        blueprint: the strategy that defines the gadget games: for the strategy's seat, or both seats' as a pair.
        strategy: the strategy to check.
        at: a place, as for `resolve`.
        gadget, prior, normalised, declared: as for `resolve`; not the prior `none`.

    Raises:
        InputError: the gadget has no decisions to refine, the blueprint never reaches the place, or bad arguments.
    """
    if not hasattr(game, "subgame"):
        raise InputError(f"refinements are checked in games that `load` compiles, not in {type(game).__name__}")
    seat = strategy.player
    parts = blueprint if isinstance(blueprint, tuple) else (blueprint, blueprint)
    mine = opponent(game, parts[seat], seat)
    wanted: Prior = prior_of(prior) if isinstance(prior, str) else check_weights(prior)
    theirs = None if isinstance(parts[1 - seat], Strategy) and parts[1 - seat].player == seat else parts[1 - seat]
    other = None if theirs is None else opponent(game, theirs, 1 - seat)
    if wanted == NONE:
        raise InputError("without a prior any equilibrium of a gadget game will do; name a prior")
    way = ResolveSettings(LookAhead(gadget=gadget_of(gadget), prior=wanted, normalised=normalised), solver="lp")
    known = BlueprintInputs.of(game.subgame, mine, other).knowledge(way)
    plan = None if other is None else other.plan
    found = []
    for piece in subgames_at(game, Place.of(at, declared), seat):
        problem = enter(piece, way.search, known)
        if problem is None:
            continue
        problem, toward = way.search.tremble.refined(problem, piece, plan, "lp")
        if toward is not None:
            tree, bound = problem.subgame.trees[seat], problem.subgame.restrictions[seat]
            played = bound.played(tree, problem.taken(seat, strategy.behaviour))
            gaps = Refinement(problem.subgame, toward, seat).gaps(played)
            found.append(Gaps(problem.unit * gaps.value, problem.unit * gaps.prior))
    if not found:
        raise InputError(f"the blueprint never reaches {at}, or there is nothing to refine")
    return Gaps(max(one.value for one in found), max(one.prior for one in found))
