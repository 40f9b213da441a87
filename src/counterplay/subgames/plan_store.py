"""What is known of both players' strategies in a whole tree, asked for one branch at a time.

A small tree keeps arrays of all of it (`ArrayPlans`). A large one reads a branch from what it keeps of regrets and averages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.problem.subgame import Subgame
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best

Floats = NDArray[np.float64]


class Numbers(Protocol):
    """Numbers by sequence, of which a branch is read: an array, or whatever makes one of the sequences it is asked for."""

    def __getitem__(self, sequences: Any, /) -> Any:
        """(n,) the numbers of these (n,) sequences."""


class PlanStore(Protocol):
    """Both players' strategies in a tree, by sequence of its treeplexes."""

    def knows(self, player: int) -> bool:
        """Whether a player's strategy is known at all."""

    def reach(self, player: int) -> Numbers:
        """A player's realization plan: ranges.

        Raises:
            InputError: the strategy is not known.
        """

    def behaviour(self, player: int) -> Numbers:
        """A player's probabilities of actions; errors as of `reach`."""

    def cfvs(self, player: int) -> Numbers:
        """CFVs of a player's best response to the other's plan, chips of the player; errors as of `reach`."""


@dataclass(frozen=True, eq=False)
class ArrayPlans:
    """Arrays of all of it.

    Attributes:
        subgame: the whole tree as one problem.
        strategies: of players 0 and 1; None where a player's is not known.
    """

    subgame: Subgame
    strategies: tuple[Strategy | None, Strategy | None]
    _cfvs: dict[int, Floats] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(subgame: Subgame, mine: Strategy, theirs: Strategy | None = None) -> ArrayPlans:
        """Of a player, and of the other one if that is known."""
        return ArrayPlans(subgame, (mine, theirs) if mine.player == 0 else (theirs, mine))

    def knows(self, player: int) -> bool:
        """Whether a player's strategy is known."""
        return self.strategies[player] is not None

    def _strategy(self, player: int) -> Strategy:
        found = self.strategies[player]
        if found is None:
            raise InputError(f"this needs the strategy of player {player}, which is not known")
        return found

    def behaviour(self, player: int) -> Floats:
        """(size,) of a player."""
        return self._strategy(player).behaviour

    def reach(self, player: int) -> Floats:
        """(size,) the plan of a player."""
        return self._strategy(player).plan

    def cfvs(self, player: int) -> Floats:
        """(size,) CFVs of a player's best response."""
        if player not in self._cfvs:
            cfv = np.array(self.subgame.leaves.product(player, self.reach(1 - player)), np.float64)
            tree = self.subgame.trees[player]
            best(tree.arrays, np.zeros(0), np.zeros(0), cfv, np.zeros(tree.size))
            self._cfvs[player] = cfv
        return self._cfvs[player]
