"""From a betting tree and cards to a problem like any other: two treeplexes, leaves, and the ranges as a restriction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from counterplay.errors import InputError
from counterplay.poker.betting_tree import BettingTree
from counterplay.poker.boards import Boards, Cards
from counterplay.poker.leaves import Showdowns
from counterplay.poker.runs import Runs, runs_of
from counterplay.poker.tables import Tables, tables_of
from counterplay.subgames.subgame import Subgame


@dataclass(frozen=True, eq=False)
class PublicTree:
    """A public tree with ranges, ready to be solved.

    Attributes:
        betting: the betting, without cards.
        boards: the cards that may come, and the hands that each board leaves.
        tables: the same for the kernels.
        runs: both players' treeplexes and what stands where in them.
    """

    betting: BettingTree
    boards: Boards
    tables: Tables
    runs: tuple[Runs, Runs]

    @cached_property
    def leaves(self) -> Showdowns:
        """Chips per deal: a pair of hands is as likely as both weights say, of all pairs that share no card."""
        return Showdowns(self.betting, self.tables, self.runs, 1.0 / self.boards.cards.pairs)

    @cached_property
    def subgame(self) -> Subgame:
        """The problem, both players dealt from their ranges and otherwise free."""
        layer, weights = self.boards.layers[0], self.boards.cards.weights
        first, second = (runs.given(weights[i][layer.hand]) for i, runs in enumerate(self.runs))
        return Subgame((self.runs[0].tree, self.runs[1].tree), self.leaves, (first, second))


def public_tree(betting: BettingTree, cards: Cards) -> PublicTree:
    """Lay out a problem.

    Raises:
        InputError: no two hands can be dealt together.
    """
    if not cards.pairs > 0.0:
        raise InputError("the ranges leave no two hands that can be dealt together on this board")
    boards = Boards(cards, betting.rules.last - betting.rules.first)
    runs = runs_of(betting, boards, 0), runs_of(betting, boards, 1)
    return PublicTree(betting, boards, tables_of(boards), runs)
