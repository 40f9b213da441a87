"""Truncated trees: a betting tree that ends at the deal of a card, with all-in equity there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Boards
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex, build_hand_treeplex, layer_of
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.problem.subgame import Subgame


@dataclass(frozen=True, eq=False)
class TruncatedTree:
    """The part of a public tree up to the end of a street, where a showdown replaces the deal of the next card. nodes:
    (n,) the number in the whole tree of each node."""

    whole: PublicTree
    betting: BettingTree
    nodes: I64
    runs: tuple[HandTreeplex, HandTreeplex]

    @property
    def deals(self) -> I64:
        """(n,) the nodes of the whole tree where it ends, at the deal of the next card, in order."""
        dealing = self.whole.betting.kind[self.nodes] == Kind.DEAL
        found: I64 = self.nodes[dealing & (self.betting.kind == Kind.SHOWDOWN)]
        return found

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


def truncate(tree: PublicTree, layer: int) -> TruncatedTree:
    """The part of a tree in which at most `layer` cards were dealt."""
    betting, nodes = cut_betting(tree.betting, tree.betting.rules.first + layer)
    boards: Boards = tree.boards
    return TruncatedTree(
        tree, betting, nodes, (build_hand_treeplex(betting, boards, 0), build_hand_treeplex(betting, boards, 1))
    )


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
