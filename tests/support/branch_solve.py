"""A spot with two streets solved one branch at a time: regrets and averages of a branch are all that is ever kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.hand_treeplex import DEAL, PublicNode
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.subtrees.public_subtree import PublicSubtree, subtree_at
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.subgames.plan_store import SolvedGap
from counterplay.treeplex.restriction import BranchRestriction, Restriction
from counterplay.treeplex.sweeps import best, reach, values
from counterplay.treeplex.treeplex import Treeplex

Floats = NDArray[np.float64]
Pairs = tuple[NDArray[Any], NDArray[Any]]


def rivers(tree: PublicTree, resolver: int, inside: int = 0) -> Iterator[tuple[int, PublicSubtree]]:
    """The boards of the second street below a node, with the deal before each; those on which hands can be dealt."""
    betting = tree.betting
    deals = np.flatnonzero((betting.kind == Kind.DEAL) & (betting.street == betting.rules.first))
    for deal in deals[(deals >= inside) & (deals < betting.end[inside])].tolist():
        for board in range(len(tree.boards.layers[1].boards)):
            piece = subtree_at(tree, PublicNode(betting.children(deal)[0], 1, board), resolver)
            if piece is not None:
                yield deal, piece


def choices_before(tree: PublicTree, player: int) -> Pairs:
    """A player's sequences of the first street, in the tree up to there and in the whole one, without the deal."""
    part = truncate(tree, 0)
    small, large = part.pairs(player)
    owner, dealt = part.runs[player].tree.owner[small], part.subgame().restrictions[player].keep == 0.0
    chosen = (owner >= 0) & ~dealt[owner]
    return small[chosen], large[chosen]


@dataclass(eq=False)
class BranchRegrets:
    """One player's regrets and average on one branch.

    Attributes:
        tree: the treeplex of the branch.
        places: the player's sequences in it, and in the whole tree.
        given: (size,) what they do where that stands.
        stands: (lanes,) where.
    """

    tree: Treeplex
    places: Pairs
    given: Floats
    stands: NDArray[np.bool_]
    regret: Floats = field(init=False)
    total: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.regret, self.total = np.zeros(self.tree.size), np.zeros(self.tree.size)

    def shares(self, numbers: Floats) -> Floats:
        """(size,) the behaviour in proportion to numbers (size,), alike where all are 0."""
        here = self.places[0]
        lane, out = self.tree.owner[here], self.given.copy()
        total, count = (np.bincount(lane, one, self.tree.lanes) for one in (numbers[here], np.ones(len(here))))
        share = np.divide(numbers[here], total[lane], out=1.0 / count[lane], where=total[lane] > 0.0)
        out[here] = np.where(self.stands[lane], out[here], share)
        return out

    def learn(self, played: Floats, cfv: Floats, came: Floats, iteration: int) -> None:
        """CFR+ with what each sequence is worth, and the reach of each; (size,) each."""
        here = self.places[0]
        lane = self.tree.owner[here]
        mean = np.bincount(lane, played[here] * cfv[here], self.tree.lanes)
        self.regret[here] = np.maximum(0.0, self.regret[here] + cfv[here] - mean[lane])
        self.total[here] += iteration * came[here]

    def best(self, cfv: Floats) -> None:
        """CFVs of the best response, in place, where the decisions do not stand."""
        decided = self.stands.copy()
        decided[np.setdiff1d(np.arange(self.tree.lanes), self.tree.owner[self.places[0]])] = True
        best(self.tree.arrays, 1.0 - decided, np.where(np.append(decided, True)[self.tree.owner], self.given, 0.0),
             cfv, np.zeros(self.tree.size))  # fmt: skip


@dataclass(eq=False)
class RiverBranch:
    """A board of the second street: of each player the regrets, the sequences of the deal there, and those on the first
    street by which each hand comes."""

    sides: tuple[BranchRegrets, BranchRegrets]
    dealt: tuple[NDArray[Any], NDArray[Any]]
    above: tuple[NDArray[Any], NDArray[Any]]
    payoff: Any


