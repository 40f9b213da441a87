"""Downward indices of a table of histories, which stores only parents: children of a history, histories of an infoset."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.gametree.compile.compile import GameTree


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
