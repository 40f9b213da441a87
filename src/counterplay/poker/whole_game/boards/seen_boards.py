"""The boards that a walk visits, and their weights: all boards, a sample on every street, or run-outs one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterplay.poker.whole_game.boards.board import Board, GameBoards

Weighted = list[tuple[Board, float]]


class SeenBoards:
    """The boards that a walk visits: every board, up to isomorphism."""

    def __init__(self, boards: GameBoards) -> None:
        self.boards = boards

    def after(self, board: Board) -> Weighted:
        """The visited boards of the next street after one, and the number of boards that each represents."""
        return [(child, float(child.count)) for child in self.boards.after(board)]


class DrawnBoards(SeenBoards):
    """A sample of the boards after each board, drawn on first use and then kept: unbiased sums over all boards. draws:
    number of boards drawn with replacement after each board, by street; later streets are not sampled."""

    def __init__(self, boards: GameBoards, random: np.random.Generator, draws: Sequence[int]) -> None:
        super().__init__(boards)
        self._random, self._draws = random, tuple(draws)
        self._seen: dict[tuple[int, ...], Weighted] = {}
        self._flop_ends = np.cumsum(boards.choices(boards.root)[1])

    def draw_anew(self) -> None:
        """Forget the drawn boards."""
        self._seen.clear()

    def after(self, board: Board) -> Weighted:
        if board.street >= len(self._draws):
            return super().after(board)
        if board.cards not in self._seen:
            count = self._draws[board.street]
            ends = np.cumsum(self.boards.choices(board)[1]) if board.street else self._flop_ends
            drawn = np.searchsorted(ends, self._random.integers(0, ends[-1], count), side="right")
            whole = float(ends[-1]) / count
            times = {int(drawn[0]): 1} if count == 1 else Counter(sorted(drawn.tolist()))
            self._seen[board.cards] = [(self.boards.child(board, k), whole * n) for k, n in times.items()]
        return self._seen[board.cards]


@dataclass(frozen=True)
class RunOut(SeenBoards):
    """One board of every street, by numbers among `GameBoards.choices`, as the boards that a walk visits."""

    boards: GameBoards
    numbers: tuple[int, ...]

    def after(self, board: Board) -> Weighted:
        whole = float(self.boards.choices(board)[1].sum())
        return [(self.boards.child(board, self.numbers[board.street]), whole)]


class RunOutDraws:
    """Run-outs to the last street by their number, from 0: a longer draw begins with a shorter one."""

    def __init__(self, boards: GameBoards, last: int, seed: int) -> None:
        self._boards, self._last, self._random = boards, last, np.random.default_rng(seed)
        self._drawn: list[tuple[int, ...]] = []

    def __getitem__(self, number: int) -> RunOut:
        while len(self._drawn) <= number:
            board, numbers = self._boards.root, list[int]()
            for street in range(self._last):
                ends = np.cumsum(self._boards.choices(board)[1])
                drawn = self._random.integers(0, ends[-1], 1)  # one by one, each with its own bound
                numbers.append(int(np.searchsorted(ends, drawn, side="right")[0]))
                if street < self._last - 1:
                    board = self._boards.child(board, numbers[-1])
            self._drawn.append(tuple(numbers))
        return RunOut(self._boards, self._drawn[number])
