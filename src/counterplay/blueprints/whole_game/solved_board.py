"""A player's decisions on a board and after it; later boards are re-solved when they are dealt, or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.poker.whole_game.holdem import Floats
from counterplay.subgames.plan_store import ArrayPlans, PlanStore
from counterplay.treeplex.strategy import Strategy


@dataclass(eq=False)
class SolvedBoard:
    """A board and the boards after it.

    Attributes:
        piece: the rest of the hand from the board on.
        mine: (size,) the own behaviour there.
        theirs: (size,) the opponent's, as the look-aheads have seen it; None where no board is solved again.
        model: of the opponent.
        search: by which later boards are solved again; None to keep to what is decided.
    """

    piece: BoardSubtree
    mine: Floats
    theirs: Floats | None = None
    model: PlanStore | None = None
    search: Search | None = None
    _done: set[PublicNode] = field(default_factory=set)

    @staticmethod
    def of(piece: BoardSubtree, known: Knowledge, found: ResolvedSubtree | None, search: Search) -> SolvedBoard:
        """What is played after a solution, or as before if there is none. Against the model alone, and where the range is
        given, a later board has nothing new to say."""
        me, other = piece.resolver, piece.opponent
        mine, theirs = (known.plans.behaviour(player)[:] for player in (me, other))
        if found is not None:
            mine, theirs = found.splice(me, mine), found.splice(other, theirs)
        again = None if found is None or search.p == 1.0 or search.gadget.fixes_range else search
        return SolvedBoard(piece, mine, theirs, known.model, again)

    def rows(self, node: int, board: tuple[int, ...]) -> Floats:
        """(actions, hands of the deck) the probabilities at a betting node of the piece, on one of its boards.

        Raises:
            KeyboardInterrupt: a board that had to be solved first was not.
        """
        if self.search is not None:
            for part in self._way_to(node, board):
                if part not in self._done:
                    self._decide(part)
        return self.piece.rows(self.mine, self.piece.resolver, node, board)

    def solve_all(self) -> SolvedBoard:
        """Solve every later board, as if it were dealt; returns itself.

        Raises:
            KeyboardInterrupt: one was not.
        """
        betting = self.piece.whole.betting
        for node in range(1, betting.nodes) if self.search is not None else ():  # a node comes after those on its path
            if betting.kind[int(betting.parent[node])] != Kind.DEAL:
                continue
            layer = layer_of(betting, node)
            for number in range(len(self.piece.whole.boards.layers[layer].boards)):
                part = PublicNode(node, layer, number)
                if part not in self._done:
                    self._decide(part)
        return self

    def _way_to(self, node: int, board: tuple[int, ...]) -> Iterator[PublicNode]:
        """The nodes where later streets begin on the path to a node, in order."""
        tree, first = self.piece.whole, len(self.piece.board)
        firsts = []
        while node > 0:
            above = int(tree.betting.parent[node])
            if tree.betting.kind[above] == Kind.DEAL:
                firsts.append(node)
            node = above
        for layer, top in enumerate(reversed(firsts), 1):
            yield PublicNode(top, layer, tree.boards.layers[layer].boards.index(board[: first + layer]))

    def _decide(self, part: PublicNode) -> None:
        """Solve a later board again, behind the gadget."""
        piece, (me, other) = self.piece, (self.piece.resolver, self.piece.opponent)
        assert self.theirs is not None
        assert self.search is not None
        trees = piece.whole.subgame.trees
        plans = ArrayPlans.of(piece.whole.subgame, Strategy(trees[me], self.mine), Strategy(trees[other], self.theirs))
        found = resolve_subtree(subtree_at(piece.whole, part, me), self.search, Knowledge(plans, self.model))
        if found is not None and found.interrupted:
            raise KeyboardInterrupt
        if found is not None:
            self.mine, self.theirs = found.splice(me, self.mine), found.splice(other, self.theirs)
        self._done.add(part)
