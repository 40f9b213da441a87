"""Public trees: a betting tree and cards as a problem with two treeplexes, leaves, and the ranges as a restriction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import NoDealError
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Boards, Cards, IsomorphicBoards, Tables, isomorphic_suits, tables_of
from counterplay.poker.public_tree.hand_treeplex import (
    DEAL,
    HandTreeplex,
    Shape,
    build_hand_treeplex,
    layer_of,
    sequences_to,
    shape_of,
)
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Progress, Solution, Stop, solve_cfr
from counterplay.solvers.minimiser import Minimiser


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree with ranges, ready to be solved: betting, boards, boards laid out for the kernels, both players'
    runs."""

    betting: BettingTree
    boards: Boards
    tables: Tables
    runs: tuple[HandTreeplex, HandTreeplex]

    @property
    def is_folded(self) -> bool:
        return isinstance(self.boards, IsomorphicBoards)

    @cached_property
    def leaves(self) -> ShowdownPayoff:
        """The payoff in chips per deal: pairs of hands that share no card, weighted by both ranges."""
        return ShowdownPayoff(self.betting, self.tables, self.runs, 1.0 / self.boards.cards.pairs)

    @cached_property
    def subgame(self) -> Subgame:
        """The problem, both players dealt from their ranges and otherwise free."""
        hands, weights = self.boards.layers[0].hand[self.boards.kept(0)], self.boards.cards.weights
        first, second = (runs.given(weights[i][hands]) for i, runs in enumerate(self.runs))
        return Subgame((self.runs[0].tree, self.runs[1].tree), self.leaves, (first, second))

    def infosets(self, player: int) -> int:
        """Number of infosets of a player, counted without the treeplex."""
        return int(self.shapes[player].groups[:, 4].sum())

    def lanes(self, player: int) -> int:
        """Number of lanes of a player's treeplex, padding included, counted without it."""
        return int(self.shapes[player].groups[:, 1].sum())

    def sequences(self, player: int) -> int:
        """Number of sequences of a player, counted without the treeplex."""
        return 1 + int(self.shapes[player].groups[:, [2, 4]].prod(axis=1).sum())

    @cached_property
    def shapes(self) -> list[Shape]:
        """The layout of both players' treeplexes, without them."""
        lanes = [self.boards.lanes(layer) for layer in range(len(self.boards.layers))]
        return [shape_of(self.betting, player, lanes) for player in (0, 1)]

    def sequences_to(self, player: int, node: int, layer: int | None = None) -> I64:
        """(places of the layer,) the sequences by which a player's hands reach a betting node, board by board; by
        default on the boards of the node's own layer."""
        here = layer_of(self.betting, node) if layer is None else layer
        return sequences_to(self.betting, self.boards, self.runs[player], node, here)

    def sequences_at(self, player: int, node: int, places: I64 | None = None) -> I64:
        """(places, actions) a player's sequences at a decision, board by board; at some places of its layer, if given."""
        at = np.arange(self.boards.layers[layer_of(self.betting, node)].places) if places is None else places
        return self.runs[player].start[self.betting.children(node)][None, :] + at[:, None]


def public_tree(betting: BettingTree, cards: Cards, *, alike: bool = False) -> PublicTree:
    """Lay out a problem. With `alike` isomorphic suits are dealt once (see `poker.public_tree.boards`): fewer
    sequences, equal values; `every_plan` gives the plans on all boards. A tree from before the flop on takes no
    `alike`. A `NoDealError` if no two hands can be dealt together."""
    boards = boards_of(betting, cards, alike=alike)
    runs = build_hand_treeplex(betting, boards, 0), build_hand_treeplex(betting, boards, 1)
    return PublicTree(betting, boards, tables_of(boards), runs)


def boards_of(betting: BettingTree, cards: Cards, *, alike: bool) -> Boards:
    """The boards of a betting tree; errors as of `public_tree`."""
    if not cards.pairs > 0.0:
        raise NoDealError("the ranges leave no two hands that can be dealt together on this board")
    deals, group = betting.rules.last - betting.rules.first, isomorphic_suits(cards) if alike else ()
    if deals > 0 and len(group) > 1:
        return IsomorphicBoards(cards, deals, group)
    return Boards(cards, deals, flop=betting.rules.first == 0)


def every_plan(few: PublicTree, every: PublicTree, player: int, plan: F64) -> F64:
    """(size of the tree of all boards,) a plan of a tree with isomorphic suits dealt once, expanded to all boards."""
    if not isinstance(few.boards, IsomorphicBoards):
        return plan
    lanes = [few.boards.lane_of_all(every.boards, layer) for layer in range(len(every.boards.layers))]
    # lanes[layer]: for each place on all boards, the place among those dealt once.
    old, new = few.runs[player], every.runs[player]
    out = np.zeros(new.tree.size)
    out[0] = 1.0
    for node in range(DEAL, every.betting.nodes):
        if new.start[node] >= 0:
            layer = lanes[0 if node == DEAL else layer_of(every.betting, int(every.betting.parent[node]))]
            out[new.start[node] : new.start[node] + len(layer)] = plan[old.start[node] + layer]
    width = [int(runs.tree.arrays.groups[0, 1]) for runs in (old, new)]
    first = new.start[DEAL] + width[1]  # those not held
    out[first : first + len(lanes[0])] = plan[old.start[DEAL] + width[0] + lanes[0]]
    return out


def solve_tree(
    betting: BettingTree, cards: Cards, method: Minimiser, stop: Stop, progress: Progress | None = None
) -> tuple[PublicTree, Solution]:
    """Solve in float64, both players free within their ranges and isomorphic suits dealt once: the tree of all boards,
    about 26 bytes per sequence, and the solution on it. Where memory is scarce, solve the smaller tree of `public_tree`
    instead."""
    few = public_tree(betting, cards, alike=True)
    found = solve_cfr(few.subgame, method, stop, progress)
    if not few.is_folded:
        return few, found
    every = public_tree(betting, cards)
    plans = every_plan(few, every, 0, found.plans[0]), every_plan(few, every, 1, found.plans[1])
    return every, replace(found, plans=plans)
