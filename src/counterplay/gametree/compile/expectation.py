"""Expectations over the tree of histories: probabilities of the step to each history, and sums from below."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.random_numbers import average_draws, draw_index, scramble, uniform
from counterplay.gametree.compile.children import children_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel
from counterplay.treeplex.strategy import Strategy


def chance_odds(game: GameTree) -> F64:
    """(H,) chance's probability of the step that leads to each history; 1 where a player acts."""
    table = game.histories
    before = np.where(table.parent >= 0, table.reach[table.parent], 1.0)
    return np.divide(table.reach, before, out=np.zeros(len(table)), where=before > 0.0)


def player_odds(game: GameTree, player: int, behaviour: F64) -> F64:
    """(H,) the probability of the action that leads to each history, where it is the player's; 1 elsewhere.

    Args:
        game: compiled.
        player: 0 or 1.
        behaviour: (size,) of the player.
    """
    table = game.histories
    up = table.parent
    own = (up >= 0) & (table.player[up] == player)
    own[own] = game.lanes[player][table.info[player][up[own]]] >= 0
    odds = np.ones(len(table))
    odds[own] = behaviour[game.sequences[player][own]]
    return odds


def counterfactual_reach(game: GameTree, player: int, plan: F64) -> F64:
    """(lanes,) the counterfactual reach of a player's infosets: the probability with which chance and the other player's
    plan (size,) lead there. The game is compiled as a whole."""
    table = game.histories
    here = np.flatnonzero(table.player == player)
    lane = game.lanes[player][table.info[player][here]]
    reach = table.reach[here] * plan[game.sequences[1 - player][here]]
    inner = lane >= 0
    return np.bincount(lane[inner], reach[inner], game.trees[player].lanes).astype(np.float64)


@kernel
def sum_up(parent: Any, inside: Any, odds: Any, worth: Any) -> None:
    """worth[h] += Σ odds · worth of its children, for children that are `inside`; children stand after their parents."""
    for h in range(len(parent) - 1, 0, -1):
        if inside[h]:
            worth[parent[h]] += odds[h] * worth[h]


def sample_walks(
    game: GameTree, which: I64, strategies: tuple[Strategy, Strategy], samples: int, seed: int
) -> tuple[F64, F64]:
    """The mean of random continuations of histories.

    Args:
        game: compiled as a whole.
        which: (n,) histories.
        strategies: those of players 0 and 1.
        samples: continuations per history.
        seed: the random numbers depend on it and on the history only.

    Returns:
        (n,) means in chips of player 0, and (n,) their standard errors; infinite from one sample.
    """
    table, odds = game.histories, chance_odds(game)
    for strategy in strategies:
        odds *= player_odds(game, strategy.player, strategy.behaviour)
    children = children_of(game)
    which, mean, error = np.ascontiguousarray(which), np.empty(len(which)), np.empty(len(which))
    widest, begin = int(np.diff(children.start).max(initial=1)), np.uint64(seed & (2**64 - 1))
    _walks(children.start, children.members, odds, table.utility, which, samples, begin, widest, mean, error)
    return mean, error


@kernel(allocates=True)
def _walks(
    start: Any,
    order: Any,
    odds: Any,
    utility: Any,
    which: Any,
    samples: int,
    seed: Any,
    widest: int,
    mean: Any,
    error: Any,
) -> None:
    random, row = np.zeros(1, np.uint64), np.zeros(widest)
    for i in range(len(which)):
        random[0] = scramble(seed, which[i])
        centre, squares = 0.0, 0.0
        for sample in range(samples):
            h = np.int64(which[i])
            while start[h] < start[h + 1]:
                # Children of a history are order[start[h]:start[h + 1]].
                begin, n = start[h], start[h + 1] - start[h]
                for k in range(n):
                    row[k] = odds[order[begin + k]]
                h = np.int64(order[begin + draw_index(row, n, uniform(random))])
            centre, squares = average_draws(utility[h], sample, centre, squares)
        mean[i] = centre
        error[i] = np.sqrt(squares / (samples - 1.0) / samples) if samples > 1 else np.inf
