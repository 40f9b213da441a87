"""One street in counterfactual regret minimisation: tables of regrets of both players by blocks of lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.regrets import Rates, advance, match
from counterplay.poker.whole_game.strategy import normalise_blocks


class StreetRegrets:
    """Regrets and sums of the average of both players on a street: of each block an array (sequences, lanes).

    A block that all boards share moves once in an iteration, after the last board; one that belongs to a board moves at
    once.

    Attributes:
        street: index in STREETS.
        shared: whether there is one block only.
        dtype: of regrets: float64 where many boards add up.
    """

    def __init__(self, game: HoldemGame, street: int, sizes: I64, threads: int = 1) -> None:
        """Allocate; `sizes` are the lanes of each block."""
        lanes = sizes.tolist()
        self.game, self.street, self.shared = game, street, len(lanes) == 1
        self.dtype = dtype_of(game, sizes)
        self.decisions = [side.decisions[street] for side in game.sides]
        rows = [side.sizes[street] for side in game.sides]
        self.regrets = [[np.zeros((count, n), self.dtype) for n in lanes] for count in rows]
        self.sums = [[np.zeros((count, n), self.dtype) for n in lanes] for count in rows]
        self._strategy = np.dtype(np.float64) if street == 0 else game.dtype
        self._kept: list[AnyArray | None] = [None, None]
        self._rows = [np.zeros(max(lanes), self.dtype) for _ in range(threads)]

    def table(self, player: int, block: int, thread: int = 0) -> AnyArray:
        """(sequences, lanes) the current strategy of a block; that of a shared block is kept until it moves."""
        kept = self._kept[player] if self.shared else None
        if kept is None:
            regrets = self.regrets[player][block]
            kept = np.empty(regrets.shape, self._strategy)
            match(self.decisions[player], regrets, kept, self._rows[thread])
            if self.shared:
                self._kept[player] = kept
        return kept

    def nothing(self, player: int, block: int = 0) -> tuple[AnyArray, AnyArray]:
        """Two (sequences, lanes): room for the values of a player's sequences, and for the player's reach."""
        shape = self.regrets[player][block].shape
        kind = self.dtype if self.shared else self._strategy
        return np.zeros(shape, kind), np.zeros(shape, kind)

    def move(
        self, player: int, block: int, worth: AnyArray, own: AnyArray, table: AnyArray, rate: Rates, thread: int = 0
    ) -> None:
        """Update the regrets of a block.

        Args:
            player: whose.
            block: of lanes.
            worth, own, table: (sequences, lanes) values of sequences, own reach of entries, and current strategy.
            rate: weights of the update.
            thread: number of the thread, for scratch.
        """
        regrets, sums = self.regrets[player][block], self.sums[player][block]
        advance(self.decisions[player], worth, own, table, regrets, sums, rate, self._rows[thread])
        self._kept[player] = None

    def forget_table(self) -> None:
        """Make the current strategies anew: regrets were changed from outside."""
        self._kept = [None, None]

    def current(self, player: int) -> list[AnyArray]:
        """(sequences, lanes) the current strategy of each block."""
        return [self.table(player, block).copy() for block in range(len(self.regrets[player]))]

    def average(self, player: int) -> list[AnyArray]:
        """(sequences, lanes) the average strategy of each block."""
        found = normalise_blocks(self.sums[player], self.decisions[player])
        return [block.astype(self._strategy, copy=False) for block in found]


def dtype_of(game: HoldemGame, sizes: I64) -> np.dtype[Any]:
    """The type of regrets for blocks of `sizes` (blocks,) lanes: float64 for a single block, where many hands add up."""
    return game.dtype if len(sizes) > 1 else np.dtype(np.float64)


def memory_of(game: HoldemGame, buckets: CardAbstraction) -> float:
    """Bytes of regrets and sums after the flop is dealt, and of the average strategy made of them."""
    return sum(
        float(buckets.sizes_on(street).sum())
        * sum(side.sizes[street] for side in game.sides)
        * (2 * dtype_of(game, buckets.sizes_on(street)).itemsize + game.dtype.itemsize)
        for street in range(1, game.last + 1)
    )
