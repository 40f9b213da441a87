"""A subgame of a public tree: the part that follows a deal on one board, cut out as a public tree of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.compatible_hands import compatible_weight
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, layer_of_last_choice
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.treeplex.sweeps import best, values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NOTHING = 1e-12
"""Share of the largest weight below which a weight is rounding."""


@dataclass(frozen=True, eq=False)
class PublicSubtree:
    """A part of a public tree, cut out.

    Attributes:
        whole: the tree.
        part: where it begins: a betting node on a board.
        tree: the part as a public tree of its own; its hands are those that the board leaves.
    """

    whole: PublicTree
    part: PublicNode
    tree: PublicTree

    @property
    def size(self) -> int:
        """How many hands the board leaves."""
        return len(self.tree.boards.cards.hands)

    def places(self, player: int) -> Ints:
        """(hands,) the sequences of the whole tree that lead a player's hands here."""
        whole, runs = self.whole, self.whole.runs[player]
        above = self._above(layer_of_last_choice(whole.betting, runs, self.part.node))
        return int(runs.start[runs.before[self.part.node]]) + above

    @property
    def dealt(self) -> Ints:
        """(places of the first layer,) the hand dealt at each, by number in the piece."""
        return self.tree.boards.layers[0].hand

    @property
    def unit(self) -> float:
        """What a chip counts here, as in the whole tree."""
        return self.whole.leaves.unit * self.whole.boards.layers[self.part.layer].chance

    def range(self, player: int, plan: Floats) -> Floats:
        """(hands,) what a plan of the whole tree gives to each hand."""
        found: Floats = np.maximum(plan[self.places(player)], 0.0)
        return found

    def weight(self, player: int, plan: Floats) -> Floats:
        """(hands,) chance's and the other player's reach of each hand of a player, given the other's plan; in the unit of
        CFVs."""
        found = compatible_weight(self.tree.boards.cards.hands[self.dealt], self.range(1 - player, plan))
        found[found < _NOTHING * found.max(initial=0.0)] = 0.0
        return self.unit * found

    def claims(self, player: int, plan: Floats, behaviour: Floats | None = None) -> Floats:
        """(hands,) CFVs of a player inside the part against a plan of the other in the whole tree: by a best response, or by
        a behaviour in the whole tree."""
        whole, tree = self.whole, self.whole.runs[player].tree
        payoff = ShowdownPayoff(whole.betting, whole.tables, whole.runs, whole.leaves.unit, self.part)
        cfv = payoff.product(player, plan)
        if behaviour is not None:
            return np.asarray(values(tree, behaviour, cfv)[self.places(player)], np.float64)
        best(tree.arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(tree.size))
        return np.asarray(cfv[self.places(player)], np.float64)

    def gifts(self, player: int, plan: Floats) -> Floats:
        """(hands,) what a player gave away on the way here against a plan of the other, for reach max-margin: at each own
        action the best CFV there less that of the action, shared among all that follows the action by weight (as
        `lookahead.alternative_values.gifts` has it)."""
        whole, runs, betting = self.whole, self.whole.runs[player], self.whole.betting
        cfv = np.array(whole.leaves.product(player, plan))
        best(runs.tree.arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(runs.tree.size))
        here, out = self.weight(player, plan), np.zeros(self.size)
        after = int(runs.before[self.part.node])
        while after != DEAL:
            node = int(betting.parent[after])
            depth = layer_of(betting, node)
            at = self._above(depth)
            every = np.stack([cfv[int(runs.start[child]) + at] for child in betting.children(node)])
            given = every.max(axis=0) - cfv[int(runs.start[after]) + at]
            passing = self._passing(player, node, depth, plan)[at]
            live = (given > 0.0) & (passing > 0.0)
            out[live] += given[live] * here[live] / passing[live]
            after = int(runs.before[node])
        return out

    def _above(self, depth: int) -> Ints:
        """(hands,) the place of each hand on the board of an earlier layer."""
        layer = self.whole.boards.layers[self.part.layer]
        here = slice(int(layer.first[self.part.board]), int(layer.first[self.part.board + 1]))
        order = np.argsort(layer.hand[here], kind="stable")
        found: Ints = self.whole.boards.above(self.part.layer, depth)[here][order][self.dealt]
        return found

    def _passing(self, player: int, node: int, depth: int, plan: Floats) -> Floats:
        """(places of the layer,) chance's and the other player's reach of a player's hands at a node above, on its board."""
        layers, other = self.whole.boards.layers, self.whole.runs[1 - player]
        board = self.part.board
        for k in range(self.part.layer, depth, -1):
            board = int(layers[k].parent[board])
        first, end = layers[depth].first[board : board + 2].tolist()
        up = self.whole.boards.above(depth, layer_of_last_choice(self.whole.betting, other, node))[first:end]
        reach = np.maximum(plan[int(other.start[other.before[node]]) + up], 0.0)
        out = np.zeros(layers[depth].places)
        met_here = compatible_weight(self.whole.boards.cards.hands[layers[depth].hand[first:end]], reach)
        out[first:end] = self.whole.leaves.unit * layers[depth].chance * met_here
        return out

    def spliced(self, player: int, inside: Floats, whole: Floats, shift: int) -> Floats:
        """(size,) a behaviour of the whole tree with that of the piece put in.

        Args:
            player: whose.
            inside: behaviour in the piece.
            whole: behaviour in the whole tree.
            shift: by how much the entry moves the piece's sequences.
        """
        out = whole.copy()
        for large, small in self.pairs(player):
            out[large] = inside[shift + small]
        return out

    def pairs(self, player: int) -> list[tuple[Ints, Ints]]:
        """Where a player's sequences stand in the whole tree and in the piece, run by run."""
        small, large = self.tree, self.whole
        found = []
        for node in np.flatnonzero(small.runs[player].lane[:DEAL] >= 0).tolist():
            there, depth = self.part.node + node, layer_of(small.betting, node)
            ours, theirs = small.boards.layers[depth], large.boards.layers[self.part.layer + depth]
            above = large.boards.layers[self.part.layer].boards[self.part.board]
            for b, board in enumerate(ours.boards):
                k = theirs.boards.index((*above, *board[len(above) :]))
                first, end = theirs.first[k : k + 2].tolist()
                begin = int(ours.first[b])
                # both in order of the cards first: ties of strength may stand otherwise
                mine = np.argsort(self._known[ours.hand[begin : int(ours.first[b + 1])]], kind="stable")
                other = np.argsort(theirs.hand[first:end], kind="stable")
                pairs = zip(small.betting.children(node), large.betting.children(there), strict=True)
                for one, two in pairs:
                    at = int(small.runs[player].start[one]) + begin + mine
                    found.append((int(large.runs[player].start[two]) + first + other, at))
        return found

    @property
    def _known(self) -> Ints:
        """(hands,) the number in the whole tree of each hand of the piece."""
        layer = self.whole.boards.layers[self.part.layer]
        return np.sort(layer.hand[int(layer.first[self.part.board]) : int(layer.first[self.part.board + 1])])


