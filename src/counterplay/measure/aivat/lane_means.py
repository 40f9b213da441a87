"""Values of hands by lanes (`LaneValues`), averaged over ranges."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.measure.aivat.hand_pairs import hands_met
from counterplay.poker.whole_game.boards.board import board_codes
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.values.lane_values import LaneValues


class LaneMeans:
    """Values of a player's hands by cards.

    Args:
        game: the game.
        values: of its lanes.
    """

    def __init__(self, game: HoldemGame, values: LaneValues) -> None:
        self._game, self.values = game, values

    @property
    def mean_before_deal(self) -> float:
        """The value of a player's hand before it is dealt, at the first betting node."""
        sizes = self._game.boards.sizes
        return float(self.values.row(0, 0) @ sizes) / float(sizes.sum())

    def mean(self, street: int, node: int, board: tuple[int, ...], mine: F64, theirs: F64) -> float:
        """The value at a betting node on a board, averaged over pairs of hands of two ranges, (hands of the deck,) each; 0
        without any."""
        odds = mine * hands_met(self._game.deck, theirs)
        whole = float(odds.sum())
        return float(odds @ self.values.row(street, node)[self._lanes(board)]) / whole if whole > 0.0 else 0.0

    def on_flops_of_hand(self, node: int, hand: tuple[int, int], flops: I64) -> F64:
        """(flops,) the value of one hand on each flop, (flops, 3)."""
        found: F64 = self.values.row(1, node)[self._lanes_on_flops(hand, flops)]
        return found

    def on_flops(self, node: int, mine: F64, theirs: F64) -> tuple[F64, F64]:
        """The mean on each flop up to isomorphism, (flops,), and how likely each is, up to a factor; of ranges that suits do
        not tell apart."""
        boards, deck = self._game.boards, self._game.deck
        every = boards.after(boards.root)
        live = np.zeros((len(every), len(deck.hands)), bool)
        for row, board in zip(live, every, strict=True):
            row[board.hand] = True
        odds = np.where(live, mine, 0.0) * hands_met(deck, np.where(live, theirs, 0.0))
        lanes = self._flops[1][np.argsort(self._flops[2])]
        whole = odds.sum(axis=1)
        found = (odds * self.values.row(1, node)[lanes]).sum(axis=1)
        means = np.divide(found, whole, out=np.zeros_like(whole), where=whole > 0.0)
        return means, whole * np.array([board.count for board in every])

    def _lanes(self, cards: tuple[int, ...]) -> I64:
        """(hands of the deck,) the lane of each hand; of no meaning where the cards block it."""
        if not cards:
            lanes: I64 = self.values.lanes(self._game.boards.root)[self._game.boards.group]
            return lanes
        board, places = places_of_hands(self._game, cards)
        found: I64 = self.values.lanes(board)[places]
        return found

    def _lanes_on_flops(self, hand: tuple[int, int], flops: I64) -> I64:
        """(flops,) the lane of a hand on each, all at once."""
        codes, lanes, _ = self._flops
        turns, deck = self._game.boards.turns, self._game.deck
        turned = np.array([board_codes(np.sort(turn[flops], axis=1)) for turn in turns])
        at = np.minimum(np.searchsorted(codes, turned), len(codes) - 1)
        best = (codes[at] == turned).argmax(axis=0)
        numbers = deck.numbers[turns[:, hand[0]], turns[:, hand[1]]]
        found: I64 = lanes[at[best, np.arange(len(flops))], numbers[best]]
        return found

    @cached_property
    def _flops(self) -> tuple[I64, I64, I64]:
        """(flops,) the codes of those that differ, rising; (flops, hands of the deck) the lane of each hand; and (flops,)
        which of all boards each is."""
        boards = self._game.boards
        every = boards.after(boards.root)
        lanes = np.zeros((len(every), len(self._game.deck.hands)), np.int64)
        for row, board in zip(lanes, every, strict=True):
            row[board.hand] = self.values.lanes(board)
        codes = board_codes(np.array([board.cards for board in every]))
        order = np.argsort(codes)
        return codes[order], lanes[order], order
