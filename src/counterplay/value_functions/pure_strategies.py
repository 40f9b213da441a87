"""All pure strategies of a player: the lossless portfolio, for the smallest games."""

from __future__ import annotations

import itertools

import numpy as np

from counterplay.errors import InputError
from counterplay.gametree.compile.compile import GameTree
from counterplay.treeplex.strategy import Strategy

MOST = 10_000
"""The most strategies that are listed."""


def pure_strategies(game: GameTree, player: int) -> list[Strategy]:
    """One strategy for each choice of an action at every infoset."""
    tree = game.trees[player]
    first, stride, counts = tree.lane_sequences
    lanes = np.flatnonzero(counts)
    total = float(np.prod(counts[lanes], dtype=float))
    if total > MOST:
        raise InputError(f"player {player} has {total:.3g} pure strategies in {game.name}, more than {MOST:,}")
    found = []
    for choice in itertools.product(*(range(counts[lane]) for lane in lanes)):
        behaviour = np.zeros(tree.size)
        behaviour[[0, *(first[lanes] + np.array(choice, np.int64) * stride[lanes])]] = 1.0
        found.append(Strategy(tree, behaviour, {"method": "pure"}))
    return found
