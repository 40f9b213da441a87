"""A card abstraction of your own: after the flop a player sees only what is made of hand and board: a pair, a flush, ...

A toy hold'em of three streets (flop and turn) with eight cards is solved twice, with every hand for itself and with hands of
one category played alike. What is lost is the exploitability of the second strategy.
"""

from __future__ import annotations

import numpy as np

from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import categories, ranks
from counterplay.poker.cards.rank_kernel import CATEGORIES
from counterplay.poker.whole_game.abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.blueprints.vector_cfr import Solver
from counterplay.poker.whole_game.boards import Board, GameBoards
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.measure import measure
from counterplay.solvers.minimiser import DCFR


class MadeHands:
    """Every class of hand for itself before the flop; afterwards a lane for each category, the same on all boards."""

    name = "made hands"

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


if __name__ == "__main__":
    deck = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))  # J, Q, K, A of two suits
    game = holdem_game(holdem(4, blinds=(1, 2), last="turn"), "a", deck=deck, dtype=np.float64)
    for abstraction in (lossless(game.boards), MadeHands(game.boards)):
        solver = Solver(game, abstraction, DCFR)
        solver.sweep(150)
        print(f"{abstraction.name:10} exploitability {measure(game, solver.average()).nash_conv / 2:.4f} chips")
