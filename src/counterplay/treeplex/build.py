"""The grouped layout of a treeplex, from a list of infosets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.jit import kernel
from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex


def build(
    player: int,
    parent: I32,
    actions: I32,
    block: I32,
    labels: Callable[[I32], Labels],
    branch: I32 | None = None,
) -> tuple[Treeplex, I32]:
    """Lay out the decisions of a player; returns the treeplex, and for each raw sequence its index in a plan. Raw
    sequence 0 is the empty one; those of infoset k follow those of infoset k-1.

    Args:
        player: 0 or 1.
        parent: (n,) raw sequence before each infoset, parents first.
        actions: (n,) number of actions, at least 1.
        block: (n,) public state of each infoset: inside a group, infosets of one block stand together.
        labels: function that makes the texts, given the lane of each infoset (-1 for one action).
        branch: (n,) the branch of each infoset, from 1; 0 in the trunk. What follows a branch belongs to it.
    """
    # Raw sequences: 0 is the empty one, those of infoset k begin at raw_first[k].
    raw_first = np.concatenate([[1], 1 + np.cumsum(actions)]).astype(np.int32)
    # Of each infoset the number of own choices before it; of each raw sequence the last one that was a choice.
    level, alias = np.zeros(len(parent), np.int32), np.arange(raw_first[-1], dtype=np.int32)
    _fill_levels(parent, actions, raw_first, level, alias, np.zeros(len(alias), np.int32))
    # Infosets with a choice, sorted by (level, actions): each run of equal pairs is a group.
    # In a tree with branches, each has its own groups, those below the trunk first.
    chosen = np.flatnonzero(actions > 1)
    where = np.zeros(len(parent), np.int64)
    if branch is not None:  # twice the branch, and one more if the sequence before is in the same branch
        before = np.concatenate([[0], np.repeat(branch, actions)])[alias[parent]]
        where = 2 * branch.astype(np.int64) + ((branch > 0) & (before == branch))
    grouped = chosen[np.lexsort((chosen, actions[chosen], level[chosen], where[chosen]))]
    keys = np.array([where[grouped], level[grouped], actions[grouped]])
    breaks = 1 + np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0))
    ends = [0, *breaks.tolist(), len(grouped)] if len(grouped) else [0]
    groups, place = [], np.zeros(raw_first[-1], np.int32)
    lane_of, lanes = np.full(len(parent), -1, np.int32), [np.zeros(0, np.int32)]
    offset, lane = LANES, 0
    for begin, end in pairwise(ends):
        members = grouped[begin:end]
        before = place[alias[parent[members]]]  # of an earlier level, so it has its place
        order = _order(before, block[members])
        members, before = members[order], before[order]
        # Lanes are padded to whole vectors; action a of lane i stands at offset + a * width + i.
        n, count = int(actions[members[0]]), len(members)
        width = -(-count // LANES) * LANES
        groups.append((offset, width, n, lane, count))
        number, raw = np.arange(count), raw_first[members]
        lane_of[members] = lane + number
        lanes += [before, np.full(width - count, PAD, np.int32)]
        for a in range(n):
            place[raw + a] = offset + a * width + number
        offset, lane = offset + n * width, lane + width
    arrays = TreeArrays(np.array(groups, np.int64).reshape(-1, 5), np.concatenate(lanes).astype(np.int32))
    sequences = 1 + int(actions[chosen].sum())
    tree = Treeplex(player, arrays, offset, len(chosen), sequences, lane_of[chosen], lambda: labels(lane_of))
    if branch is not None:
        count = 1 + int(branch.max(initial=0))
        begins = where[grouped[ends[:-1]]] if len(grouped) else where[:0]
        first = np.searchsorted(begins, 2 * np.arange(count))
        tree = replace(tree, branches=np.stack([first, np.searchsorted(begins, 2 * np.arange(count) + 1) - first], 1))
    return tree, place[alias]


def empty(player: int) -> Treeplex:
    """A treeplex without decisions."""
    return build(player, *(np.zeros(0, np.int32),) * 3, lambda _: Labels([], [], []))[0]


def append_group(tree: Treeplex, parent: I64, actions: int) -> tuple[Treeplex, I64]:
    """A treeplex with one more group of decisions after these sequences, and the indices of their actions, (n, actions)."""
    n = len(parent)
    if n == 0 or actions == 1:  # no choice is no decision
        return tree, parent[:, None] if actions == 1 else np.zeros((0, actions), np.int64)
    width = -(-n // LANES) * LANES
    groups = np.concatenate([tree.arrays.groups, [[tree.size, width, actions, tree.lanes, n]]])
    parents = np.concatenate([tree.arrays.parent, np.full(width, PAD, np.int32)])
    parents[tree.lanes : tree.lanes + n] = parent
    order = np.concatenate([tree.visit_order, tree.lanes + np.arange(n)]).astype(np.int32)
    made = replace(
        tree, arrays=TreeArrays(groups.astype(np.int64), parents.astype(np.int32)), size=tree.size + width * actions,
        infosets=tree.infosets + n, sequences=tree.sequences + n * actions, visit_order=order,
        label_source=lambda: Labels([], [], []),
    )  # fmt: skip
    return made, tree.size + np.arange(n)[:, None] + width * np.arange(actions)[None, :]


def _order(before: I32, block: I32) -> I64:
    """The order of a group's infosets: blocks together, and hands as in the sequences before them. First come the first
    blocks after each run of sequences, then the second ones, and so on: where every block is followed by similar ones,
    the sequences before neighbouring lanes are neighbours too, and the sweeps read and write them eight at a time."""
    if (block == block[0]).all():
        return np.argsort(before, kind="stable")
    names, which = np.unique(block, return_inverse=True)
    first = np.full(len(names), np.iinfo(np.int32).max, np.int32)
    np.minimum.at(first, which, before)
    by_first = np.lexsort((names, first))
    ordered = first[by_first]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    rank = np.empty(len(names), np.int64)
    rank[by_first] = np.arange(len(names)) - np.repeat(starts, np.diff(np.append(starts, len(names))))
    return np.lexsort((np.arange(len(before)), before, which, first[which], rank[which]))


@kernel
def _fill_levels(parent: Any, actions: Any, raw_first: Any, level: Any, alias: Any, depth: Any) -> None:
    """depth: choices made down to each sequence, its own included."""
    # The raw sequences of infoset k are those from raw_first[k] to raw_first[k + 1].
    for k in range(len(parent)):
        before, first = parent[k], raw_first[k]
        level[k] = depth[before]
        if actions[k] == 1:
            alias[first] = alias[before]
            depth[first] = depth[before]
        else:
            for s in range(first, raw_first[k + 1]):
                depth[s] = depth[before] + 1
