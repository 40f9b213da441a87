"""What methods win from a strategy flop by flop, as data that can be kept: small, checked when it is read, and compared with
flops that are computed again.

A whole study takes 100 MB. What is kept of it are samples: chips a hand by flop, for each seat and method, with the
decisions before the flop that are made on all flops of the sample and with those that are cross-fitted; those decisions; and
what the sample's flops together are worth by betting line and class of hands. From the latter the decisions are made again:
for the best response over all flops that is the whole proof of its value.

Each sitting adds samples that go on where those before it ended. Sums over draws do not tell what a flop is worth that
was drawn twice: drawn flops count toward all flops only where they are kept as a part of all flops, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay import InputError
from counterplay.about import version
from counterplay.arrays import F64
from counterplay.poker.whole_game.game_text import read_holdem
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.walks.flop_draw import FlopDraw, Interval, draw_flops, part_of_all
from counterplay.poker.whole_game.walks.preflop_backup import PreflopBackup
from counterplay_papers.flops.flop_study import SEATS, FlopStudy, KnownFlops, Pieces
from counterplay_papers.flops.pooled_draws import PooledDraws, SampleValues, pool_draws

BEST = "br"
_CLOSE = 1e-6
"""Chips by which two sums of the same numbers may differ."""


class MethodParts(NamedTuple):
    """Chips a hand on the same draws.

    Attributes:
        own: of the method.
        before: with its decisions before the flop, and the best response from there on.
        after: with its decisions after the flop, and those before it that are best with these.
        best: of the best response.
        draws: how many.
    """

    own: float
    before: float
    after: float
    best: float
    draws: int


@dataclass(frozen=True, eq=False)
class FlopTable:
    """A study's results.

    Attributes:
        study: its facts: game, digests of the strategies, texts of the methods, seed of the draws.
        version: of the library that computed it.
        folded: of each seat, (sequences, classes) what is won by folds before the flop.
        samples: drawn flops, and parts of all flops, each with the methods that have them.
    """

    study: Mapping[str, Any]
    version: str
    folded: tuple[F64, F64]
    samples: Sequence[SampleValues]

    @cached_property
    def game(self) -> HoldemGame:
        """The game of the study."""
        return read_holdem(str(self.study["game"])).game

    @property
    def methods(self) -> list[str]:
        """Those of which there are drawn flops."""
        return list(dict.fromkeys(name for sample in self.samples if sample.is_drawn for name in sample.values))

    def paired(self, *names: str) -> PooledDraws:
        """The draws that some methods have in common; those of all methods where none is named."""
        return pool_draws(self.game.boards, self.samples, names or self.methods, int(self.study["seed"]))

    @property
    def known(self) -> KnownFlops:
        """What need not be computed again."""
        draws = {name: self.paired(name).draws for name in self.methods}
        return KnownFlops(draws, {name: self._flops(name) for name in self._in_parts})

    def has_all(self, name: str) -> bool:
        """Whether a method is known on all flops."""
        return len(self._flops(name)) == len(self.game.boards.choices(self.game.boards.root)[1])

    def value(self, name: str, seat: int | None) -> Interval:
        """Chips a hand of the best response over all flops, with the decisions before the flop that are best there: there is
        nothing to estimate. The mean of both seats where none is named."""
        seats = SEATS if seat is None else (seat,)
        return Interval(float(np.mean([self._over_all(name, each) for each in seats])), 0.0)

    def _over_all(self, name: str, seat: int) -> float:
        parts = [s for s in self.samples if not s.is_drawn and name in s.values]
        weights = np.array([part.draw.draws for part in parts]) / sum(part.draw.draws for part in parts)
        below = np.tensordot(weights, np.stack([part.values[name][seat].below for part in parts]), 1)
        backup = PreflopBackup(self.game, seat, self.folded[seat])
        return float(backup.values(backup.plan(below), below[None])[0])

    def parts(self, name: str) -> MethodParts | None:
        """What a method's decisions before the flop win by themselves, and those after it: the mean of both seats on the
        largest sample that has the method and the best response; None where none has."""
        both = [sample for sample in self.samples if sample.is_drawn and {name, BEST} <= set(sample.values)]
        if not both:
            return None
        sample = max(both, key=lambda one: one.draw.draws)
        found = []
        for seat in SEATS:
            backup = PreflopBackup(self.game, seat, self.folded[seat])
            own, best = sample.values[name][seat], sample.values[BEST][seat]
            pairs = (
                (own.plan, own.below),
                (own.plan, best.below),
                (backup.plan(own.below), own.below),
                (best.plan, best.below),
            )
            found.append([float(backup.values(plan, below[None])[0]) for plan, below in pairs])
        own_value, before, after, most = np.mean(found, axis=0).tolist()
        return MethodParts(own_value, before, after, most, sample.draw.draws)

    @property
    def _in_parts(self) -> list[str]:
        return list(dict.fromkeys(name for sample in self.samples if not sample.is_drawn for name in sample.values))

    def _flops(self, name: str) -> set[int]:
        """Of all flops, those that are summed up for a method."""
        parts = (sample.draw.numbers for sample in self.samples if not sample.is_drawn and name in sample.values)
        return {flop for numbers in parts for flop in numbers}

    @property
    def flops(self) -> dict[str, int]:
        """By method, of how many of all flops there are sums."""
        return {name: len(self._flops(name)) for name in self._in_parts}


def table_of(study: FlopStudy, found: Pieces, kept: FlopTable | None = None) -> FlopTable | None:
    """What a study has so far; None if that is nothing.

    Args:
        study: its methods and stages.
        found: by key, the arrays of the pieces that are done.
        kept: of earlier sittings; the study knows what it has (see `FlopTable.known`).
    """
    draws: dict[FlopDraw, list[str]] = {}
    for name in study.methods:
        for draw in (study.draw(found, name), study.part(found, name) if name == BEST else None):
            if draw is not None:
                draws.setdefault(draw, []).append(name)
    samples = [
        SampleValues(
            draw, {name: (study.values(found, name, 0, draw), study.values(found, name, 1, draw)) for name in some}
        )
        for draw, some in draws.items()
    ]
    if kept is not None:
        return replace(kept, study=study.facts, samples=[*kept.samples, *samples]) if samples else kept
    one, two = (study.responder(next(iter(study.methods)), seat).backup.folded for seat in SEATS)
    return FlopTable(study.facts, version(), (one, two), samples) if samples else None


def check_table(table: FlopTable, game: HoldemGame) -> None:
    """Make the decisions before the flop again, and add up the flops.

    Raises:
        InputError: the flops are not those that the seed draws, draws are missing or flops counted twice, a best response is
            not the best by the flops' sums, or the values of the flops do not add up to that of the sample.
    """
    _check_flops(table, game)
    for sample in table.samples:
        for name, pair in sample.values.items():
            for seat, values in enumerate(pair):
                backup = PreflopBackup(game, seat, table.folded[seat])
                if name == BEST and not np.array_equal(backup.plan(values.below), values.plan):
                    raise InputError("its best response is not the best by the sums of its flops")
                known = float(backup.values(values.plan, values.below[None])[0])
                if abs(known - values.interval().value) > _CLOSE:
                    raise InputError(f"its flops do not add up to what {name} wins")


def _check_flops(table: FlopTable, game: HoldemGame) -> None:
    for sample in table.samples:
        draw = sample.draw
        drawn = sample.is_drawn and draw == draw_flops(game.boards, draw.draws, draw.seed or 0, draw.skipped)
        if draw.seed not in (None, table.study["seed"]) or not (
            drawn or draw == part_of_all(game.boards, draw.numbers)
        ):
            raise InputError("its flops are not those that its seed draws")
    parts = [sample for sample in table.samples if not sample.is_drawn]
    for name, flops in table.flops.items():
        if flops < sum(len(part.draw.numbers) for part in parts if name in part.values):
            raise InputError(f"it counts a flop of {name} twice")


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
