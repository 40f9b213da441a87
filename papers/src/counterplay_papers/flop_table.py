"""Values of methods against a strategy flop by flop, as data that can be kept: small, checked when it is read, and compared
with flops that are computed again.

A whole study takes 100 MB. What is kept of it are samples: chips a hand by flop, for each seat and method, with the
decisions before the flop that are made on all flops of the sample and with those that are cross-fitted; those decisions; and
what the sample's flops together are worth by betting line and class of hands. From the latter the decisions are made again:
for the best response over all flops that is the whole proof of its value.

Each sitting adds samples that go on where those before it ended. Upper values stay upper ones, and cross-fitted ones lower
ones, since they are so in each sample. Sums over draws do not tell what a flop is worth that was drawn twice: drawn flops
count toward all flops only where they are kept as a part of all flops, too. A file (`.cpv`) is an archive of plain numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay import InputError
from counterplay.about import version
from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import FileError, in_file
from counterplay.files import FLOP_TABLE, check_writable
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.values.measure import PreflopBackup
from counterplay.poker.whole_game.walks.response_on_flops import (
    FlopDraw,
    FlopValues,
    Interval,
    draw_flops,
    flops_of_draws,
    interval_of,
    part_of_all,
)  # fmt: skip
from counterplay_papers.flop_study import SEATS, FlopStudy, KnownFlops, Pieces

BEST = "br"
_CLOSE = 1e-6
"""Chips by which two sums of the same numbers may differ."""


@dataclass(frozen=True, eq=False)
class SampleValues:
    """Methods on the same flops; values: by name, of both seats."""

    draw: FlopDraw
    values: Mapping[str, tuple[FlopValues, FlopValues]]

    @property
    def is_drawn(self) -> bool:
        """Return whether its flops are drawn; otherwise they are some of all flops."""
        return self.draw.seed is not None


@dataclass(frozen=True, eq=False)
class PooledDraws:
    """Methods on the same draws: the flops (draws,), and by name chips a hand as if every flop were like that one, (seats,
    draws), cross-fitted and in sample."""

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


def _by_draw(samples: Sequence[SampleValues], name: str, flops: I64) -> F64:
    """(lower and upper, seats, draws) of a method; NaN where there is none."""
    found = np.full((2, 2, len(flops)), np.nan)
    for sample in samples:
        if name in sample.values:
            draws = slice(sample.draw.skipped, sample.draw.skipped + sample.draw.draws)
            places = np.searchsorted(sample.draw.numbers, flops[draws])
            pair = sample.values[name]
            found[:, :, draws] = [[one.lower[places] for one in pair], [one.upper[places] for one in pair]]
    return found


class MethodParts(NamedTuple):
    """Chips a hand on the same draws: of a method; of its decisions before the flop, and the best response from there on; of
    its decisions after the flop, and those before it that are best with these; and of the best response."""

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
        """Flops that need not be computed again."""
        draws = {name: self.paired(name).draws for name in self.methods}
        return KnownFlops(draws, {name: self._flops(name) for name in self.flops})

    def has_all(self, name: str) -> bool:
        """Return whether a method is known on all flops."""
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
        """Values of a method's decisions before the flop by themselves, and of those after it: means of both seats on the
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
                (own.plan, own.below), (own.plan, best.below), (backup.plan(own.below), own.below), (best.plan, best.below)
            )  # fmt: skip
            found.append([float(backup.values(plan, below[None])[0]) for plan, below in pairs])
        own_value, before, after, most = np.mean(found, axis=0).tolist()
        return MethodParts(own_value, before, after, most, sample.draw.draws)

    def _flops(self, name: str) -> set[int]:
        """Of all flops, those that are summed up for a method."""
        parts = (sample.draw.numbers for sample in self.samples if not sample.is_drawn and name in sample.values)
        return {flop for numbers in parts for flop in numbers}

    @property
    def flops(self) -> dict[str, int]:
        """By method, of how many of all flops there are sums."""
        names = dict.fromkeys(name for sample in self.samples if not sample.is_drawn for name in sample.values)
        return {name: len(self._flops(name)) for name in names}


