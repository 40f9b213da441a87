"""Values on drawn flops, put together from samples that follow one another: each sample has decisions before the flop of its
own, made on its flops.

Upper values stay upper ones, and cross-fitted ones lower ones, since they are so in each sample; and draws do not depend on
each other, so that the interval is that of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterplay import InputError
from counterplay.arrays import F64
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, flops_of_draws, interval_of
from counterplay.poker.whole_game.walks.response_on_flops import FlopValues


@dataclass(frozen=True, eq=False)
class SampleValues:
    """Methods on the same flops.

    Attributes:
        draw: the flops.
        values: by name, of both seats.
    """

    draw: FlopDraw
    values: Mapping[str, tuple[FlopValues, FlopValues]]

    @property
    def is_drawn(self) -> bool:
        """Whether its flops are drawn; otherwise they are some of all flops."""
        return self.draw.seed is not None


@dataclass(frozen=True, eq=False)
class PooledDraws:
    """Methods on the same draws.

    Attributes:
        flops: (draws,) the flop of each.
        lower, upper: by name, (seats, draws) chips a hand as if every flop were like that one.
    """

    flops: Sequence[int]
    lower: Mapping[str, F64]
    upper: Mapping[str, F64]

    @property
    def draws(self) -> int:
        return len(self.flops)

    def interval(self, name: str, seat: int | None, *, lower: bool = False) -> Interval:
        """Chips a hand of a method; the mean of both seats where none is named."""
        return self._mean(self._each(name, seat, lower))

    def difference(self, name: str, other: str, seat: int | None = None, *, lower: bool = False) -> Interval:
        """By how much the first wins more than the second, paired draw by draw."""
        return self._mean(self._each(name, seat, lower) - self._each(other, seat, lower))

    def _each(self, name: str, seat: int | None, lower: bool) -> F64:
        pair = (self.lower if lower else self.upper)[name]
        return np.asarray(pair.mean(axis=0)) if seat is None else pair[seat]

    def _mean(self, values: F64) -> Interval:
        if not self.draws:
            raise InputError("these methods have no draws in common")
        return interval_of(values, np.ones(self.draws))


def pool_draws(boards: GameBoards, samples: Sequence[SampleValues], names: Sequence[str], seed: int) -> PooledDraws:
    """The draws that methods have in common, from the first on without a gap; where samples overlap, the longer counts."""
    drawn = sorted((s for s in samples if s.is_drawn), key=lambda sample: sample.draw.draws)
    end = max((sample.draw.skipped + sample.draw.draws for sample in drawn), default=0)
    flops = np.array(flops_of_draws(boards, end, seed), int)
    found = {name: _by_draw(drawn, name, flops) for name in names}
    known = [int(np.isnan([*values[0, 0], np.nan]).argmax()) for values in found.values()]
    count = min(known, default=0)
    lower, upper = ({name: values[k][:, :count] for name, values in found.items()} for k in (0, 1))
    return PooledDraws(flops[:count].tolist(), lower, upper)


def _by_draw(samples: Sequence[SampleValues], name: str, flops: np.ndarray[tuple[int], np.dtype[np.int64]]) -> F64:
    """(lower and upper, seats, draws) of a method; NaN where there is none."""
    found = np.full((2, 2, len(flops)), np.nan)
    for sample in samples:
        if name in sample.values:
            draws = slice(sample.draw.skipped, sample.draw.skipped + sample.draw.draws)
            places = np.searchsorted(sample.draw.numbers, flops[draws])
            pair = sample.values[name]
            found[:, :, draws] = [[one.lower[places] for one in pair], [one.upper[places] for one in pair]]
    return found
