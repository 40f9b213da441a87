"""Expectations over the tree of histories: probabilities of the step to each history, and sums from below; and the downward
indices of the table of histories, which stores only parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I32, I64
from counterplay.games.random_numbers import average_draws, draw_index, scramble, uniform
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel


@dataclass(frozen=True, eq=False)
class Grouped:
    """Numbers grouped by key: all `members`, group by group, in order, and where each group begins, (groups + 1,)."""

    members: I32
    start: I64

    @staticmethod
    def by(group: I32, count: int) -> Grouped:
        """The indices of an array (n,) grouped by the value there, from 0 to count - 1; other values are left out."""
        order = np.argsort(group, kind="stable").astype(np.int32)
        return Grouped(order, np.searchsorted(group[order], np.arange(count + 1)).astype(np.int64))

    def of(self, group: int) -> I32:
        """(members,) of a group."""
        return self.members[self.start[group] : self.start[group + 1]]

    def of_all(self, groups: I64 | I32) -> I64:
        """(members,) of several groups (k,), concatenated."""
        first, counts = self.start[groups], self.start[np.asarray(groups) + 1] - self.start[groups]
        offset = np.repeat(first - np.cumsum(counts) + counts, counts)
        return np.asarray(self.members[offset + np.arange(counts.sum())], np.int64)


_CHILDREN: WeakKeyDictionary[GameTree, Grouped] = WeakKeyDictionary()
_LANES: WeakKeyDictionary[GameTree, list[Grouped]] = WeakKeyDictionary()


def children_of(game: GameTree) -> Grouped:
    """The children of each history, in the order of the actions."""
    if game not in _CHILDREN:
        _CHILDREN[game] = Grouped.by(game.histories.parent, len(game.histories))
    return _CHILDREN[game]


def histories_of(game: GameTree, player: int) -> Grouped:
    """The histories of each infoset of a player with a choice, by its lane."""
    if game not in _LANES:
        table, found = game.histories, []
        for seat in (0, 1):
            lane = np.full(len(table), -1, np.int32)
            here = np.flatnonzero(table.player == seat)
            lane[here] = game.lanes[seat][table.info[seat][here]]
            found.append(Grouped.by(lane, game.trees[seat].lanes))
        _LANES[game] = found
    return _LANES[game][player]


def chance_odds(game: GameTree) -> F64:
    """(H,) chance's probability of the step that leads to each history; 1 where a player acts."""
    table = game.histories
    before = np.where(table.parent >= 0, table.reach[table.parent], 1.0)
    return np.divide(table.reach, before, out=np.zeros(len(table)), where=before > 0.0)


def player_odds(game: GameTree, player: int, behaviour: F64) -> F64:
    """(H,) the probability of the action that leads to each history by a player's behaviour (size,); 1 where others
    act."""
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


def sample_walks(game: GameTree, which: I64, behaviours: tuple[F64, F64], samples: int, seed: int) -> tuple[F64, F64]:
    """The mean of random continuations of histories (n,) of a game compiled as a whole, by behaviours of players 0 and 1:
    (n,) in chips of player 0, and (n,) their standard errors, infinite from one sample. The random numbers depend on the
    seed and on the history only."""
    table, odds = game.histories, chance_odds(game)
    for player, behaviour in enumerate(behaviours):
        odds *= player_odds(game, player, behaviour)
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