class BranchSolve:
    """CFR+ of both players, in turn."""

    def __init__(self, plans: Any, player: int, branches: Sequence[Any], *, beside: bool) -> None:
        tree: PublicTree = plans.tree
        part = truncate(tree, 0)
        first = part.subgame()
        places = [choices_before(tree, i) for i in (0, 1)]
        begin = [
            bound.behaviour(one, one.uniform()) for bound, one in zip(first.restrictions, first.trees, strict=True)
        ]
        for i, (small, large) in enumerate(places):
            if i == player:
                begin[i][small] = plans.behaviour(i)[large]
        stands = [np.zeros(one.lanes, np.bool_) for one in first.trees]
        stands[player][:] = not beside
        free = {(branch.part.node, branch.part.board) for branch in branches}
        self.rivers: list[RiverBranch] = []
        for _, piece in rivers(tree, 1 - player):
            inside = (piece.part.node, piece.part.board) in free
            above = [_before(part.pairs(i), piece.places(i)) for i in (0, 1)]
            if inside and beside:
                _mark_path(first.trees[player], above[player], stands[player])
            self.rivers.append(_river(plans, piece, player, above, stands=not inside and not beside))
        self.first = [BranchRegrets(one, places[i], begin[i], stands[i]) for i, one in enumerate(first.trees)]
        self.payoff: Any = part.problem().leaves

    def play(self, *, average: bool) -> list[list[Floats]]:
        """Both players' behaviour on each branch, the first street first."""
        branches = [self.first, *(river.sides for river in self.rivers)]
        return [[one.shares(one.total if average else one.regret) for one in both] for both in branches]

    def value(self, player: int, play: list[list[Floats]], iteration: int = 0) -> float:
        """What a player wins by a best response, or by their own play in an iteration from which they learn."""
        one, other = self.first[player], self.first[1 - player]
        mine, theirs = reach(one.tree, play[0][player]), reach(other.tree, play[0][1 - player])
        cfv = np.array(self.payoff.product(player, theirs), np.float64)
        for river, behaviours in zip(self.rivers, play[1:], strict=True):
            side = river.sides[player]
            own, faced = (_entered(river, i, b, r) for i, b, r in
                          ((player, behaviours[player], mine), (1 - player, behaviours[1 - player], theirs)))  # fmt: skip
            below = np.array(river.payoff.product(player, reach(river.sides[1 - player].tree, faced)), np.float64)
            _answered(side, behaviours[player], below, reach(side.tree, own), iteration)
            np.add.at(cfv, river.above[player], below[river.dealt[player]])
        _answered(one, play[0][player], cfv, mine, iteration)
        return float(cfv[0])


def _answered(side: BranchRegrets, played: Floats, cfv: Floats, came: Floats, iteration: int) -> None:
    if not iteration:
        side.best(cfv)
        return
    cfv[:] = values(side.tree, played, cfv)
    side.learn(played, cfv, came, iteration)


def _entered(river: RiverBranch, player: int, behaviour: Floats, above: Floats) -> Floats:
    """(size,) a behaviour on a river with the range dealt."""
    out = behaviour.copy()
    out[river.dealt[player]] = above[river.above[player]]
    return out


def _before(pairs: Pairs, sequences: NDArray[Any]) -> NDArray[Any]:
    """(n,) sequences of the whole tree in the tree up to the first street."""
    order = np.argsort(pairs[1])
    found: NDArray[Any] = pairs[0][order][np.searchsorted(pairs[1][order], sequences)]
    return found


def _mark_path(tree: Treeplex, sequences: NDArray[Any], stands: NDArray[np.bool_]) -> None:
    lanes = np.unique(tree.owner[sequences])
    while len(lanes := lanes[lanes >= 0]):
        stands[lanes] = True
        lanes = np.unique(tree.owner[tree.arrays.parent[lanes]])


def _river(plans: Any, piece: PublicSubtree, player: int, above: list[Any], *, stands: bool) -> RiverBranch:
    sides, dealt = [], []
    for i, runs in enumerate(piece.tree.runs):
        inner, outer = piece.pairs(i)
        given, fixed = runs.tree.uniform(), np.zeros(runs.tree.lanes, np.bool_)
        dealt.append(int(runs.start[DEAL]) + np.arange(piece.size))
        given[dealt[i]] = 1.0
        if i == player:
            given[inner], fixed[:] = plans.behaviour(i)[outer], stands
        sides.append(BranchRegrets(runs.tree, (inner, outer), given, fixed))
    payoff = ShowdownPayoff(piece.tree.betting, piece.tree.tables, piece.tree.runs, piece.unit)
    return RiverBranch((sides[0], sides[1]), (dealt[0], dealt[1]), (above[0], above[1]), payoff)


def solve_branches(
    plans: Any, player: int, branches: Sequence[Any], iterations: int, *, beside: bool
) -> tuple[Any, SolvedGap]:
    """See `GamePlans.solved`."""
    solve = BranchSolve(plans, player, branches, beside=beside)
    for iteration in range(1, iterations + 1):
        for i in (0, 1):
            solve.value(i, solve.play(average=False), iteration)
    play = solve.play(average=True)
    for both, behaviours in zip([solve.first, *(river.sides for river in solve.rivers)], play, strict=True):
        for i, side in enumerate(both):
            plans = plans.put(i, side.places[1], behaviours[i][side.places[0]])
    return plans, SolvedGap(solve.value(0, play) + solve.value(1, play), False)


def local_bound(bound: BranchRestriction | None, whole: Treeplex, tree: Treeplex, places: Pairs) -> Restriction:
    """A local restriction of the whole tree in a part of it."""
    if bound is None or bound.trust is None:
        return Restriction()
    trust = bound.trust[whole.owner[places[1]]]
    keep, mix = np.ones(tree.lanes), np.zeros(tree.size)
    keep[tree.owner[places[0]]] = 1.0 - trust
    mix[places[0]] = trust * bound.model[places[1]]
    return Restriction(keep=keep, mix=mix)
