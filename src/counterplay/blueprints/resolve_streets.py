"""Subtrees of a spot that are solved again: every board of a street, each alone, or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from counterplay.blueprints.resolve_subtrees import ResolvedBlueprint
from counterplay.blueprints.settings import ResolveSettings
from counterplay.errors import InputError, quoted
from counterplay.jit.clock import run_time
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.public_node import part_at
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.poker.subtrees.public_subtree import PublicSubtree, subtree_at
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


def street_subtrees(game: SpotGame, parts: list[PublicNode], resolver: int) -> Iterator[PublicSubtree | None]:
    """The subtrees that begin there, each cut out when it is asked for."""
    return (subtree_at(game.tree, part, resolver) for part in parts)


def resolve_together(
    game: SpotGame, mine: Strategy, parts: list[PublicNode], way: ResolveSettings
) -> ResolvedBlueprint:
    """Behind the full gadget: all parts at once, the opponent free from the root of the spot, everything else as it is.

    One part alone cannot have it: each would give away anew what the opponent forgoes before it.
    """
    begin, me, tree = run_time(), mine.player, mine.tree
    inside = np.zeros(tree.lanes, np.bool_)
    for piece in street_subtrees(game, parts, me):
        if piece is not None:
            inside |= piece.lanes(me)
    problem = game.subgame.bound(me, Restriction.local(tree, mine.behaviour, (~inside).astype(np.float64)))
    if way.solver == "lp":
        solution = solve_lp(problem, me)
    else:
        solution = solve_cfr(problem, minimiser(way.solver), way.stop)
        solution = replace(solution, nash_conv=measured_gap(problem, solution.plans)[0])
    chosen = problem.restrictions[me].chosen(tree, solution.plans[me])
    open_at = np.append(inside, False)[tree.owner] & (tree.owner >= 0)
    strategy = Strategy(tree, np.where(open_at, chosen, mine.behaviour), mine.facts)
    seconds = run_time() - begin
    return ResolvedBlueprint(strategy, None, len(parts), 0, solution.nash_conv, seconds, solution.interrupted)
