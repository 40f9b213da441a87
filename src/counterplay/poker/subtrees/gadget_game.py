"""A piece of a public tree behind an entry: any gadget in front of the hands that the opponent may hold there.

The hands of the opponent at the beginning of the piece are its roots. The deal of its own treeplex, which gives ranges in a
spot, stands behind the entry's decisions here, and carries the entry's scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.leaves.constants import WithConstants
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.subtrees.public_subtree import PublicSubtree
from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GadgetGame:
    """A piece behind an entry.

    Attributes:
        piece: the part.
        entry: what stands in front.
        resolver: who solves it.
        subgame: the problem.
        front: places in the opponent's plan of the entry's raw sequences.
        shift: by how much the entry moves the opponent's sequences of the piece.
        unit: what payoffs are divided by.
    """

    piece: PublicSubtree
    entry: Entry
    resolver: int
    subgame: Subgame
    front: Ints
    shift: int
    unit: float = 1.0

    def trembling(self, weight: float, odds: Floats) -> Restriction:
        """What binds an opponent who with probability `weight` comes by given odds, on top of what binds already.

        Args:
            weight: from 0 to 1.
            odds: (hands,) of coming in with each hand: 1 in all for max-margin, each from 0 to 1 for resolving.
        """
        other = 1 - self.resolver
        tree = self.subgame.trees[other]
        trust, behaviour = np.zeros(tree.lanes), np.zeros(tree.size)
        behaviour[0] = 1.0
        places = self.front[self.entry.choice]
        possible = self.entry.possible
        np.add.at(
            behaviour, places if possible is None else places[possible], odds if possible is None else odds[possible]
        )
        lanes = np.unique(tree.owner[places])
        for lane in lanes.tolist():
            where = tree.sequences_of(lane)
            rest = 1.0 - behaviour[where].sum()
            if self.entry.constant.size and rest > 0.0 and len(self.entry.actions) > 1:
                behaviour[where.start] += rest  # terminate is the first action
            trust[lane] = weight
        return Restriction.local(tree, behaviour, trust).within(tree, self.subgame.restrictions[other])


def build_gadget_game(piece: PublicSubtree, entry: Entry, resolver: int, plan: Floats, unit: float = 1.0) -> GadgetGame:
    """Put an entry in front of a piece.

    Args:
        piece: from `piece_at`.
        entry: from `gadgets`; chips of the opponent in CFVs of the whole tree, divided by `unit`.
        resolver: who solves it.
        plan: the resolver's in the whole tree, from which comes the range.
        unit: what payoffs are divided by, so that rare subgames are solved as exactly as others.
    """
    runs = list(piece.tree.runs)
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
    theirs = _carrying(moved, len(own_range), scale)
    if entry.fixed:
        given = np.ones(len(own_range)) if entry.range is None else entry.range
        theirs = _fixed(tree, theirs, front[entry.choice], given)
    mine = _carrying(runs[resolver], len(own_range), own_range)
    leaves = WithConstants(payoff, 1 - resolver, front[entry.at], entry.constant)
    restrictions = (mine, theirs) if resolver == 0 else (theirs, mine)
    problem = Subgame((runs[0].tree, runs[1].tree), leaves, restrictions)
    return GadgetGame(piece, entry, resolver, problem, front, shift, unit)


def _carrying(runs: HandTreeplex, hands: int, weights: Floats) -> Restriction:
    """The deal of a piece, at which nothing is decided: each hand's reach is multiplied by its weight."""
    tree, first = runs.tree, int(runs.lane[DEAL])
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    keep[first : first + hands] = 0.0
    begin = int(runs.start[DEAL])
    mix[begin : begin + hands] = weights
    return Restriction(keep=keep, mix=mix)


def _fixed(tree: Treeplex, so_far: Restriction, places: Ints, weights: Floats) -> Restriction:
    """The same with the range of an entry that leaves the opponent no choice."""
    keep, mix = so_far.keep.copy(), so_far.mix.copy()
    keep[tree.owner[places]] = 0.0
    mix[places] = weights
    return Restriction(keep=keep, mix=mix)


def _fronted(tree: Treeplex, entry: Entry, hands: int) -> tuple[Treeplex, Ints, int]:
    """A treeplex with an entry's decisions in front of its deal.

    Returns:
        The treeplex, the place of each raw sequence of the entry, and by how much the others moved.
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
