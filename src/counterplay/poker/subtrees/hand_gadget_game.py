"""Gadget games on public trees: any gadget in front of the hands that the opponent may hold.

The opponent's hands at the beginning of the piece are its roots. The deal of their treeplex, which gives ranges in a
spot, follows the entry's decisions here and carries the entry's scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.constants import WithConstants
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.subtrees.public_shape import PublicShape
from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import Numbers
from counterplay.treeplex.restriction import Restriction, fix_decisions
from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HandGadgetGame(GadgetGame):
    """A part of a public tree after an entry.

    Attributes:
        piece: the part.
        shift: offset of the opponent's sequences of the part, due to the entry.
    """

    piece: PublicShape
    shift: int

    @cached_property
    def _pairs(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        first, second = (self.piece.pairs(player) for player in (0, 1))
        if self.opponent == 0:
            return (first[0] + self.shift, first[1]), second
        return first, (second[0] + self.shift, second[1])

    @property
    def share(self) -> float:
        """Payoffs are divided by the unit, ranges are not."""
        return 1.0

    def pairs(self, player: int) -> tuple[Ints, Ints]:
        """Two (n,) arrays: indices of a player's sequences here, and in the whole tree."""
        return self._pairs[player]

    def came(self, plan: Numbers) -> Floats:
        """(hands,) the opponent's range."""
        return self.piece.range(self.opponent, plan)


def build_gadget_game(piece: PublicShape, entry: Entry, plan: Numbers, unit: float = 1.0) -> HandGadgetGame:
    """The gadget game of a part: an entry in front of it.

    Args:
        piece: from `subtree_at`.
        entry: from a gadget; chips of the opponent in CFVs of the whole tree, divided by `unit`.
        plan: the resolver's plan in the whole tree, which gives the range.
        unit: divisor of payoffs, so that rare subgames are solved as accurately as others.
    """
    resolver, runs = piece.resolver, list(piece.tree.runs)
    own_range = piece.range(resolver, plan)
    other = runs[1 - resolver]
    tree, front, shift = _fronted(other.tree, entry, len(own_range))
    start = np.where(other.start >= 0, other.start + shift, other.start)
    moved = HandTreeplex(
        tree, other.before, start, np.where(other.lane >= 0, other.lane + tree.lanes - other.tree.lanes, -1)
    )
    runs[1 - resolver] = moved
    payoff = ShowdownPayoff(piece.tree.betting, piece.tree.tables, (runs[0], runs[1]), piece.unit / unit)
    scale = np.ones(len(own_range)) if entry.scale is None else entry.scale
    if entry.possible is not None:
        scale = np.where(entry.possible, scale, 0.0)
    theirs = _carrying(moved, scale)
    if entry.fixed:
        given = np.ones(len(own_range)) if entry.range is None else entry.range
        theirs = fix_decisions(tree, front[entry.choice], given, theirs)
    mine = _carrying(runs[resolver], own_range)
    leaves = WithConstants(payoff, 1 - resolver, front[entry.at], entry.constant)
    problem = Subgame((runs[0].tree, runs[1].tree), leaves, (mine, theirs) if resolver == 0 else (theirs, mine))
    dealt = int(runs[resolver].start[DEAL]) + np.arange(len(own_range))
    choices = (dealt, front[entry.choice]) if resolver == 0 else (front[entry.choice], dealt)
    declines = front[entry.declines] if entry.declines is not None else np.zeros(0, np.int64)
    return HandGadgetGame(resolver, problem, entry, choices, declines, unit, piece, shift)


def _carrying(runs: HandTreeplex, weights: Floats) -> Restriction:
    """The deal of a piece, at which nothing is decided: each hand's reach is multiplied by its weight."""
    return fix_decisions(runs.tree, int(runs.start[DEAL]) + np.arange(len(weights)), weights)


def _fronted(tree: Treeplex, entry: Entry, hands: int) -> tuple[Treeplex, Ints, int]:
    """A treeplex with an entry's decisions in front of its deal.

    Returns:
        The treeplex, the index of each raw sequence of the entry, and the offset of the others.
    """
    groups, front = [], np.zeros(1 + int(entry.actions.sum()), np.int64)
    offset, lane = LANES, 0
    first = 1 + np.append(0, np.cumsum(entry.actions))
    for actions in np.unique(entry.actions).tolist():
        members = np.flatnonzero(entry.actions == actions)
        width = -(-len(members) // LANES) * LANES
        groups.append([offset, width, actions, lane, len(members)])
        for a in range(actions):
            front[first[members] + a] = offset + a * width + np.arange(len(members))
        offset, lane = offset + actions * width, lane + width
    shift = offset - LANES
    below = tree.arrays.groups.copy()
    below[:, 0] += shift
    below[:, 3] += lane
    parent = np.where(tree.arrays.parent > PAD, tree.arrays.parent + shift, tree.arrays.parent)
    parent[:hands] = front[entry.choice]
    parents = np.full(lane, PAD)
    for _, _, _, begin, count in groups:
        parents[begin : begin + count] = 0
    both = np.concatenate([np.array(groups, np.int64).reshape(-1, 5), below])
    arrays = TreeArrays(both, np.concatenate([parents, parent]).astype(np.int32))
    order = np.concatenate([np.flatnonzero(parents == 0), tree.visit_order + lane]).astype(np.int32)
    made_tree = Treeplex(
        tree.player, arrays, tree.size + shift, tree.infosets + len(entry.actions),
        tree.sequences + int(entry.actions.sum()), order, lambda: Labels([], [], []),
    )  # fmt: skip
    return made_tree, front, shift
