"""Re-solving a blueprint of a spot: every board of a street behind its gadget, as `resolve` does in enumerated games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.blueprints.resolve_places import ResolvedBlueprint, Watch
from counterplay.blueprints.resolve_subtree import SubtreeInputs, resolve_piece
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.levels import Depth
from counterplay.jit.clock import run_time
from counterplay.lookahead.search import LookAhead, Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.public_node import part_at
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.solvers.best_response import best_response
from counterplay.solvers.best_response import gap as measured_gap
from counterplay.solvers.cfr import solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.strategy import Strategy


def street_of(game: SpotGame, at: str) -> int:
    """The street of a place, counted from that of the spot: `round` is the next one, `round:N` the Nth from there.

    Raises:
        InputError: no such street.
    """
    head, _, rest = at.partition(":")
    number = int(rest) if rest.isdecimal() else 1 if not rest else 0
    streets = len(game.tree.boards.layers)
    if streets == 1:
        raise InputError(f"{game.name} has no street to come, at which it could be solved again")
    if head != "round" or not 1 <= number < streets:
        to_come = f"{streets - 1} street{'s' * (streets > 2)} to come"
        raise InputError(f"{game.name} has {to_come}: the place is 'round' or 'round:N', not {quoted(at)}")
    return number


def parts_of(game: SpotGame, street: int, only: str | None = None) -> list[PublicNode]:
    """Where the subgames of a street begin: behind each deal, on each board.

    Args:
        game: the spot.
        street: from `street_of`.
        only: a path such as "x x Ah": that subgame alone.

    Raises:
        InputError: the path leads to no beginning of that street.
    """
    betting, layer = game.tree.betting, game.tree.boards.layers[street]
    deals = (betting.kind == Kind.DEAL) & (betting.street == betting.rules.first + street - 1)
    firsts = [betting.children(deal)[0] for deal in np.flatnonzero(deals).tolist()]
    every = [PublicNode(node, street, board) for node in firsts for board in range(len(layer.boards))]
    if only is None:
        return every
    if game.spot is None:
        raise InputError(f"{game.name} has no paths")
    wanted = part_at(game.tree, only)
    if wanted not in every:
        raise InputError(f"no street begins at '{only}'; name the actions up to a card, and the card")
    return [wanted]


def resolve_streets(
    game: SpotGame, mine: Strategy, theirs: Strategy | None, parts: list[PublicNode], way: ResolveSettings, *,
    model: Strategy | None = None, watch: Watch | None = None,
) -> ResolvedBlueprint:  # fmt: skip
    """Solve parts of a blueprint again.

    Args:
        game: the spot.
        mine, theirs: the blueprint.
        parts: from `parts_of`.
        way: how.
        model: for alpha.
        watch: called with how many parts are solved, and how many there are.

    Raises:
        InputError: numbers that spots do not take, or a part of the blueprint that is missing.
    """
    _check_given(way, theirs, model)
    if way.gadget.keeps_path:
        return _wholly(game, mine, parts, way)
    begin, me = run_time(), mine.player
    look = LookAhead(Depth(), None, way.gadget, way.prior, way.epsilon, way.normalised)
    search = Search(look, 0.0, way.alpha, way.solver, way.stop)
    other: Any = theirs.plan if theirs else game.dealt(Strategy.uniform(game.trees[1 - me])).plan
    behaviour, gap, solved, interrupted = mine.behaviour, 0.0, 0, False
    try:
        for number, part in enumerate(parts):
            if watch:
                watch(number, len(parts))
            known = SubtreeInputs(
                behaviour, mine.plan, other, model.behaviour if model else None,
                theirs.behaviour if theirs and way.profile else None,
            )  # fmt: skip
            found = resolve_piece(subtree_at(game.tree, part), me, known, search)
            if found is not None:
                behaviour, gap, solved = found.mine, max(gap, found.gap), solved + 1
    except KeyboardInterrupt:
        interrupted = True
    strategy = Strategy(mine.tree, behaviour, mine.facts)
    return ResolvedBlueprint(strategy, None, solved, len(parts) - solved, gap, run_time() - begin, interrupted)


def _check_given(way: ResolveSettings, theirs: Strategy | None, model: Strategy | None) -> None:
    if way.error:
        raise InputError("the error of the estimate is for enumerated games")
    if way.alpha > 0.0 and model is None:
        raise InputError("alpha needs a model")
    if theirs is None and way.gadget.fixes_range:
        raise InputError("the unsafe gadget needs the opponent's part of the blueprint")


def _wholly(game: SpotGame, mine: Strategy, parts: list[PublicNode], way: ResolveSettings) -> ResolvedBlueprint:
    """Behind the full gadget: all parts at once, the opponent free from the root of the spot, everything else as it is."""
    begin, me, tree = run_time(), mine.player, mine.tree
    open_at = np.zeros(tree.size, np.bool_)
    for part in parts:
        piece = subtree_at(game.tree, part)
        for large, _ in piece.pairs(me) if piece else []:
            open_at[large] = True
    closed = np.ones(tree.lanes)
    closed[tree.owner[open_at]] = 0.0
    problem = game.subgame.bound(me, Restriction.local(tree, mine.behaviour, closed))
    if way.solver == "lp":
        solution = solve_lp(problem, me)
    else:
        solution = solve_cfr(problem, minimiser(way.solver), way.stop)
        solution = replace(solution, nash_conv=measured_gap(problem, solution.plans)[0])
    chosen = problem.restrictions[me].chosen(tree, solution.plans[me])
    strategy = Strategy(tree, np.where(open_at, chosen, mine.behaviour), mine.facts)
    seconds = run_time() - begin
    return ResolvedBlueprint(strategy, None, len(parts), 0, solution.nash_conv, seconds, solution.interrupted)


def exploitability_of(game: SpotGame, strategy: Strategy) -> float:
    """What a best responder wins from a strategy beyond the value of the spot, in chips."""
    value = game.equilibrium().value
    kept = -best_response(game.subgame, 1 - strategy.player, strategy.plan).value
    return max(0.0, (value if strategy.player == 0 else -value) - kept)