def subtree_at(whole: PublicTree, part: PublicNode) -> PublicSubtree | None:
    """Cut the part of a tree that begins at a betting node on a board; its first node is the first of a street. None if the
    board leaves no two hands that can be dealt together."""
    layer, cards = whole.boards.layers[part.layer], whole.boards.cards
    kept = np.sort(layer.hand[int(layer.first[part.board]) : int(layer.first[part.board + 1])])
    inside = Cards(
        cards.deck, layer.boards[part.board], cards.hands[kept], np.ones((2, len(kept))), cards.rank, cards.held
    )
    if not inside.pairs > 0.0:
        return None
    betting = _below(whole.betting, part.node, whole.betting.rules.first + part.layer)
    return PublicSubtree(whole, part, public_tree(betting, inside))


def _below(betting: BettingTree, node: int, street: int) -> BettingTree:
    """The betting from a node on, which is the first of a street."""
    here = slice(node, int(betting.end[node]))
    parent = betting.parent[here] - node
    parent[0] = -1
    first = betting.first[node : here.stop + 1] - betting.first[node]
    child = betting.child[betting.first[node] : betting.first[here.stop]] - node
    move = betting.move[here].copy()
    move[0] = 0
    names = ("kind", "action", "to", "street", "committed", "pot", "win", "lose", "tie")
    return replace(
        betting, rules=replace(betting.rules, first=street), parent=parent, end=betting.end[here] - node, first=first,
        child=child, move=move, **{name: getattr(betting, name)[here] for name in names},
    )  # fmt: skip
