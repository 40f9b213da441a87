"""One street of a board as a subtree to re-solve, without payoffs at its ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import I64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.subtrees.truncated import cut_betting
from counterplay.poker.whole_game.board_problem import betting_after, cards_after, first_node
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame


@dataclass(frozen=True, eq=False, kw_only=True)
class StreetAlone(BoardSubtree):
    """The street.

    Attributes:
        nodes: (nodes,) the number of each of its betting nodes in the rest of the hand.
        at: the board.
    """

    nodes: I64
    at: Board

    def node(self, node: int) -> int:
        """The node in the betting of the whole game."""
        return super().node(int(self.nodes[node]))

    @cached_property
    def place(self) -> I64:
        """(hands,) the place of each hand on the board."""
        where = np.zeros(len(self.game.deck.hands), np.int64)
        where[self.at.hand] = np.arange(len(self.at.hand))
        return np.asarray(where[self.numbers], np.int64)

    @property
    def next_entries(self) -> I64:
        """(ends,) the ends as numbers in `HoldemGame.roots` of the next street."""
        roots, first = self.game.roots[self.street + 1], self.node(0)
        found: I64 = np.flatnonzero((roots >= first) & (roots < int(self.game.betting.end[first])))
        return found


def street_tree(game: HoldemGame, street: int, entry: int, at: Board) -> tuple[PublicTree, I64]:
    """The street alone, without payoffs at its ends, and the number (nodes,) of each node in the rest of the hand."""
    betting, nodes = cut_betting(betting_after(game, street, entry), street)
    ends = betting.kind == Kind.SHOWDOWN
    paid: Any = {name: np.where(ends, 0.0, getattr(betting, name)) for name in ("win", "lose", "tie")}
    alone = replace(betting, rules=replace(betting.rules, last=street), **paid)
    return public_tree(alone, cards_after(game, at.cards)), nodes


def ends_of(game: HoldemGame, street: int, entry: int, nodes: I64) -> list[int]:
    """The nodes of the street where the next card is dealt; `nodes` (nodes,) are those of `street_tree`."""
    found: list[int] = np.flatnonzero(np.isin(nodes + first_node(game, street, entry), game.roots[street + 1])).tolist()
    return found
