"""Distributions of the equity of hands over the last boards to come."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import I64, U8
from counterplay.card_abstraction.tables.showdown_features import board_strengths
from counterplay.jit import kernel
from counterplay.poker.whole_game.boards.card_sets import CardSets, code_of


class RunOuts:
    """Equities on the last boards, looked up from earlier boards.

    Args:
        last: the sets of cards of the last boards.
        columns: (STEPS + 1,) the column in which each equity is counted.
    """

    def __init__(self, last: CardSets, columns: U8) -> None:
        self.last, self.columns = last, columns
        self.shares = board_strengths(last)

    def count(self, board: I64, hands: I64) -> NDArray[np.uint16]:
        """(n, columns) for each hand on a board, the number of last boards on which its equity is in each column.

        Args:
            board: positions of its cards.
            hands: (n, 2) positions of the cards of hands.
        """
        free = np.setdiff1d(np.arange(len(self.last.deck.cards)), board)
        new = np.array(list(combinations(free.tolist(), self.last.size - len(board))))
        out = np.zeros((len(hands), int(self.columns.max()) + 1), np.uint16)
        last = self.last
        tables = last.cards, last.image, last.choose, last.number, last.renaming
        room = np.empty(last.size, np.int64), np.empty(last.image.shape[1], np.int64)
        _count(board, new, hands, *tables, self.shares, self.columns, *room, out)
        return out


@kernel
def _count(
    board: Any, new: Any, hands: Any, boards: Any, image: Any, choose: Any, number: Any, renaming: Any, shares: Any,
    columns: Any, cards: Any, place: Any, out: Any,
) -> None:  # fmt: skip
    n, size = image.shape[1], boards.shape[1]
    for k in range(len(new)):
        for i in range(size):
            cards[i] = board[i] if i < len(board) else new[k, i - len(board)]
        code = code_of(cards, choose)
        row, turn = shares[number[code]], image[renaming[code]]
        # the number of each card among those that the last board leaves, as that board stands in the table
        turned = boards[number[code]]
        for card in range(n):
            at = turn[card]
            for other in turned:
                at -= other < turn[card]
            place[card] = at
        for card in cards:
            place[card] = -1
        for i in range(len(hands)):
            # Pairs of places low < high are numbered high * (high - 1) / 2 + low; -1 marks a card of the board.
            low, high = place[hands[i, 0]], place[hands[i, 1]]
            if low > high:
                low, high = high, low
            if low >= 0:
                out[i, columns[row[high * (high - 1) // 2 + low]]] += 1
