"""A subgame of a public tree: the part that follows a deal on one board, cut out as a separate public tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import compatible_weight, hand_text
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.hand_gadget_game import HandGadgetGame, PublicShape, build_gadget_game
from counterplay.subgames.entry import Entry
from counterplay.subgames.opponent_path import contract_path
from counterplay.subgames.plan_store import PlanStore
from counterplay.subgames.subtree import SubtreeMeasures
from counterplay.treeplex.branch_restriction import Numbers


@dataclass(frozen=True, eq=False)
class PublicSubtree(PublicShape, SubtreeMeasures):
    """A subtree of a public tree; its roots are the opponent's hands."""

    @property
    def counts_hands(self) -> bool:
        """True: gaps are chips of one hand."""
        return True

    def tops(self, player: int) -> I64:
        """(hands,) the sequence by which a player gets here with each hand."""
        return self.places(player)

    def lanes(self, player: int) -> Flags:
        """(lanes,) of the whole tree, whether each is a player's decision inside."""
        tree = self.whole.runs[player].tree
        out = np.zeros(tree.lanes, np.bool_)
        out[tree.owner[self.pairs(player)[1]]] = True
        return out

    @property
    def alike(self) -> I64 | None:
        """None, where others have (infosets,): every hand is a separate infoset."""
        return None

    def names(self) -> list[str]:
        """(hands,) the opponent's hands as texts."""
        return [hand_text(cards) for cards in self.tree.boards.cards.hands[self.dealt].tolist()]

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> HandGadgetGame:
        """The subtree after an entry (see `Subtree`); not the full gadget: every board alone would grant again what the
        opponent forgoes before it."""
        if entry.full:
            raise InputError(
                "one board of a spot is entered by unsafe, resolving or max-margin, not by the full gadget"
            )
        return build_gadget_game(self, entry, plan, unit)

    def gifts(self, plans: PlanStore) -> F64:
        """(hands,) gifts of the opponent on the path here, for reach max-margin: at each of their actions the best CFV
        there less that of the action, shared among all that follows the action by weight (as in `subgames.cut.gifts`).
        """
        player, plan = self.opponent, plans.reach(self.resolver)
        runs, betting = self.whole.runs[player], self.whole.betting
        cfv, here, out = plans.cfvs(player), self.weight(plan), np.zeros(self.size)
        after = int(runs.before[self.part.node])
        while after != DEAL:
            node = int(betting.parent[after])
            depth = layer_of(betting, node)
            at = self.above(depth)
            every = np.stack([cfv[int(runs.start[child]) + at] for child in betting.children(node)])
            given = every.max(axis=0) - cfv[int(runs.start[after]) + at]
            passing = self._passing(player, node, depth, plan)[at]
            live = (given > 0.0) & (passing > 0.0)
            out[live] += given[live] * here[live] / passing[live]
            after = int(runs.before[node])
        return out

    def path(self, plans: PlanStore, values: F64) -> Entry:
        """The path of each of the opponent's hands (see `Subtree`), dealt from their range; hands share no decisions."""
        runs, boards = self.whole.runs[self.opponent], self.whole.boards
        odds = boards.cards.weights[self.opponent][boards.layers[0].hand[boards.kept(0)]]
        dealt = dict(enumerate(odds.tolist(), int(runs.start[DEAL])))
        return contract_path(runs.tree, plans.cfvs(self.opponent), self.tops(self.opponent), values, dealt)

    def _passing(self, player: int, node: int, depth: int, plan: Numbers) -> F64:
        """(places of the layer,) chance's and the other player's reach of a player's hands at a node above, on its board."""
        layers, board = self.whole.boards.layers, self.part.board
        for k in range(self.part.layer, depth, -1):
            board = int(layers[k].parent[board])
        first, end = layers[depth].first[board : board + 2].tolist()
        reach = np.maximum(plan[self.whole.sequences_to(1 - player, node)[first:end]], 0.0)
        out = np.zeros(layers[depth].places)
        met_here = compatible_weight(self.whole.boards.cards.hands[layers[depth].hand[first:end]], reach)
        out[first:end] = self.whole.leaves.unit * layers[depth].chance * met_here
        return out


def subtree_at(whole: PublicTree, part: PublicNode, resolver: int) -> PublicSubtree | None:
    """Cut the part of a tree from the first node of a street on, on one board, for a resolver. None if the board leaves
    no two hands that can be dealt together."""
    layer, cards = whole.boards.layers[part.layer], whole.boards.cards
    kept = np.sort(layer.hand[int(layer.first[part.board]) : int(layer.first[part.board + 1])])
    inside = Cards(
        cards.deck, layer.boards[part.board], cards.hands[kept], np.ones((2, len(kept))), cards.rank, cards.held
    )
    if not inside.pairs > 0.0:
        return None
    betting = betting_below(whole.betting, part.node, whole.betting.rules.first + part.layer)
    return PublicSubtree(whole, part, public_tree(betting, inside), resolver)


def betting_below(betting: BettingTree, node: int, street: int) -> BettingTree:
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
