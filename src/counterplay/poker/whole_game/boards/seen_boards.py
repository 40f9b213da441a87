"""Which boards a walk sees, and how often each counts: all of them, or a few drawn on every street."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from counterplay.poker.whole_game.boards.board import Board, GameBoards

Weighted = list[tuple[Board, float]]


class SeenBoards(Protocol):
    """Boards of a walk."""

    def after(self, board: Board) -> Weighted:
        """Boards of the next street that are seen after one, and the number of boards that each stands for."""


class AllBoards:
    """Every board, up to renamings of suits."""

    def __init__(self, boards: GameBoards) -> None:
        self._boards = boards

    def after(self, board: Board) -> Weighted:
        return [(child, float(child.count)) for child in self._boards.after(board)]


class DrawnBoards:
    """A few boards after each, drawn when they are first asked for and then the same: unbiased sums over all boards.

    Args:
        boards: to draw from.
        random: where the draws come from.
        draws: how many are drawn after each board, with repetition, one number a street; of the
            streets after those given all are seen.
    """

    def __init__(self, boards: GameBoards, random: np.random.Generator, draws: Sequence[int]) -> None:
        self._boards, self._random, self._draws = boards, random, tuple(draws)
        self._seen: dict[tuple[int, ...], Weighted] = {}
        self._flop_ends = np.cumsum(boards.choices(boards.root)[1])

    def draw_anew(self) -> None:
        """Forget the boards that were drawn."""
        self._seen.clear()

    def after(self, board: Board) -> Weighted:
        if board.street >= len(self._draws):
            return AllBoards(self._boards).after(board)
        found = self._seen.get(board.cards)
        if found is None:
            count = self._draws[board.street]
            ends = np.cumsum(self._boards.choices(board)[1]) if board.street else self._flop_ends
            drawn = np.searchsorted(ends, self._random.integers(0, ends[-1], count), side="right")
            times, whole = Counter(sorted(drawn.tolist())), float(ends[-1]) / count
            found = [(self._boards.child(board, k), whole * n) for k, n in times.items()]
            self._seen[board.cards] = found
        return found
