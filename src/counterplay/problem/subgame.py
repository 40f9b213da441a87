"""The problem that all solvers take: trees, leaves, entry, restriction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.leaves.protocol import Leaves
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Treeplex

Beyond = Callable[[F64, F64], tuple[F64, F64]]
"""What lies beyond the limit of a look-ahead: the plans of players 0 and 1 in, CFVs (size,) of both out, each in the
player's own chips. It is not linear in the plans, so that it serves the iterative methods only."""
_FREE = Restriction()


@dataclass(frozen=True, eq=False)
class Subgame:
    """A saddle-point problem over two treeplexes.

    Attributes:
        trees: the treeplexes of players 0 and 1.
        leaves: the payoff of player 0, which turns plans into CFVs.
        restrictions: those of players 0 and 1.
        chance: whether chance acts in it; a hint for the choice of a method.
        beyond: leaves added to `leaves` at the limit of a look-ahead; None if it sees everything.
    """

    trees: tuple[Treeplex, Treeplex]
    leaves: Leaves
    restrictions: tuple[Restriction, Restriction] = (_FREE, _FREE)
    chance: bool = True
    beyond: Beyond | None = None

    def restricted(self, player: int, restriction: Restriction) -> Subgame:
        """The problem with `player` bound by `restriction`."""
        first, second = self.restrictions
        return replace(self, restrictions=(restriction, second) if player == 0 else (first, restriction))

    def bound(self, player: int, restriction: Restriction) -> Subgame:
        """The problem with `player` also bound by `restriction`, on top of the player's present restriction: a dealt
        range stays dealt. A model's plan must come from a behaviour that respects it; a player who is bound by a model
        already is an InputError."""
        given = self.restrictions[player]
        if given.p > 0.0 or given.copy:
            raise InputError("a player can be bound by at most one model")
        return self.restricted(player, restriction.within(self.trees[player], given))
