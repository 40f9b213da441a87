"""Values of continuation strategies at single histories of a game in memory, branch by branch.

The values of all pairs of ten strategies at every history of a game take 800 bytes a history: 38 GB in Goofspiel 7. A branch
needs one such block a level: it is walked once, and only the values at its top are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.gametree.compile.children import children_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import chance_odds
from counterplay.jit import kernel
from counterplay.treeplex.strategy import Strategy

_FORCED = 2
"""Stands for chance and for players without a choice, whose step has one probability whatever the strategies."""


class ContinuationWalks:
    """The branches of a whole game under all pairs of two lists of strategies, of players 0 and 1."""

    def __init__(self, game: GameTree, first: Sequence[Strategy], second: Sequence[Strategy]) -> None:
        self._game, self._children = game, children_of(game)
        self._odds = tuple(
            np.ascontiguousarray(np.stack([one.behaviour for one in own], -1)) for own in (first, second)
        )
        table, choosing = game.histories, np.full(len(game.histories), _FORCED, np.int8)
        for player in (0, 1):
            here = np.flatnonzero(table.player == player)
            choosing[here[game.lanes[player][table.info[player][here]] >= 0]] = player
        self._choosing, self._chance = choosing, chance_odds(game)

    def at(self, histories: I64) -> F64:
        """(n, K0, K1) chips of player 0 at histories (n,), if the players go on by strategies k and l."""
        game, children = self._game, self._children
        out = np.zeros((len(histories), self._odds[0].shape[1], self._odds[1].shape[1]))
        tree = (children.start, children.members, self._choosing, *game.sequences)
        _walk(*tree, self._chance, *self._odds, game.histories.utility, np.asarray(histories, np.int64), out)
        return out


@kernel(allocates=True)
def _walk(
    start: Any,
    members: Any,
    choosing: Any,
    place0: Any,
    place1: Any,
    chance: Any,
    odds0: Any,
    odds1: Any,
    utility: Any,
    which: Any,
    out: Any,
) -> None:
    """Depth first: `worth[d]` sums what lies below `path[d]`, whose next child is `following[d]`."""
    rows, columns = odds0.shape[1], odds1.shape[1]
    path, following = np.zeros(1, np.int64), np.zeros(1, np.int64)
    worth = np.zeros((1, rows, columns))
    for i in range(len(which)):
        depth = 0
        path[0], following[0] = which[i], start[which[i]]
        worth[0] = 0.0
        if start[which[i]] == start[which[i] + 1]:
            out[i] = utility[which[i]]
            continue
        while depth >= 0:
            here = path[depth]
            if following[depth] == start[here + 1]:
                if depth > 0:
                    _add(choosing[path[depth - 1]], here, place0, place1, chance, odds0, odds1, worth, depth - 1)
                depth -= 1
                continue
            child = members[following[depth]]
            following[depth] += 1
            depth += 1
            if depth == len(path):
                path, following = _longer(path), _longer(following)
                deeper = np.zeros((2 * depth, rows, columns))
                for d in range(depth):
                    _copy(worth[d], deeper[d])
                worth = deeper
            path[depth], following[depth] = child, start[child]
            worth[depth] = utility[child] if start[child] == start[child + 1] else 0.0
        _copy(worth[0], out[i])


@kernel(inner=True, allocates=True)
def _longer(numbers: Any) -> Any:
    found = np.zeros(2 * len(numbers), np.int64)
    for k in range(len(numbers)):
        found[k] = numbers[k]
    return found


@kernel(inner=True)
def _copy(numbers: Any, out: Any) -> None:
    """Copy a matrix number by number: for arrays of any shapes the compiler adds a second for the words of an error."""
    for k in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            out[k, j] = numbers[k, j]


@kernel(inner=True)
def _add(
    mover: Any, child: Any, place0: Any, place1: Any, chance: Any, odds0: Any, odds1: Any, worth: Any, depth: Any
) -> None:
    """Add a child's block, times the probability of the step to it under each pair, to its parent's."""
    above, below = worth[depth], worth[depth + 1]
    rows, columns = above.shape
    if mover == 0:
        for k in range(rows):
            weight = odds0[place0[child], k]
            for j in range(columns):
                above[k, j] += weight * below[k, j]
    elif mover == 1:
        own = odds1[place1[child]]
        for k in range(rows):
            for j in range(columns):
                above[k, j] += own[j] * below[k, j]
    else:
        for k in range(rows):
            for j in range(columns):
                above[k, j] += chance[child] * below[k, j]
