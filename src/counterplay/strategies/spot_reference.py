"""The equilibrium of a spot that models of a player there are changes of, and a lock as the strategy of one player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, StoredSpotGame
from counterplay.problem.solvable_game import by_kind
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import minimiser
from counterplay.treeplex.strategy import Strategy

_MOST = 20_000
_REFERENCES: WeakKeyDictionary[Subgame, SolvedSpot] = WeakKeyDictionary()


def spot_of(game: Any, model: object) -> Spot:
    """The spot of a game.

    Args:
        game: a spot with board, ranges and chips.
        model: who asks, for the message.
    """
    if by_kind(REFERENCES, game, None) is None:
        raise InputError(f"{quoted(model)} is an opponent in a spot of hold'em, not in {game.name}")
    if game.spot is None:
        raise InputError(f"{game.name} has no board, ranges and chips of its own, to which leaks could be applied")
    spot: Spot = game.spot
    return spot


def spot_reference(game: Any, model: object) -> SolvedSpot:
    """The equilibrium of a spot: the one that it was loaded with, or one found once, as `spot` does."""
    spot = spot_of(game, model)
    if game.known is not None and game.known.is_equilibrium:
        known: SolvedSpot = game.known
        return known
    return by_kind(REFERENCES, game, _reference)(game, spot)


def _reference(game: SpotGame, spot: Spot) -> SolvedSpot:
    if game.subgame not in _REFERENCES:
        found = solve_cfr(game.subgame, minimiser(METHOD), Stop(game.fine, _MOST))
        if found.interrupted:
            raise KeyboardInterrupt
        plans = ArraySpotPlans.of_tree(game.tree, found.plans)
        _REFERENCES[game.subgame] = SolvedSpot(spot, game.tree, plans, {"exploitability": found.exploitability})
    return _REFERENCES[game.subgame]


def _stored_reference(game: StoredSpotGame, spot: Spot) -> SolvedSpot:
    facts = {"exploitability": game.equilibrium().exploitability}
    return SolvedSpot(spot, game.tree, game.equilibrium_plans(), facts)


REFERENCES: dict[type, Callable[[Any, Spot], SolvedSpot]] = {StoredSpotGame: _stored_reference, SpotGame: _reference}
"""Solvers of the kinds of games that take leaks."""


def locked_strategy(lock: NodeLock, game: Any) -> Strategy:
    """The strategy of a lock: the solution's where nothing is locked; where a line is trusted in part, both mixed."""
    strategy: Strategy = by_kind(LOCKED, game, _locked_arrays)(lock, game)
    return strategy


def _locked_arrays(lock: NodeLock, game: Any) -> Strategy:
    player = lock.opponent
    tree, usual = game.trees[player], lock.solved.plans.behaviour(player)[:]
    trust = np.where(tree.owner >= 0, lock.trust[np.maximum(tree.owner, 0)], 0.0)
    return Strategy(tree, trust * lock.plans.behaviour(player)[:] + (1.0 - trust) * usual)


def _locked_store(lock: NodeLock, game: StoredSpotGame) -> StoredStrategy:
    """The same in a large spot, where only what is locked in part is written anew."""
    player, tree, plans = lock.opponent, game.tree, game.stored(replace(lock.solved, plans=lock.plans))
    usual, runs, partly = lock.solved.plans.behaviour(player), tree.runs[player], lock.trust.trust < 1.0
    for node in lock.nodes:
        first = int(runs.lane[node])
        end = first + tree.boards.layers[layer_of(tree.betting, node)].places
        here = partly & (lock.trust.lanes >= first) & (lock.trust.lanes < end)
        if here.any():
            trust, lanes = lock.trust.trust[here], lock.trust.lanes[here] - first
            every = tree.sequences_at(player, node, lanes).T
            mixed = trust * lock.plans.behaviour(player)[every] + (1.0 - trust) * usual[every]
            plans = plans.put(player, every.ravel(), mixed.ravel())
    return StoredStrategy(plans, player)


LOCKED: dict[type, Callable[..., Any]] = {StoredSpotGame: _locked_store}
"""Strategies of a lock by kind of game; else they are arrays."""
