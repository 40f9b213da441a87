"""Flops that stand for all of them: some that are drawn, or all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.whole_game.boards.board import GameBoards

ALL = "all"
_MOST = 1_000_000


@dataclass(frozen=True)
class FlopDraw:
    """Flops, up to renamings of suits.

    Attributes:
        numbers: of the different ones (see `GameBoards.choices`).
        times: how often each was drawn; for all flops, how many each stands for.
        whole: how many flops there are.
        seed: of the draws; None where there are none, and nothing is estimated.
    """

    numbers: tuple[int, ...]
    times: tuple[int, ...]
    whole: int
    seed: int | None

    @property
    def draws(self) -> int:
        return sum(self.times)

    @property
    def weight(self) -> float:
        """Flops that each draw stands for."""
        return self.whole / self.draws


def draw_flops(boards: GameBoards, count: int | str, seed: int = 0) -> FlopDraw:
    """Draw flops with equal chances, with repetition.

    Args:
        count: how many; "all" for every flop.
        seed: of the draws.

    Raises:
        InputError: fewer than two, or far too many.
    """
    counts = boards.choices(boards.root)[1]
    whole = int(counts.sum())
    if count == ALL:
        return FlopDraw(tuple(range(len(counts))), tuple(counts.tolist()), whole, None)
    if isinstance(count, str) or not 2 <= count <= _MOST:
        raise InputError(f"flops: a number from 2 to {_MOST:,}, or {ALL}, not {count}")
    ends = np.cumsum(counts)
    drawn = np.searchsorted(ends, np.random.default_rng(seed).integers(0, whole, count), side="right")
    times = sorted(Counter(drawn.tolist()).items())
    return FlopDraw(tuple(flop for flop, _ in times), tuple(n for _, n in times), whole, seed)
