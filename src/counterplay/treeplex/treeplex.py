"""One player's decisions in sequence form, laid out in blocks for the vector unit.

Infosets of the same own level (number of own earlier decisions) and the same number of actions form a *group*. Each
infoset of a group is a *lane*; the sequence of lane i and action a is at index `offset + a * width + i`, so that one
action of neighbouring infosets is contiguous. Groups are stored parents first. `width` is the number of lanes, padded
to a multiple of 8. Index 0 is the empty sequence and index 1, `PAD`, an entry whose plan is always 0: the parent of
padding lanes. Infosets with one action do not appear: their only sequence is their parent's.

A large tree is decomposed into a *trunk* and *branches*, some public states each with all that follows. A branch has
groups of its own, so that its lanes and its sequences are contiguous."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I32, I64, AnyArray, Flags
from counterplay.display import brief
from counterplay.jit import kernel

LANES = 8
"""Lanes are padded to a multiple of this: eight float64 fill the widest vector register in use."""
PAD = 1
OFFSET, WIDTH, ACTIONS, LANE, COUNT = range(5)
"""Columns of `TreeArrays.groups`: first sequence, padded lanes, actions, first lane, real lanes."""


class TreeArrays(NamedTuple):
    """A treeplex as the kernels see it. groups: (G, 5) int64, parents first. parent: (L,) int32, the sequence that
    leads to each lane."""

    groups: I64
    parent: I32


@dataclass(frozen=True)
class Labels:
    """The texts of a player's decisions, in order of first visit in a walk of the game.

    Attributes:
        infosets: text of each infoset, including those with one action.
        actions: texts of the actions of each.
        lanes: lane of each, -1 for infosets with one action.
        given: numbers of infosets that the player does not decide, such as a dealt hand: tables of probabilities omit
            them.
    """

    infosets: list[str]
    actions: list[tuple[str, ...]]
    lanes: list[int]
    given: range = range(0)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each infoset by its text."""
        return {text: i for i, text in enumerate(self.infosets)}


@dataclass(frozen=True)
class KnownLabels:
    """Gives labels that were made before, for copies in other processes."""

    labels: Labels

    def __call__(self) -> Labels:
        return self.labels


@dataclass(frozen=True, eq=False)
class Treeplex:
    """One player's decision polytope.

    Attributes:
        arrays: the layout, as the kernels take it.
        size: length of a plan (sequences and padding).
        infosets: number of infosets with at least two actions.
        sequences: number of sequences, including the empty one, without padding.
        visit_order: (infosets,) the lanes in order of first visit in a walk of the game.
        label_source: function that makes the labels on first use.
        branches: (B + 1, 2) the trunk (row 0) and the branches of a large tree: the first group of each, and how many
            of its first groups have parents in the trunk. No rows in a tree that is not decomposed.
        dealt: the number of first lanes that encode a range, {held, not held} for each hand: no decisions, and weights
            that need not sum to 1.
    """

    player: int
    arrays: TreeArrays
    size: int
    infosets: int
    sequences: int
    visit_order: I32
    label_source: Callable[[], Labels]
    branches: I64 = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    dealt: int = 0

    def __repr__(self) -> str:
        return brief(self, f"of player {self.player}", f"{self.infosets:,} infosets", f"{self.sequences:,} sequences")

    @cached_property
    def labels(self) -> Labels:
        """The texts of infosets and actions."""
        return self.label_source()

    def __getstate__(self) -> dict[str, Any]:
        """The fields, with the labels in place of what makes them."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"label_source": KnownLabels(self.labels)}

    def same_as(self, other: Treeplex) -> bool:
        """Return whether it has the same decisions, in the same layout and with the same labels."""
        arrays: list[tuple[Any, Any]] = list(zip(self.arrays, other.arrays, strict=True))
        return self is other or (
            self.player == other.player
            and all(np.array_equal(one, two) for one, two in arrays)
            and self.labels == other.labels
        )

    @property
    def lanes(self) -> int:
        """The number of lanes, padding included."""
        return len(self.arrays.parent)

    @cached_property
    def lane_sequences(self) -> tuple[I64, I64, I64]:
        """Three (lanes,): first sequence, distance between its actions, number of actions, which is 0 in padding lanes."""
        first, stride, actions = (np.zeros(self.lanes, np.int64) for _ in range(3))
        for offset, width, n, lane, count in self.arrays.groups.tolist():
            first[lane : lane + width] = offset + np.arange(width)
            stride[lane : lane + width] = width
            actions[lane : lane + count] = n
        return first, stride, actions

    def sequences_of(self, lane: int) -> slice:
        """The indices of a lane's sequences in a plan."""
        first, stride, actions = self.lane_sequences
        return slice(int(first[lane]), int(first[lane] + stride[lane] * actions[lane]), int(stride[lane]))

    def siblings(self, sequences: AnyArray) -> list[I64]:
        """Per action, the sequences of the lanes that some sequences (n,) belong to, one lane after the other."""
        groups, found = self.arrays.groups, list[I64]()
        number = np.searchsorted(groups[:, OFFSET], sequences, "right") - 1
        for group in np.unique(number).tolist():
            offset, width, n = groups[group, [OFFSET, WIDTH, ACTIONS]].tolist()
            lanes = np.unique((sequences[number == group] - offset) % width)
            found += [offset + a * width + lanes for a in range(n)]
        return found

    def sequences_in(self, chosen: Flags) -> list[I64]:
        """The sequences of some lanes, (lanes,), one action of one group after the other."""
        found = list[I64]()
        for offset, width, n, lane, count in self.arrays.groups.tolist():
            here = np.flatnonzero(chosen[lane : lane + count])
            found += [offset + a * width + here for a in range(n)] if len(here) else []
        return found

    @cached_property
    def owner(self) -> I32:
        """(size,) the lane of each sequence; -1 at the empty sequence and in padding."""
        owner = np.full(self.size, -1, np.int32)
        for offset, width, n, lane, count in self.arrays.groups.tolist():
            for a in range(n):
                owner[offset + a * width : offset + a * width + count] = np.arange(lane, lane + count)
        return owner

    @cached_property
    def real(self) -> Flags:
        """(size,) True at sequences, False in padding."""
        real: Flags = self.owner >= 0
        real[0] = True
        return real

    @cached_property
    def predecessor(self) -> I32:
        """(size,) the parent of each sequence; PAD at the empty sequence and in padding."""
        before = np.full(self.size, PAD, np.int32)
        inside = self.owner >= 0
        before[inside] = self.arrays.parent[self.owner[inside]]
        return before

    def uniform(self) -> F64:
        """(size,) the uniform behaviour."""
        sigma = np.zeros(self.size)
        sigma[0] = 1.0
        for offset, width, n, _, count in self.arrays.groups.tolist():
            sigma[offset : offset + n * width].reshape(n, width)[:, :count] = 1.0 / n
        return sigma

    def normalised(self, weights: F64, otherwise: F64, totals: F64 | None = None) -> F64:
        """(size,) the behaviour in proportion to weights (size,) at each infoset; where they sum to 0, that of `otherwise`
        (size,). totals: (lanes,) their sums, where these are known."""
        inside = np.flatnonzero(self.owner >= 0)
        lane, behaviour = self.owner[inside], otherwise.copy()
        total = (np.bincount(lane, weights[inside], self.lanes) if totals is None else totals)[lane]
        known, total = inside[total > 0.0], total[total > 0.0]
        behaviour[known] = weights[known] / total
        return behaviour


def build(
    player: int, parent: I32, actions: I32, block: I32, labels: Callable[[I32], Labels], branch: I32 | None = None
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
