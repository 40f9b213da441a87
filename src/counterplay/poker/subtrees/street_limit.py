"""The end of a street: the tree up to there, and the border for value functions: ranges in, CFVs out, of both players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex, build_hand_treeplex, layer_of, sequences_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_nodes import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.problem.subgame import Beyond, Subgame

Evaluate = Callable[[F64, F64], tuple[F64, F64]]


@dataclass(frozen=True, eq=False)
class StreetEnd:
    """The part of a public tree up to the end of a street, where a showdown replaces the deal of the next card; and the
    border there, before that card. Ranges and CFVs run over `parts`, and within each over the hands of the part's board, in
    the order of `boards.Layer`. A CFV is chips of its player times chance's and the other player's reach.

    Attributes:
        nodes: (n,) the number in the whole tree of each node.
        precision: of what the compact engine stores when it solves the game beyond; None to solve that with arrays.
    """

    whole: PublicTree
    betting: BettingTree
    nodes: I64
    runs: tuple[HandTreeplex, HandTreeplex]
    precision: str | None = None

    @cached_property
    def deals(self) -> list[int]:
        """Betting nodes of the whole tree where it ends, at the deal of the next card, in order."""
        dealing = self.whole.betting.kind[self.nodes] == Kind.DEAL
        deals: list[int] = self.nodes[dealing & (self.betting.kind == Kind.SHOWDOWN)].tolist()
        return deals

    @property
    def pots(self) -> F64:
        """(deals,) chips in the middle there."""
        return np.asarray(self.whole.betting.pot[self.deals], np.float64)

    @property
    def depths(self) -> F64:
        """(deals,) chips behind of the shorter stack there, in pots."""
        betting = self.whole.betting
        left = np.array(betting.rules.stacks) * betting.rules.unit - betting.committed[self.deals]
        return np.asarray(np.maximum(left.min(axis=1), 0.0) / self.pots, np.float64)

    @property
    def layer(self) -> int:
        """The number of cards dealt since the start."""
        return layer_of(self.whole.betting, self.deals[0])

    @cached_property
    def parts(self) -> list[PublicNode]:
        """The deals, on every board."""
        boards = range(len(self.whole.boards.layers[self.layer].boards))
        return [PublicNode(deal, self.layer, board) for deal in self.deals for board in boards]

    @property
    def sizes(self) -> tuple[int, int]:
        """Length of the ranges of players 0 and 1."""
        places = len(self.deals) * self.whole.boards.layers[self.layer].places
        return places, places

    @property
    def unit(self) -> float:
        """The weight of a chip in a CFV, for one pair of hands of reach 1."""
        return self.whole.leaves.unit * self.whole.boards.layers[self.layer].chance

    def places(self, runs: HandTreeplex, nodes: list[int]) -> I64:
        """(hands,) the sequences by which a player reaches betting nodes where the street ends."""
        betting = self.betting if runs is self.runs[runs.tree.player] else self.whole.betting
        return np.concatenate([sequences_to(betting, self.whole.boards, runs, node, self.layer) for node in nodes])

    def beyond(self, evaluate: Evaluate) -> Beyond:
        """A value function as leaves of the plans in the part."""
        small = np.searchsorted(self.nodes, self.deals).tolist()
        at = [self.places(runs, small) for runs in self.runs]
        sizes = [runs.tree.size for runs in self.runs]

        def leaves(plan0: F64, plan1: F64) -> tuple[F64, F64]:
            cfvs = evaluate(np.maximum(plan0[at[0]], 0.0), np.maximum(plan1[at[1]], 0.0))
            first, second = (np.bincount(at[i], cfvs[i], sizes[i]).astype(np.float64) for i in (0, 1))
            return first, second

        return leaves

    def problem(self) -> Subgame:
        """The street alone, for leaves beyond it, without payoffs at its end."""
        ends = np.isin(self.nodes, self.deals)
        paid: Any = {name: np.where(ends, 0.0, getattr(self.betting, name)) for name in ("win", "lose", "tie")}
        return replace(self, betting=replace(self.betting, **paid)).subgame()

    def subgame(self) -> Subgame:
        """The problem whose value at the end of the street is the equity of the pot."""
        boards, weights = self.whole.boards, self.whole.boards.cards.weights
        layer = boards.layers[0]
        first, second = (runs.given(weights[i][layer.hand]) for i, runs in enumerate(self.runs))
        leaves = ShowdownPayoff(self.betting, self.whole.tables, self.runs, self.whole.leaves.unit)
        return Subgame((self.runs[0].tree, self.runs[1].tree), leaves, (first, second))

    def layers(self, player: int) -> I64:
        """(sequences,) for each of `pairs` the layer on which the player chose it; -1 for the root and the deal."""
        boards = self.whole.boards
        found = [np.full(1 + 2 * boards.layers[0].places, -1)]
        for node in self.decisions(player):
            layer = layer_of(self.betting, node)
            found.append(np.full(boards.layers[layer].places * len(self.betting.children(node)), layer))
        return np.concatenate(found)

    def decisions(self, player: int) -> list[int]:
        found: list[int] = np.flatnonzero(self.runs[player].lane[:DEAL] >= 0).tolist()
        return found

    def pairs(self, player: int) -> tuple[I64, I64]:
        """Two (sequences,) arrays: indices of a player's sequences in the part and in the whole."""
        small, large, boards = self.runs[player], self.whole.runs[player], self.whole.boards
        parts = [(np.array([0]), np.array([0]))]
        width = int(small.tree.arrays.groups[0, 1])
        deal = np.concatenate([k * width + np.arange(boards.layers[0].places) for k in (0, 1)])
        parts.append((small.start[DEAL] + deal, large.start[DEAL] + deal))
        for node in self.decisions(player):
            count = np.arange(boards.layers[layer_of(self.betting, node)].places)
            after = self.betting.children(node)
            parts += [(small.start[child] + count, large.start[self.nodes[child]] + count) for child in after]
        one, other = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return one, other


