"""The work of learning values: drawn samples, a first fit, and rounds of samples where searches ask, each with a fit.

The pieces of each stage are independent; stages follow one another and share one record, so that learning goes on where it
was interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.gametree.compile.load import load
from counterplay.learning.asked_ranges import answer_and_record, respond_and_record
from counterplay.learning.pieces import random_of
from counterplay.learning.range_draws import draw_played, draw_with_holes
from counterplay.learning.value_samples import ValueSamples, solve_samples
from counterplay.networks.border_states import BorderStates, borders_of, number_states
from counterplay.networks.value_network import ValueNetwork
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.solved_value import SolvedValue
from counterplay.value_functions.value_function import value_function
from counterplay.work.work import WorkRecipe

_PIECE = 6_000
"""Public states of a piece."""


@dataclass(frozen=True)
class ValueSettings:
    """What values are learned from, and how.

    Attributes:
        game: spec of the game.
        depth: of the look-aheads, as text.
        samples: public states solved at drawn ranges.
        asked: further ones at ranges that searches over the first network ask for.
        solver: value function that solves them.
        width: units of each hidden layer.
        layers: number of hidden layers.
        epochs: passes over all samples.
        seed: of all randomness.
        responses: whether best responses alone ask for ranges, to weak players: a network for CDBR.
        rounds: of such searches, each over the network of the round before.
    """

    game: str
    depth: str
    samples: int = 200_000
    asked: int = 60_000
    solver: str = "cfr+:500"
    width: int = 128
    layers: int = 3
    epochs: int = 50
    seed: int = 0
    responses: bool = False
    rounds: int = 1

    def __post_init__(self) -> None:
        solved_by(self.solver)

    def identity(self) -> Mapping[str, Any]:
        """Everything that the pieces depend on."""
        return {"learned": "values", "of each kind": "as many", **asdict(self)}


def solved_by(text: str) -> SolvedValue:
    """The value function that solves samples.

    Raises:
        InputError: one that solves nothing.
    """
    found = value_function(text)
    if not isinstance(found, SolvedValue):
        raise InputError(f"samples are solved by lp or METHOD:N such as cfr+:500, not by {quoted(text)}")
    return found


@lru_cache(maxsize=1)
def _borders_in(spec: str, depth: str) -> tuple[GameTree, list[Border], BorderStates]:
    """A game, where its look-aheads of a depth stop, and the public states there; kept for the next stage."""
    game = load(spec)
    borders = borders_of(game, Depth.of(depth))
    return game, borders, number_states(borders)


@dataclass(frozen=True)
class _Stage(WorkRecipe):
    """Pieces of one stage, in a game that each process loads once."""

    settings: ValueSettings

    def identity(self) -> Mapping[str, Any]:
        return self.settings.identity()

    @property
    def game(self) -> GameTree:
        """The game in memory."""
        return self._there[0]

    @property
    def borders(self) -> list[Border]:
        """Where its look-aheads stop."""
        return self._there[1]

    @property
    def states(self) -> BorderStates:
        """The public states there."""
        return self._there[2]

    @cached_property
    def _there(self) -> tuple[GameTree, list[Border], BorderStates]:
        return _borders_in(self.settings.game, self.settings.depth)

    def random(self, key: str) -> np.random.Generator:
        """The random numbers of a piece."""
        return random_of(self.settings.seed, key)


@dataclass(frozen=True)
class DrawnSamples(_Stage):
    """Public states solved at drawn ranges: half of random strategies, half with holes; as many of each kind.

    Small games below are often many of one kind, and large ones few, so that equally many of each state would be too few of
    those that are the hardest to learn.
    """

    def keys(self) -> Sequence[str]:
        return [f"samples {k + 1}" for k in range(-(-self.settings.samples // _PIECE))]

    def compute(self, key: str) -> dict[str, Any]:
        rng, solver = self.random(key), solved_by(self.settings.solver)
        parts = []
        for border in self.borders:
            rows = self.states.rows(border)
            calls = max(2, round(_PIECE / self.states.count / rows.of_each_kind))
            draws = (draw_played(border, rng) if k % 2 else draw_with_holes(border, rows, rng) for k in range(calls))
            parts.append(solve_samples(rows, solver.at(border), draws, rng).facts())
        return ValueSamples.join(parts, sum(self.states.widths)).facts()


@dataclass(frozen=True)
class AskedSamples(_Stage):
    """Public states solved at ranges that searches ask for, in one of the rounds, from 0."""

    network: ValueNetwork
    number: int = 0

    def keys(self) -> Sequence[str]:
        pieces = -(-self.settings.asked // _PIECE)
        return [f"asked {self.number * pieces + k + 1}" for k in range(pieces)]

    def compute(self, key: str) -> dict[str, Any]:
        number, solver = int(key.split()[1]), solved_by(self.settings.solver)
        ask = respond_and_record if self.settings.responses else answer_and_record
        rng = self.random(key)
        found = ask(self.game, self.network, number, _PIECE, rng)
        parts = [
            solve_samples(self.states.rows(border), solver.at(border), ranges, rng).facts() for border, ranges in found
        ]
        return ValueSamples.join(parts, sum(self.states.widths)).facts()
