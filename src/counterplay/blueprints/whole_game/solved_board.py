"""A player's decisions on a board and after it; later boards are re-solved when they are dealt, or all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.blueprints.whole_game.solved_behaviour import ChangedBehaviour, SolvedBehaviour, SolvedPlans
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.hand_treeplex import layer_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.subgames.plan_store import PlanStore
from counterplay.treeplex.branch_restriction import Numbers


@dataclass(eq=False)
class LaterSearches:
    """The searches of the boards after one.

    Attributes:
        theirs: the opponent's behaviour, as the look-aheads so far have seen it.
        model: the opponent's model; None without.
        search: how boards are solved again.
    """

    theirs: Numbers
    model: PlanStore | None
    search: Search


@dataclass(eq=False)
class SolvedBoard:
    """A board and the boards after it.

    Attributes:
        piece: the rest of the hand from the board on.
        played: the own behaviour there.
        later: by which later boards are solved again; None to keep to what is decided.
    """

    piece: BoardSubtree
    played: Numbers
    later: LaterSearches | None = None
    _done: set[PublicNode] = field(default_factory=set)

    @staticmethod
    def of(piece: BoardSubtree, known: Knowledge, found: ResolvedSubtree | None, search: Search) -> SolvedBoard:
        """What is played after a solution, or as before if there is none. Against the model alone, and where the range is
        given, a later board has nothing new to say."""
        own, other = (
            _Before(known.plans, player, piece.whole.runs[player].first_after_deal)
            for player in (piece.resolver, piece.opponent)
        )
        if found is None:
            return SolvedBoard(piece, own)
        mine, theirs = (SolvedBehaviour(found, one.player, one) for one in (own, other))
        final = search.p == 1.0 or search.gadget.fixes_range
        return SolvedBoard(piece, mine, None if final else LaterSearches(theirs, known.model, search))

    @property
    def mine(self) -> F64:
        """(size,) the own behaviour."""
        return np.asarray(self.played[:], np.float64)

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        """(actions, hands of the deck) the probabilities at a betting node of the piece, on one of its boards."""
        if self.later is not None:
            for part in self._way_to(node, board):
                self._decide(part, self.later)
        return self.piece.rows(self.played, self.piece.resolver, node, board)

    def solve_all(self) -> SolvedBoard:
        """Solve every later board, as if it were dealt; returns itself."""
        betting, later = self.piece.whole.betting, self.later
        if later is None:
            return self
        # All of it is asked for, and changed in place.
        self.played, later.theirs = np.array(self.played[:], np.float64), np.array(later.theirs[:], np.float64)
        for node in range(1, betting.nodes):  # a node comes after those on its path
            if betting.kind[int(betting.parent[node])] != Kind.DEAL:
                continue
            layer = layer_of(betting, node)
            for number in range(len(self.piece.whole.boards.layers[layer].boards)):
                self._decide(PublicNode(node, layer, number), later)
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

    def _decide(self, part: PublicNode, later: LaterSearches) -> None:
        """Solve a later board again, behind the gadget, unless it was solved."""
        if part in self._done:
            return
        piece, (me, other) = self.piece, (self.piece.resolver, self.piece.opponent)
        both = (self.played, later.theirs) if me == 0 else (later.theirs, self.played)
        plans = SolvedPlans(piece.whole.subgame, both)
        found = resolve_subtree(subtree_at(piece.whole, part, me), later.search, Knowledge(plans, later.model))
        if found is not None and found.interrupted:
            raise KeyboardInterrupt
        if found is not None:
            self.played = self._changed(found, me, self.played)
            later.theirs = self._changed(found, other, later.theirs)
        self._done.add(part)

    def _changed(self, found: ResolvedSubtree, player: int, before: Numbers) -> Numbers:
        """A player's behaviour with a later board's solution; an array is changed in place."""
        inner, outer = found.game.pairs(player)
        if isinstance(before, np.ndarray):
            before[outer] = found.played(player, before)[inner]
            return before
        size = self.piece.whole.runs[player].tree.size
        return ChangedBehaviour.of(before, outer, found.played(player, before)[inner], size)


@dataclass(frozen=True, eq=False)
class _Before:
    """A player's behaviour before a solution, which is computed only where a solution does not come.

    Attributes:
        plans: where it is.
        player: whose.
        end: one past the deal's sequences, whose probabilities are those of the plan.
    """

    plans: PlanStore
    player: int
    end: int

    def __getitem__(self, sequences: Any) -> Any:
        if isinstance(sequences, np.ndarray) and sequences.max(initial=0) < self.end:
            return self.plans.reach(self.player)[sequences]
        return self.plans.behaviour(self.player)[sequences]
