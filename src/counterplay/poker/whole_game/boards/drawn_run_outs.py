"""Run-outs drawn one after the other: one board of every street each, the same for all strategies that meet on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.poker.whole_game.boards.board import Board, GameBoards
from counterplay.poker.whole_game.boards.seen_boards import Weighted


@dataclass(frozen=True)
class RunOut:
    """One board of every street, as the boards that a walk visits (see `SeenBoards`).

    Attributes:
        boards: all boards.
        numbers: of each street's board among `GameBoards.choices`.
    """

    boards: GameBoards
    numbers: tuple[int, ...]

    def after(self, board: Board) -> Weighted:
        """The board of the next street, which stands for all of them."""
        whole = float(self.boards.choices(board)[1].sum())
        return [(self.boards.child(board, self.numbers[board.street]), whole)]


class RunOutDraws:
    """Run-outs by their number, from 0: a longer draw begins with a shorter one.

    Args:
        boards: to draw from.
        last: the last street.
        seed: of the draws.
    """

    def __init__(self, boards: GameBoards, last: int, seed: int) -> None:
        self._boards, self._last, self._random = boards, last, np.random.default_rng(seed)
        self._drawn: list[tuple[int, ...]] = []

    def __getitem__(self, number: int) -> RunOut:
        while len(self._drawn) <= number:
            self._drawn.append(self._draw())
        return RunOut(self._boards, self._drawn[number])

    def _draw(self) -> tuple[int, ...]:
        board, numbers = self._boards.root, []
        for street in range(self._last):
            ends = np.cumsum(self._boards.choices(board)[1])
            drawn = self._random.integers(0, ends[-1], 1)  # one by one, each with its own bound
            numbers.append(int(np.searchsorted(ends, drawn, side="right")[0]))
            if street < self._last - 1:
                board = self._boards.child(board, numbers[-1])
        return tuple(numbers)