def table_of(study: FlopStudy, found: Pieces, kept: FlopTable | None = None) -> FlopTable | None:
    """The results of a study so far; None without any.

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
    for sample in table.samples:
        draw = sample.draw
        drawn = sample.is_drawn and draw == draw_flops(game.boards, draw.draws, draw.seed or 0, draw.skipped)
        own_seed = draw.seed in (None, table.study["seed"])
        if not own_seed or not (drawn or draw == part_of_all(game.boards, draw.numbers)):
            raise InputError("its flops are not those that its seed draws")
    parts = [sample for sample in table.samples if not sample.is_drawn]
    for name, flops in table.flops.items():
        if flops < sum(len(part.draw.numbers) for part in parts if name in part.values):
            raise InputError(f"it counts a flop of {name} twice")
    for sample in table.samples:
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


_SAMPLES = 64
_BY_SEAT = ("upper", "lower", "plan", "below")
_ARRAYS = {f"folded{seat}" for seat in SEATS}
_ARRAYS |= {f"{name}{k}" for k in range(_SAMPLES) for name in ("numbers", "times")}
_ARRAYS |= {f"{name}{k}_{seat}" for k in range(_SAMPLES) for name in _BY_SEAT for seat in SEATS}
KIND = ArchiveKind("values by flops", 2, frozenset(_ARRAYS), packed=True, older=frozenset({1}))
_MOST = 2**20
"""Flops of a table at most."""


def write_flop_table(path: Path, table: FlopTable) -> None:
    """Write a table, whole or not at all.

    Raises:
        InputError: another ending than `.cpv`, too many samples, or it cannot be written.
    """
    check_writable(path, FLOP_TABLE)
    if len(table.samples) > _SAMPLES:
        raise InputError(f"{path}: a table has at most {_SAMPLES} samples, and this one {len(table.samples)}")
    arrays: dict[str, AnyArray] = {f"folded{seat}": table.folded[seat] for seat in SEATS}
    samples = []
    for k, sample in enumerate(table.samples):
        samples.append({"methods": list(sample.values), "whole": sample.draw.whole, "seed": sample.draw.seed})
        samples[-1] |= {"flops": len(sample.draw.numbers), "skipped": sample.draw.skipped}
        arrays[f"numbers{k}"] = np.array(sample.draw.numbers, np.uint32)
        arrays[f"times{k}"] = np.array(sample.draw.times, np.uint32)
        for seat in SEATS:
            for name in _BY_SEAT:
                each = [getattr(pair[seat], name) for pair in sample.values.values()]
                arrays[f"{name}{k}_{seat}"] = np.stack(each).astype(np.uint8 if name == "plan" else np.float64)
    write(path, KIND, {"study": table.study, "version": table.version, "samples": samples}, arrays)


def read_flop_table(path: Path) -> FlopTable:
    """Read a table and check it (see `check_table`).

    Raises:
        InputError: the file is missing, damaged or something else, or its numbers do not fit each other.
    """
    with opened(path, KIND) as archive:
        try:
            facts = archive.facts
            game = read_holdem(str(facts["study"]["game"])).game
            shapes = [(side.sizes[0], game.boards.classes) for side in game.sides]
            one, two = (archive.array(f"folded{seat}", shapes[seat]) for seat in SEATS)
            samples = [_sample(archive, game, k, said) for k, said in enumerate(facts["samples"])]
            table = FlopTable(facts["study"], str(facts["version"]), (one, two), samples)
            check_table(table, game)
        except InputError as error:
            raise in_file(path, error) from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:  # of facts
            raise FileError(f"{path} is damaged: its facts are no table's ({type(error).__name__})") from None
    return table


def _sample(archive: Archive, game: HoldemGame, k: int, said: Any) -> SampleValues:
    names, flops = [str(name) for name in said["methods"]], int(said["flops"])
    if not 0 < flops <= _MOST or not names:
        raise InputError("it has no flops")
    numbers, times = (archive.array(f"{part}{k}", (flops,), "u").tolist() for part in ("numbers", "times"))
    seed = None if said["seed"] is None else int(said["seed"])
    draw = FlopDraw(tuple(numbers), tuple(times), int(said["whole"]), seed, int(said.get("skipped", 0)))
    pairs: dict[str, list[FlopValues]] = {name: [] for name in names}
    for seat in SEATS:
        side, classes = game.sides[seat], game.boards.classes
        shapes = ((flops,), (flops,), (side.sizes[0], classes), (len(game.entries), classes))
        upper, lower, plan, below = (
            archive.array(f"{part}{k}_{seat}", (len(names), *shape), "u" if part == "plan" else "f").astype(np.float64)
            for part, shape in zip(_BY_SEAT, shapes, strict=True)
        )
        for at, name in enumerate(names):
            pairs[name].append(FlopValues(draw, upper[at], lower[at], plan[at], below[at]))
    return SampleValues(draw, {name: (pair[0], pair[1]) for name, pair in pairs.items()})
