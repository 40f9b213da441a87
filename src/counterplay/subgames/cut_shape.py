"""The extent of a part of a compiled game: its roots, its histories, and the limit of the look-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I32, I64
from counterplay.gametree.compile.compile import GameTree
from counterplay.treeplex.branch_restriction import Numbers


@dataclass(frozen=True, eq=False)
class Border:
    """Histories (n,) closed under both players' infosets: the roots of a subgame, or the limit of a look-ahead. known:
    two (n,) arrays, the augmented infoset of each player at each, numbered from 0 within the border. infosets: two
    arrays, the number in the game of each of these augmented infosets."""

    game: GameTree
    histories: I64
    known: tuple[I32, I32]
    infosets: tuple[I32, I32]

    @staticmethod
    def at(game: GameTree, histories: I64) -> Border:
        numbered = [np.unique(info[histories], return_inverse=True) for info in game.histories.info]
        (names0, known0), (names1, known1) = numbered
        return Border(game, histories, (known0.astype(np.int32), known1.astype(np.int32)), (names0, names1))

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of augmented infosets of each player here."""
        return len(self.infosets[0]), len(self.infosets[1])

    @cached_property
    def chance(self) -> F64:
        """(n,) chance's probability of each history."""
        return self.game.histories.reach[self.histories]

    @cached_property
    def public(self) -> I32:
        """(n,) the public state of each history, by its number in the game."""
        return self.game.public[0][self.game.histories.info[0][self.histories]]

    def range(self, player: int, plan: Numbers) -> F64:
        """(size,) the reach that a plan of the whole game gives each augmented infoset of its player, not normalised."""
        out = np.zeros(self.sizes[player])
        out[self.known[player]] = plan[self.game.sequences[player][self.histories]]
        return out


@dataclass(frozen=True, eq=False)
class CutShape:
    """The roots of a subgame, its histories, and the limit of its look-ahead.

    Attributes:
        game: the whole game, or as much of it as is expanded.
        resolver: the player who re-solves the subgame.
        root: (H,) the root above each history of the subgame (a root is above itself); negative outside and beyond the
            limit.
        top: the root histories.
        limit: the histories at which the look-ahead stops; they are in the subgame, and their descendants are not.
    """

    game: GameTree
    resolver: int
    root: I32
    top: Border
    limit: Border

    @property
    def opponent(self) -> int:
        return 1 - self.resolver

    @property
    def size(self) -> int:
        """The number of the opponent's augmented infosets at the roots."""
        return self.top.sizes[self.opponent]

    def range(self, player: int, plan: Numbers) -> F64:
        return self.top.range(player, plan)

    def weight(self, plan: Numbers) -> F64:
        """(size,) chance's and the resolver's reach of each of the opponent's augmented infosets at the roots, given
        the resolver's plan."""
        reached = self.top.chance * plan[self.game.sequences[self.resolver][self.top.histories]]
        return np.bincount(self.top.known[self.opponent], reached, self.size).astype(np.float64)

    def known(self, player: int, histories: I64) -> I32:
        """(n,) the player's augmented infoset, within the top, at the root above each of the histories (n,)."""
        return self.top.known[player][np.searchsorted(self.top.histories, self.root[histories])]
