"""The work of learning values by the rules' numbers of public states: samples solved to the end, and by look-aheads.

Public states come from drawn paths. Where the game below is small it is solved to its end. A further stage looks ahead over
the network so far: at the ranges that it asks for at its limit small games are solved, too, and where the game below is
large, the look-ahead's own values are samples (Brown et al. 2020 learn values by look-aheads in the same way).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.games import make_game
from counterplay.gametree.compile.levels import Depth
from counterplay.learning.asked_ranges import LearnedValue, RecordedValue
from counterplay.learning.pieces import random_of
from counterplay.learning.public_states.drawn_places import PublicLookAhead, PublicPlace, drawn_places, whole_below
from counterplay.learning.range_draws import Ranges, draw_played, draw_with_holes
from counterplay.learning.value_samples import ValueSamples, solve_samples
from counterplay.learning.value_work import ValueSettings, solved_by
from counterplay.networks.public_network import PublicNetwork, described_rules, public_rows
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.leaf_value import Evaluate
from counterplay.work.work import WorkRecipe

_PIECE, _DRAWS = 2_000, 10
"""Samples of a piece; pairs of ranges at a public state of a path."""
_LOOKS, _ASKED = 2, 3
"""Look-aheads at a public state, and pairs of ranges that are taken from each."""
_ITERATIONS, _ROOM = 200, 500_000
"""Of a look-ahead; the most histories of one."""
_IN_VAIN = 100
"""Paths without a sample after which the search for samples ends."""


@dataclass(frozen=True)
class PublicSettings(ValueSettings):
    """What values are learned from, and how, where the rules describe public states.

    Attributes:
        largest: histories of a game that is solved to its end.
    """

    largest: int = 20_000

    def identity(self) -> Mapping[str, Any]:
        return {"learned": "public values", **asdict(self)}


@dataclass(frozen=True)
class _Stage(WorkRecipe):
    settings: PublicSettings

    def identity(self) -> Mapping[str, Any]:
        return self.settings.identity()

    @property
    def depth(self) -> Depth:
        """Of the look-aheads."""
        return Depth.of(self.settings.depth)

    def join(self, parts: Any) -> ValueSamples:
        """The samples of pieces."""
        numbers, width = described_rules(make_game(self.settings.game)).value_sizes
        return ValueSamples.join(parts, 2 * width, numbers)

    def _collect(self, key: str, wanted: int) -> dict[str, Any]:
        """Samples of drawn paths, about a piece of the `wanted` ones."""
        rng, parts, count, paths = random_of(self.settings.seed, key), list[ValueSamples](), 0, 0
        rules = described_rules(make_game(self.settings.game))
        while count < min(_PIECE, wanted) and (count or paths < _IN_VAIN):
            paths += 1
            for place in drawn_places(rules, self.depth, rng):
                found = list(self._samples(place, rng))
                parts += found
                count += sum(len(one.kinds) for one in found)
        if not count:
            raise InputError(
                f"{self.settings.game}: no look-ahead of depth {self.settings.depth} stops where at most "
                f"{self.settings.largest:,} histories follow; choose another depth or a larger --largest"
            )
        return self.join(one.facts() for one in parts).facts()

    def _samples(self, place: PublicPlace, rng: np.random.Generator) -> Iterator[ValueSamples]:
        """Samples from one public state of a path."""
        raise NotImplementedError


@dataclass(frozen=True)
class PublicSamples(_Stage):
    """Small public states solved at drawn ranges: half of random strategies, half with holes."""

    def keys(self) -> Sequence[str]:
        return [f"samples {k + 1}" for k in range(-(-self.settings.samples // _PIECE))]

    def compute(self, key: str) -> dict[str, Any]:
        return self._collect(key, self.settings.samples)

    def _samples(self, place: PublicPlace, rng: np.random.Generator) -> Iterator[ValueSamples]:
        whole = self.whole(place)
        if whole is not None:
            yield described(whole, solved_by(self.settings.solver).at(whole), drawn_ranges(whole, rng, _DRAWS))

    def whole(self, place: PublicPlace) -> Border | None:
        """What is small enough to be solved, with the game below: a public state with its siblings, or alone, or nothing."""
        if place.beside is None:
            return None
        together = whole_below(place.beside, self.settings.largest)
        return whole_below(place.border, self.settings.largest) if together is None else together


@dataclass(frozen=True)
class LookedSamples(_Stage):
    """Samples by look-aheads over a network, in one round.

    Attributes:
        number: of the round, from 1.
        so_far: the network.
    """

    number: int
    so_far: PublicNetwork

    def keys(self) -> Sequence[str]:
        return [f"round {self.number}: {k + 1}" for k in range(-(-self.settings.asked // _PIECE))]

    def compute(self, key: str) -> dict[str, Any]:
        return self._collect(key, self.settings.asked)

    def _samples(self, place: PublicPlace, rng: np.random.Generator) -> Iterator[ValueSamples]:
        settings, recorded = self.settings, RecordedValue(LearnedValue(self.so_far))
        try:
            look = PublicLookAhead.below(place.border, self.depth, _ROOM, _ITERATIONS)
            if not len(look.limit.histories):
                return
            evaluate = look.over(recorded)
        except InputError:  # too large, or its limit is not learned yet
            return
        ranges = drawn_ranges(place.border, rng, _LOOKS)
        if place.beside is not None and whole_below(place.border, settings.largest) is None:
            yield described(place.border, evaluate, ranges)
        else:
            for both in ranges:
                evaluate(*both)
        border, asked = recorded.asked[0]
        states = np.unique(border.public)
        alone = Border.at(border.game, border.histories[border.public == rng.choice(states)])
        whole = whole_below(alone, settings.largest)
        if whole is not None:
            chosen = [asked[k] for k in rng.permutation(len(asked))[: _ASKED * len(ranges)].tolist()]
            yield described(whole, solved_by(settings.solver).at(whole), [_part(border, alone, one) for one in chosen])


def described(border: Border, evaluate: Evaluate, ranges: Sequence[Ranges]) -> ValueSamples:
    """The samples of a border at some ranges, with what the rules say of each public state before its ranges."""
    found = public_rows(border)
    solved = solve_samples(found.rows, evaluate, ranges)
    inputs = np.concatenate([found.numbers[solved.kinds], solved.inputs], axis=1)
    return ValueSamples(np.zeros_like(solved.kinds), inputs, solved.targets)


def drawn_ranges(border: Border, rng: np.random.Generator, count: int) -> list[Ranges]:
    """Pairs of ranges at a border, one half drawn as by random strategies and the other with holes."""
    rows = public_rows(border).rows
    return [draw_played(border, rng) if k % 2 else draw_with_holes(border, rows, rng) for k in range(count)]


def _part(border: Border, alone: Border, ranges: Ranges) -> Ranges:
    """The ranges at one public state of a border."""
    first, second = (
        one[np.searchsorted(whole, mine)]
        for one, whole, mine in zip(ranges, border.infosets, alone.infosets, strict=True)
    )
    return first, second
