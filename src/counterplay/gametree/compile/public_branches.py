"""Decomposition of a large game: a trunk, and branches of public states with all that follows them.

A branch is so small that what an iteration needs of it stays in the cache from its leaves to its regrets, and large enough
that its loops are long. The branches depend on the game only, not on the machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import F64, I32
from counterplay.gametree.table.histories import Histories
from counterplay.jit import kernel

LARGE = 500_000
"""Sequences of both players from which on a game is decomposed: below, its arrays stay in the cache as they are."""
ABOUT = 1 << 16
"""Sequences of both players in a branch, at most, unless a single public state has more."""


def branches_of(
    histories: Histories, blocks: tuple[I32, I32], public: tuple[I32, I32], actions: tuple[I32, I32]
) -> I32 | None:
    """(public states,) the branch of each, from 1; 0 in the trunk. None where the game is small, or where a public state
    follows two others.

    Args:
        histories: the table of all histories.
        blocks: per player (infosets,) the public state of each.
        public: per player (augmented infosets,) the public state of each.
        actions: per player (infosets,) the number of actions of each.
    """
    if sum(int(of_player.sum()) for of_player in actions) < LARGE:
        return None
    count = int(public[0].max(initial=-1)) + 1
    before = np.full(count, -1, np.int32)
    if not _find_parents(histories.parent, histories.info[0], public[0], before):
        return None
    size = np.zeros(count)
    for states, of_player in zip(blocks, actions, strict=True):
        size += np.bincount(states, of_player, count)
    _add_to_parents(before, size)
    return _cut(before, size, float(ABOUT))


@kernel
def _find_parents(parent: Any, info: Any, states: Any, before: Any) -> bool:
    """Fill `before`, the public state before each; returns whether there is only one, with a smaller number."""
    for h in range(1, len(parent)):
        if info[h] >= 0:
            own, up = states[info[h]], states[info[parent[h]]]
            if own != up:
                if up > own or (before[own] >= 0 and before[own] != up):
                    return False
                before[own] = up
    return True


def _add_to_parents(before: I32, size: F64) -> None:
    """Add to the size of each public state those of all that follow."""
    for state, up in zip(range(len(before) - 1, 0, -1), before[:0:-1].tolist(), strict=True):
        size[up] += size[state]


def _cut(before: I32, size: F64, about: float) -> I32:
    """Public states with so few sequences, and with too many before them, begin a branch, several of them together."""
    branch, last, room = np.zeros(len(before), np.int32), 0, 0.0
    for state, up in enumerate(before.tolist()):
        if up >= 0 and branch[up] > 0:
            branch[state] = branch[up]
        elif size[state] <= about:
            if last == 0 or size[state] > room:
                last, room = last + 1, about
            branch[state] = last
            room -= size[state]
    return branch
