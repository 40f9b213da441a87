"""A card abstraction of your own: after the flop a player sees only what is made of hand and board: a pair, a flush, ...

A toy hold'em of three streets (flop and turn) with eight cards is solved twice: lossless, and with hands of one category
played alike. The exploitability of the second strategy is the cost of the abstraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.card_abstraction.abstraction_record import Abstraction
from counterplay.card_abstraction.lossless import Lossless
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import CATEGORIES, categories, ranks
from counterplay.poker.whole_game.boards.board import Board, GameBoards


class CategoryLanes:
    """Before the flop a lane for each class of hands; afterwards one for each category, the same on all boards."""

    name = "made-hands"

    def __init__(self, boards: GameBoards) -> None:
        self._deck = boards.deck
        self.preflop = boards.root.lane  # AKs, AKo, ...: (classes,)

    def sizes_on(self, street: int) -> np.ndarray:
        """(blocks,) one block of lanes."""
        return np.array([len(self.preflop) if street == 0 else len(CATEGORIES)])

    def lanes_on(self, board: Board) -> tuple[int, np.ndarray]:
        """The block, and (n,) the lane of the hand at each place of the board."""
        shown = np.tile(board.cards, (len(board.hand), 1))
        made = ranks(np.hstack((self._deck.hands[board.hand], shown)))
        return 0, categories(made).astype(np.uint32)


@dataclass(frozen=True)
class MadeHands(Abstraction):
    """The record of these lanes, whose text is `made-hands`."""

    HEAD = "made-hands"

    def make(self, boards: GameBoards, watch: Any) -> CategoryLanes:
        return CategoryLanes(boards)

    def buckets_of(self, last: int) -> tuple[int, ...]:
        return (len(CATEGORIES),) * last


if __name__ == "__main__":
    from counterplay.card_abstraction.make_buckets import make_buckets
    from counterplay.poker.betting.rules import holdem
    from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
    from counterplay.poker.whole_game.holdem import holdem_game
    from counterplay.poker.whole_game.values.measure import measure
    from counterplay.solvers.minimiser import DCFR

    deck = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))  # J, Q, K, A of two suits
    game = holdem_game(holdem(4, blinds=(1, 2), last="turn"), "a", deck=deck, dtype=np.float64)
    for abstraction in (Lossless(), MadeHands()):
        solver = VectorCFR(game, make_buckets(game.boards, abstraction), DCFR)
        solver.sweep(60)
        print(f"{abstraction!s:10} exploitability {measure(game, solver.average()).nash_conv / 2:.4f} chips")
