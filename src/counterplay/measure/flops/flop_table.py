"""What methods win from a strategy flop by flop, as data that can be kept: small, checked when it is read, and compared with
flops that are computed again.

A whole study takes 100 MB. What is kept of it are chips a hand by flop, for each seat and method, with the decisions before
the flop that are made on all flops of a sample and with those that are cross-fitted; those decisions; and what the sample's
flops together are worth by betting line and class of hands. From the latter the decisions are made again: for the best
response over all flops that is the whole proof of its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.about import version
from counterplay.errors import InputError
from counterplay.measure.flops.flop_study import SEATS, FlopStudy, Pieces
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, draw_flops
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup
from counterplay.poker.whole_game.walks.response_on_flops import FlopValues

BEST = "br"
_CLOSE = 1e-6
"""Chips by which two sums of the same numbers may differ."""


@dataclass(frozen=True, eq=False)
class SampleValues:
    """Methods on the same flops.

    Attributes:
        draw: the flops.
        methods: their names.
        values: by name, of both seats.
    """

    draw: FlopDraw
    values: Mapping[str, tuple[FlopValues, FlopValues]]

    def interval(self, name: str, seat: int | None, *, lower: bool = False) -> Interval:
        """Chips a hand of a method; the mean of both seats where none is named."""
        return self.draw.interval(self._each(name, seat, lower))

    def difference(self, name: str, other: str, seat: int | None = None, *, lower: bool = False) -> Interval:
        """By how much the first wins more than the second, paired flop by flop."""
        return self.draw.interval(self._each(name, seat, lower) - self._each(other, seat, lower))

    def _each(self, name: str, seat: int | None, lower: bool) -> Floats:
        pair = [one.lower if lower else one.upper for one in self.values[name]]
        return (pair[0] + pair[1]) / 2 if seat is None else pair[seat]


@dataclass(frozen=True, eq=False)
class FlopTable:
    """A study's results.

    Attributes:
        study: its facts: game, digests of the strategies, texts of the methods, seed of the draws.
        version: of the library that computed it.
        folded: of each seat, (sequences, classes) what is won by folds before the flop.
        samples: the flops that all methods have, and, where that are more, those of the best response.
    """

    study: Mapping[str, Any]
    version: str
    folded: tuple[Floats, Floats]
    samples: Sequence[SampleValues]

    @property
    def paired(self) -> SampleValues:
        """The sample of all methods."""
        return self.samples[0]

    @property
    def largest(self) -> SampleValues:
        """The sample with the most flops."""
        return self.samples[-1]


def table_of(study: FlopStudy, found: Pieces) -> FlopTable | None:
    """What a study has so far; None if that is less than two draws of every method."""
    names = list(study.methods)
    asked = {name: max((s.draws for s in study.stages if name in s.methods), key=_size) for name in names}
    paired = study.draw(found, names, min(asked.values(), key=_size))
    if paired is None:
        return None
    draws = [(paired, names)]
    most = study.draw(found, [BEST], asked[BEST]) if BEST in names else None
    if most is not None and len(most.numbers) > len(paired.numbers):
        draws.append((most, [BEST]))
    samples = []
    for draw, some in draws:
        values = {name: (study.values(found, name, 0, draw), study.values(found, name, 1, draw)) for name in some}
        samples.append(SampleValues(draw, values))
    one, two = (study.responder(names[0], seat).backup.folded for seat in SEATS)
    return FlopTable(study.facts, version(), (one, two), samples)


def _size(draws: int | str) -> float:
    return float("inf") if isinstance(draws, str) else draws


def check_table(table: FlopTable, game: HoldemGame) -> None:
    """Make the decisions before the flop again, and add up the flops.

    Raises:
        InputError: the flops are not those that the seed draws, a best response is not the best by the flops' sums, or
            the values of the flops do not add up to that of the sample.
    """
    for sample in table.samples:
        draw = sample.draw
        if draw != draw_flops(game.boards, "all" if draw.seed is None else draw.draws, draw.seed or 0):
            raise InputError("its flops are not those that its seed draws")
        for name, pair in sample.values.items():
            for seat, values in enumerate(pair):
                backup = PreflopBackup(game, seat, table.folded[seat])
                if name == BEST and not np.array_equal(backup.plan(values.below), values.plan):
                    raise InputError("its best response is not the best by the sums of its flops")
                known = float(backup.values(values.plan, values.below[None])[0])
                if abs(known - values.interval().value) > _CLOSE:
                    raise InputError(f"its flops do not add up to what {name} wins")


def recomputed_difference(table: FlopTable, study: FlopStudy, name: str, seat: int, flop: int) -> float:
    """The largest difference in chips between what is kept of a flop and what the study computes for it anew."""
    rows = study.compute(study.key(name, seat, flop))["values"].astype(np.float64)[None]
    found = 0.0
    for sample in table.samples:
        if name in sample.values and flop in sample.draw.numbers:
            values = sample.values[name][seat]
            anew = study.responder(name, seat).backup.values(values.plan, sample.draw.whole * rows)[0]
            found = max(found, abs(float(anew) - float(values.upper[sample.draw.numbers.index(flop)])))
    return found
