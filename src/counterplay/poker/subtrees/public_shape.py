"""A part of a public tree that follows a deal on one board: with the indices of its hands and sequences in
the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, layer_of_last_choice
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.treeplex.branch_restriction import Numbers

_NOTHING = 1e-12
"""Share of the largest weight below which a weight is rounding."""


@dataclass(frozen=True, eq=False)
class PublicShape:
    """A part of a public tree, cut out.

    Attributes:
        whole: the tree.
        part: its root: a betting node on a board.
        tree: the part as a separate public tree; its hands are those that the board leaves.
        resolver: the player who re-solves it.
    """

    whole: PublicTree
    part: PublicNode
    tree: PublicTree
    resolver: int

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver

    @property
    def size(self) -> int:
        """The number of hands that the board leaves."""
        return len(self.tree.boards.cards.hands)

    def places(self, player: int) -> I64:
        """(hands,) the sequences of the whole tree by which a player's hands get here."""
        whole, runs = self.whole, self.whole.runs[player]
        above = self.above(layer_of_last_choice(whole.betting, runs, self.part.node))
        return int(runs.start[runs.before[self.part.node]]) + above

    @property
    def dealt(self) -> I64:
        """(places of the first layer,) the hand dealt at each, by number in the piece."""
        return self.tree.boards.layers[0].hand

    @property
    def unit(self) -> float:
        """The weight of a chip, as in the whole tree."""
        return self.whole.leaves.unit * self.whole.boards.layers[self.part.layer].chance

    def payoff(self, divisor: float) -> ShowdownPayoff:
        """The payoff of the part, in the unit of the whole tree divided by a number."""
        return self._payoff.times(1.0 / divisor)

    @cached_property
    def _payoff(self) -> ShowdownPayoff:
        return ShowdownPayoff(self.tree.betting, self.tree.tables, self.tree.runs, self.unit)

    def range(self, player: int, plan: Numbers) -> F64:
        """(hands,) the reach that a plan of the whole tree gives each hand."""
        found: F64 = np.maximum(plan[self.places(player)], 0.0)
        return found

    def weight(self, plan: Numbers) -> F64:
        """(hands,) chance's and the resolver's reach of each hand of the opponent, given the resolver's plan; in the unit of
        CFVs."""
        found = compatible_weight(self.tree.boards.cards.hands[self.dealt], self.range(self.resolver, plan))
        found[found < _NOTHING * found.max(initial=0.0)] = 0.0
        return self.unit * found

    def above(self, depth: int) -> I64:
        """(hands,) the place of each hand on the board of an earlier layer."""
        layer = self.whole.boards.layers[self.part.layer]
        here = slice(int(layer.first[self.part.board]), int(layer.first[self.part.board + 1]))
        order = np.argsort(layer.hand[here], kind="stable")
        found: I64 = self.whole.boards.above(self.part.layer, depth)[here][order][self.dealt]
        return found

    def pairs(self, player: int) -> tuple[Any, Any]:
        """(n,) the indices of a player's sequences in the part, and (n,) in the whole tree; slices where these are runs."""
        small, large = self.tree, self.whole
        inner, outer = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
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
                    # A run of an action: the hands of all boards of its layer; those of board b begin at layer.first[b].
                    at = int(small.runs[player].start[one]) + begin + mine
                    inner.append(at)
                    outer.append(int(large.runs[player].start[two]) + first + other)
        return np.concatenate(inner), np.concatenate(outer)

    @property
    def _known(self) -> I64:
        """(hands,) the number in the whole tree of each hand of the piece."""
        layer = self.whole.boards.layers[self.part.layer]
        return np.sort(layer.hand[int(layer.first[self.part.board]) : int(layer.first[self.part.board + 1])])
