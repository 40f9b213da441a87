"""Samples of flops: drawn ones, or all; means over them with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.intervals import HALF_95, half_interval
from counterplay.poker.whole_game.boards.board import GameBoards

ALL = "all"
_MOST = 1_000_000
_MANY = 4
"""Draws for each different flop, before the rest are taken as they come."""


@dataclass(frozen=True)
class Interval:
    """An estimate. value: chips a hand. error: half of its 95 % interval; 0 where nothing was drawn."""

    value: float
    error: float


def interval_of(values: F64, times: F64 | None = None, *, student: bool = False) -> Interval:
    """The mean of values (draws,) and its 95 % interval; times: how often each was drawn. By Student's t it is right
    also of few draws; by the normal distribution, as in all tables of flops, that of ten draws is an eighth too
    narrow."""
    times = np.ones(len(values)) if times is None else times
    mean, draws = float(values @ times / times.sum()), float(times.sum())
    spread = float((values - mean) ** 2 @ times / max(draws - 1.0, 1.0))
    half = HALF_95 * float(np.sqrt(spread / draws))
    return Interval(mean, half_interval(half / HALF_95, int(draws)) if student else half)


@dataclass(frozen=True)
class FlopDraw:
    """Flops, up to renamings of suits.

    Attributes:
        numbers: of the different ones (see `GameBoards.choices`).
        times: how often each was drawn; for all flops, how many each stands for.
        whole: how many flops there are.
        seed: of the draws; None where there are none, and nothing is estimated.
        skipped: draws of the seed before the first of these.
    """

    numbers: tuple[int, ...]
    times: tuple[int, ...]
    whole: int
    seed: int | None
    skipped: int = 0

    @property
    def draws(self) -> int:
        return sum(self.times)

    @property
    def weight(self) -> float:
        return self.whole / self.draws

    @property
    def weights(self) -> F64:
        """(flops,) number of flops that each represents."""
        return np.array(self.times, float) * self.weight

    def interval(self, values: F64, *, student: bool = False) -> Interval:
        """The mean of (flops,) values; arguments as of `interval_of`."""
        found = interval_of(values, np.array(self.times, float), student=student)
        return Interval(found.value, 0.0) if self.seed is None else found

    def student_interval(self, values: F64) -> Interval:
        """Student's 95 % interval of the mean of (flops,) values, also of few draws."""
        return self.interval(values, student=True)


def draw_flops(boards: GameBoards, count: int | str, seed: int = 0, skipped: int = 0) -> FlopDraw:
    """Draw flops with equal chances, with repetition: so many after those that are skipped, at least two; or "all"."""
    if count == ALL:
        return part_of_all(boards, range(len(boards.choices(boards.root)[1])))
    if isinstance(count, str) or not 2 <= count <= _MOST:
        raise InputError(f"flops: a number from 2 to {_MOST:,}, or {ALL}, not {count}")
    times = sorted(Counter(flops_of_draws(boards, skipped + count, seed)[skipped:]).items())
    whole = int(boards.choices(boards.root)[1].sum())
    return FlopDraw(tuple(flop for flop, _ in times), tuple(n for _, n in times), whole, seed, skipped)


def flops_of_draws(boards: GameBoards, count: int | str, seed: int = 0) -> list[int]:
    """The flop of each draw; at "all" those of many draws."""
    counts = boards.choices(boards.root)[1]
    draws = _MANY * len(counts) if isinstance(count, str) else count
    drawn = np.random.default_rng(seed).integers(0, int(counts.sum()), draws)
    return [int(flop) for flop in np.searchsorted(np.cumsum(counts), drawn, side="right")]


def flops_in_order(boards: GameBoards, count: int | str, seed: int = 0, skipped: int = 0) -> list[int]:
    """The different flops of some draws as they come; at "all" behind them those that so many draws lack."""
    whole = range(len(boards.choices(boards.root)[1])) if count == ALL else ()
    return list(dict.fromkeys([*flops_of_draws(boards, count, seed)[skipped:], *whole]))


def part_of_all(boards: GameBoards, seen: Collection[int]) -> FlopDraw:
    """Some of all flops, each as often as the deck has it: nothing is drawn."""
    counts = boards.choices(boards.root)[1]
    numbers = sorted(set(seen))
    return FlopDraw(tuple(numbers), tuple(counts[numbers].tolist()), int(counts.sum()), None)


def longest_draw(
    boards: GameBoards, seen: Collection[int], most: int | str, seed: int = 0, skipped: int = 0
) -> FlopDraw | None:
    """The most draws of which every flop was seen; None where there are fewer than two. most: draws at most, with those
    that are skipped; "all" for any number."""
    drawn = flops_of_draws(boards, most, seed)[skipped:]
    count = next((k for k, flop in enumerate(drawn) if flop not in seen), len(drawn))
    return draw_flops(boards, count, seed, skipped) if count > 1 else None