def truncate(tree: PublicTree, layer: int) -> StreetEnd:
    """The part of a tree in which at most `layer` cards were dealt."""
    betting, nodes = cut_betting(tree.betting, tree.betting.rules.first + layer)
    runs = build_hand_treeplex(betting, tree.boards, 0), build_hand_treeplex(betting, tree.boards, 1)
    return StreetEnd(tree, betting, nodes, runs)


def cut_betting(betting: BettingTree, street: int) -> tuple[BettingTree, I64]:
    """The tree without what follows a deal that ends `street`, and the (n,) nodes that are left; what was that deal is a
    showdown for the pot."""
    stops = (betting.kind == Kind.DEAL) & (betting.street == street)
    keep = np.ones(betting.nodes, np.bool_)
    for node in np.flatnonzero(stops).tolist():
        keep[node + 1 : int(betting.end[node])] = False
    nodes = np.flatnonzero(keep)
    number = np.cumsum(keep) - 1
    parent = np.where(betting.parent[nodes] >= 0, number[betting.parent[nodes]], -1).astype(np.int32)
    count = np.where(stops[nodes], 0, np.diff(betting.first)[nodes])
    first = np.append(0, np.cumsum(count)).astype(np.int32)
    child = [number[one] for node in nodes.tolist() if not stops[node] for one in betting.children(node)]
    half = np.where(stops[nodes], 0.5 * betting.pot[nodes], 0.0)
    return replace(
        betting,
        kind=np.where(stops[nodes], np.int8(Kind.SHOWDOWN), betting.kind[nodes]).astype(np.int8),
        parent=parent,
        end=np.append(number, len(nodes))[betting.end[nodes]].astype(np.int32),
        first=first,
        child=np.array(child, np.int32),
        win=betting.win[nodes] + half,
        lose=betting.lose[nodes] - half,
        **{
            name: getattr(betting, name)[nodes]
            for name in ("action", "move", "to", "street", "committed", "pot", "tie")
        },
    ), nodes
