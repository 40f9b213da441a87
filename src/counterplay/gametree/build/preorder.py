"""Records of walks in preorder, turned into arrays of parents, reaches and augmented infosets."""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I32, I64, Flags
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.gametree.build.histories import Histories
from counterplay.jit import kernel

NO_LABEL: Any = object()
"""Stands for the label of a player who does not act, in a game that says no more about what that player knows."""


class PreorderRecord(NamedTuple):
    """The record of a walk in preorder. children: number of children of every history. utility: chips of player 0 at
    each terminal. actor, labels: at other histories the player to act, and for each player the number of the label.
    odds: the probabilities of all chance outcomes. numbers: for each player, the number of each label; `NO_LABEL` has
    number 0."""

    children: array[int]
    utility: array[float]
    actor: array[int]
    labels: tuple[array[int], array[int]]
    odds: array[float]
    numbers: tuple[dict[Any, int], dict[Any, int]]


def new_record() -> PreorderRecord:
    """An empty record, whose `numbers` give every new label the next number."""
    numbers: tuple[defaultdict[Any, int], defaultdict[Any, int]] = (defaultdict(), defaultdict())
    for known in numbers:
        known[NO_LABEL] = 0
        known.default_factory = known.__len__
    return PreorderRecord(array("i"), array("d"), array("b"), (array("i"), array("i")), array("d"), numbers)


def table_of(record: PreorderRecord) -> Histories:
    """The histories of a record, which may end early; `info` holds numbers of labels, 0 at terminals."""
    children, actor = np.array(record.children, np.int32), np.array(record.actor, np.int8)
    parent, action, player, reach = _unfold(children, actor, np.array(record.odds))
    inner, utility = children > 0, np.zeros(len(children))
    ends = np.flatnonzero(~inner)[: len(record.utility)]
    utility[ends] = record.utility
    info0, info1 = np.zeros(len(children), np.int32), np.zeros(len(children), np.int32)
    info0[inner], info1[inner] = record.labels
    return Histories(parent, action, player, reach, (info0, info1), utility)


@kernel(allocates=True)
def _unfold(children: Any, actor: Any, odds: Any) -> Any:
    """Parent, action, player and reach of every history."""
    total = len(children)
    parent, action = np.empty(total, np.int32), np.zeros(total, np.int16)
    player, reach = np.full(total, TERMINAL, np.int8), np.ones(total)
    tried, first = np.zeros(total, np.int32), np.zeros(total, np.int64)
    # at: the parent of history h, climbed to from the last one; inner, dealt: how many actors and odds are used up.
    at, inner, dealt = -1, 0, 0
    for h in range(total):
        while at >= 0 and tried[at] == children[at]:
            at = parent[at]
        parent[h] = at
        if at >= 0:
            action[h], reach[h] = tried[at], reach[at]
            if player[at] == CHANCE:
                reach[h] *= odds[first[at] + tried[at]]
            tried[at] += 1
        if children[h] > 0:
            player[h] = actor[inner]
            inner += 1
            if player[h] == CHANCE:
                first[h] = dealt
                dealt += children[h]
            at = h
    return parent, action, player, reach


@kernel(allocates=True)
def own_sequences(parent: Any, action: Any, player: Any, children: Any, label: Any, who: int) -> Any:
    """The last own sequence of `who` at each history, if each label is one infoset; 0 is the empty sequence.

    Returns: (H,) sequences; and two histories of one infoset with different own sequences, which is imperfect recall
    (-1 under perfect recall).
    """
    labels = label.max() + 1
    last, first, base = np.zeros(len(parent), np.int64), np.full(labels, -1, np.int32), np.zeros(labels, np.int64)
    # base[l]: the first sequence of the infoset with label l; that of its action k is base[l] + k.
    sequences = 1
    for h in range(len(parent)):
        up = parent[h]
        if up >= 0:
            last[h] = base[label[up]] + action[h] if player[up] == who else last[up]
        if player[h] == who:
            one = first[label[h]]
            if one < 0:
                first[label[h]], base[label[h]] = h, sequences
                sequences += children[h]
            elif last[one] != last[h]:
                return last, one, h
    return last, -1, -1


def infosets(sequence: I64, label: I32, inner: Flags) -> I32:
    """(H,) a number for each pair of own sequence and label, in order of first visit; -1 at terminals."""
    numbers = np.full(len(label), -1, np.int32)
    if inner.any():
        pairs = sequence[inner] * (int(label.max()) + 1) + label[inner]
        _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
        by_visit = np.empty(len(first), np.int32)
        by_visit[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        numbers[inner] = by_visit[which]
    return numbers
