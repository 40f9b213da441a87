"""From a list of infosets to the grouped layout."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex

Ints = NDArray[np.int32]


def build(
    player: int, parent: Ints, actions: Ints, block: Ints, labels: Callable[[Ints], Labels]
) -> tuple[Treeplex, Ints]:
    """Lay out the decisions of `player`.

    Args:
        player: 0 or 1.
        parent: (n,) raw sequence before each infoset, parents first. Raw sequence 0 is the empty one; those of infoset
            k follow those of infoset k-1.
        actions: (n,) number of actions, at least 1.
        block: (n,) public state of each infoset: inside a group, infosets of one block stand together.
        labels: makes the texts, given the lane of each infoset (-1 where there is one action).

    Returns:
        The treeplex, and for each raw sequence its place in a plan.
    """
    raw_first = np.concatenate([[1], 1 + np.cumsum(actions)]).astype(np.int32)
    level, alias = _levels(parent, actions, raw_first)
    chosen = np.flatnonzero(actions > 1)
    order = chosen[np.lexsort((chosen, block[chosen], actions[chosen], level[chosen]))]
    breaks = np.flatnonzero(np.diff(level[order]) | np.diff(actions[order])) + 1
    groups, place = [], np.zeros(raw_first[-1], np.int32)
    lane_of, lane_order = np.full(len(parent), -1, np.int32), []
    offset, lane = LANES, 0
    for members in np.split(order, breaks) if len(order) else []:
        n, count = int(actions[members[0]]), len(members)
        width = -(-count // LANES) * LANES
        groups.append((offset, width, n, lane, count))
        lane_of[members] = lane + np.arange(count)
        lane_order.append((lane, members))
        for a in range(n):
            place[raw_first[members] + a] = offset + a * width + np.arange(count)
        offset, lane = offset + n * width, lane + width
    place = place[alias]
    parents = np.full(lane, PAD, np.int32)
    for first, members in lane_order:
        parents[first : first + len(members)] = place[parent[members]]
    arrays = TreeArrays(np.array(groups, np.int64).reshape(-1, 5), parents)
    sequences = 1 + int(actions[chosen].sum())
    return Treeplex(player, arrays, offset, len(chosen), sequences, lane_of[chosen], lambda: labels(lane_of)), place


def _levels(parent: Ints, actions: Ints, raw_first: Ints) -> tuple[Ints, Ints]:
    """Number of own choices before each infoset, and each raw sequence's alias: the last sequence that was a choice."""
    alias = np.arange(raw_first[-1], dtype=np.int32)
    depth = np.zeros(raw_first[-1], np.int32)  # choices made, the one of the sequence included
    level = np.zeros(len(parent), np.int32)
    for k, (before, n) in enumerate(zip(parent.tolist(), actions.tolist(), strict=True)):
        level[k] = depth[before]
        first = raw_first[k]
        if n == 1:
            alias[first] = alias[before]
            depth[first] = depth[before]
        else:
            depth[first : first + n] = depth[before] + 1
    return level, alias
