"""Several methods against one strategy of a whole game, in both seats and on the same flops, as work flop by flop.

Flops come in the order in which they are drawn, so that an unfinished study is a smaller one: of every method the longest
draw counts whose flops are all there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay import Holdem
from counterplay.arrays import AnyArray
from counterplay.opponents.opponent import seat_strategy
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.poker.whole_game.values.board_walk import SharedBest
from counterplay.poker.whole_game.walks.response_on_flops import (
    ALL,
    FlopDraw,
    FlopValues,
    ResponseOnFlops,
    flops_of_draws,
    longest_draw,
    part_of_all,
)
from counterplay.responses.methods import method_of
from counterplay.responses.whole_game import HoldemMatchup, rule_settings
from counterplay.work.run_work import WorkRecipe

SEATS = (0, 1)
Pieces = Mapping[str, Mapping[str, AnyArray]]
"""By key, the arrays of `ResponseOnFlops.on`."""


class Stage(NamedTuple):
    """methods: by name. draws: how many flops are drawn for them, or "all"."""

    methods: Sequence[str]
    draws: int | str


class KnownFlops(NamedTuple):
    """Flops that another sitting has computed, of which sums are kept and not the pieces.

    Attributes:
        draws: by method, how many draws from the first on.
        flops: by method, those of all flops whose sums count each as often as the deck has it.
    """

    draws: Mapping[str, int] = {}
    flops: Mapping[str, Collection[int]] = {}


_NOTHING = KnownFlops()


@dataclass(frozen=True)
class FlopStudy(WorkRecipe):
    """The study.

    Attributes:
        game: its text.
        opponent: text of the strategy of both seats to which is responded.
        methods: text of each method, by the name that it has in the study.
        stages: what is computed, one stage after the other.
        digests: of the files that texts name; results depend on what these hold, and not on where they lie.
        seed: of the draws.
        known: what need not be computed.
    """

    game: str
    opponent: str
    methods: Mapping[str, str]
    stages: Sequence[Stage]
    digests: Mapping[str, str]
    seed: int = 0
    known: KnownFlops = _NOTHING

    def identity(self) -> dict[str, str]:
        """Game and opponent: all else stands in the keys, so that a record takes in other methods and more flops."""
        return {"game": self.game, "opponent": self._by_content(self.opponent)}

    @property
    def facts(self) -> dict[str, Any]:
        """The question of the study, by contents of files."""
        methods = {name: self._by_content(text) for name, text in self.methods.items()}
        return {**self.identity(), "methods": methods, "seed": self.seed}

    def keys(self) -> list[str]:
        keys = dict[str, None]()
        for stage in self.stages:
            for flop, names in self._wanted(stage):
                keys |= dict.fromkeys(self.key(name, seat, flop) for name in names for seat in SEATS)
        return list(keys)

    def _wanted(self, stage: Stage) -> Iterator[tuple[int, list[str]]]:
        """Flop by flop, the methods of a stage to which it is new: drawn flops first."""
        boards, known = self.rules.game.boards, self.known
        whole = isinstance(stage.draws, str)
        for k, flop in enumerate(flops_of_draws(boards, stage.draws, self.seed)):
            new = [name for name in stage.methods if k >= known.draws.get(name, 0)]
            yield flop, [name for name in new if not (whole and flop in known.flops.get(name, ()))]
        for flop in range(len(boards.choices(boards.root)[1])) if whole else ():
            yield flop, [name for name in stage.methods if flop not in known.flops.get(name, ())]

    def key(self, name: str, seat: int, flop: int) -> str:
        """The piece of a method in a seat on a flop."""
        return f"{self._by_content(self.methods[name])} {seat} {flop}"

    def compute(self, key: str) -> dict[str, AnyArray]:
        """The arrays of a flop, as of `ResponseOnFlops.on`, in float32."""
        text, seat, flop = key.rsplit(" ", 2)
        name = next(name for name in self.methods if self._by_content(self.methods[name]) == text)
        found = self.responder(name, int(seat)).on(int(flop))
        return {part: array.astype(np.float32) for part, array in found.items()}

    def draw(self, found: Pieces, name: str) -> FlopDraw | None:
        """The longest draw beyond what is known whose flops are all there for a method; None if that is less than two."""
        asked = [stage.draws for stage in self.stages if name in stage.methods]
        whole = any(isinstance(count, str) for count in asked)
        most = ALL if whole else max((count for count in asked if isinstance(count, int)), default=0)
        boards, skipped = self.rules.game.boards, self.known.draws.get(name, 0)
        return longest_draw(boards, self.seen(found, name), most, self.seed, skipped)

    def part(self, found: Pieces, name: str) -> FlopDraw | None:
        """Those of all flops that are there for a method and not known already; None if there are none, or not all are asked
        for."""
        seen = self.seen(found, name) - set(self.known.flops.get(name, ()))
        asked = any(isinstance(stage.draws, str) for stage in self.stages if name in stage.methods)
        return part_of_all(self.rules.game.boards, seen) if asked and seen else None

    def seen(self, found: Pieces, name: str) -> set[int]:
        """The flops of a method of which both seats are there."""
        text = self._by_content(self.methods[name])
        seats: dict[str, set[int]] = {str(seat): set() for seat in SEATS}
        for key in found:
            method, seat, flop = key.rsplit(" ", 2)
            if method == text:
                seats[seat].add(int(flop))
        return set.intersection(*seats.values())

    def values(self, found: Pieces, name: str, seat: int, draw: FlopDraw) -> FlopValues:
        """Values of a method on a draw, flop by flop."""
        rows = {
            flop: {part: array.astype(np.float64) for part, array in found[self.key(name, seat, flop)].items()}
            for flop in draw.numbers
        }
        return self.responder(name, seat).values(draw, rows)

    @cached_property
    def rules(self) -> Holdem:
        """The game."""
        return read_holdem(self.game)

    def responder(self, name: str, seat: int) -> ResponseOnFlops:
        """A method in a seat."""
        if (name, seat) not in self._responders:
            match, shared = self._matches[seat]
            asked = rule_settings(match, method_of(self.methods[name]))
            self._responders[name, seat] = ResponseOnFlops(self.rules.game, seat, match.model.play, asked, shared)
        return self._responders[name, seat]

    @cached_property
    def _matches(self) -> list[tuple[HoldemMatchup, SharedBest]]:
        """Of each seat, who is met, and what its methods compute once."""
        models = (seat_strategy(self.rules, self.opponent, 1 - seat, self.seed) for seat in SEATS)
        return [(HoldemMatchup(self.rules, model, seed=self.seed), SharedBest()) for model in models]

    @cached_property
    def _responders(self) -> dict[tuple[str, int], ResponseOnFlops]:
        return {}

    def _by_content(self, text: str) -> str:
        for path, digest in self.digests.items():
            text = text.replace(path, digest)
        return text
