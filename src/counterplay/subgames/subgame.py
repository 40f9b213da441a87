"""The one problem that all solvers take: trees, leaves, entry, restriction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from counterplay.leaves.matrix import Matrix
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex

_FREE = Restriction()


@dataclass(frozen=True, eq=False)
class Subgame:
    """A saddle-point problem over two treeplexes.

    Attributes:
        trees: the treeplexes of players 0 and 1.
        leaves: what turns plans into CFVs; the payoff of player 0.
        restrictions: what binds players 0 and 1.
        chance: whether chance acts in it; a hint for choosing a method.
    """

    trees: tuple[Treeplex, Treeplex]
    leaves: Matrix
    restrictions: tuple[Restriction, Restriction] = (_FREE, _FREE)
    chance: bool = True

    def restricted(self, player: int, restriction: Restriction) -> Subgame:
        """The same problem with `player` bound by `restriction`."""
        first, second = self.restrictions
        return replace(self, restrictions=(restriction, second) if player == 0 else (first, restriction))
