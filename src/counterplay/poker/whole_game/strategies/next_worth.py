"""What a value function says of the boards after a street, board by board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.poker.whole_game.holdem import HoldemGame


@dataclass(frozen=True, eq=False)
class NextWorth:
    """What hands are worth on the boards after a street, after one line of betting.

    Attributes:
        game: the game.
        spans: by board, which of the hands below are those on it.
        hands: (hands,) numbers in the deck, board by board.
        worth: (hands,) chips times the other's reach.
    """

    game: HoldemGame
    spans: Mapping[tuple[int, ...], tuple[int, int]]
    hands: I64
    worth: F64

    def on(self, board: tuple[int, ...], hands: I64) -> F64:
        """(n,) of some hands, by their numbers in the deck, on a board; suits may have other names there."""
        deck, (known, turn) = self.game.deck, self.game.boards.find_board(board)
        first, end = self.spans[known.cards]
        every = np.zeros(len(deck.hands))
        every[self.hands[first:end]] = self.worth[first:end]
        cards = turn[deck.hands[hands]]
        return np.asarray(every[deck.numbers[cards[:, 0], cards[:, 1]]], np.float64)
