"""Random walks through a compiled game: estimated values of histories under both players' strategies."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.random_numbers import average_draws, draw_index, scramble, uniform
from counterplay.gametree.compile.children import children_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import chance_odds, player_odds
from counterplay.jit import kernel
from counterplay.treeplex.strategy import Strategy


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
