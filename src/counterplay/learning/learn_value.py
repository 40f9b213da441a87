"""Learning the values at the borders of a game in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.levels import Depth
from counterplay.gametree.compile.load import load
from counterplay.learning.recipe import Fitted, Piece, Recipe, learn
from counterplay.learning.torch_layers import FitSettings, Watch
from counterplay.learning.value_fit import fit_values
from counterplay.learning.value_samples import (
    LearnedValue,
    Ranges,
    ValueSamples,
    answer_and_record,
    draw_played,
    draw_with_holes,
    respond_and_record,
    solve_samples,
    solved_by,
)
from counterplay.lookahead.leaf_error import value_error
from counterplay.networks.border_states import BorderStates, borders_of, number_states
from counterplay.networks.network import Network
from counterplay.networks.value_network import ValueNetwork
from counterplay.subgames.cut_shape import Border

Question = tuple[Border, Iterable[Ranges], np.random.Generator]
"""A border, ranges there, and random numbers that choose among its public states."""


@dataclass(frozen=True)
class ValueSettings:
    """Settings of learned values.

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


@lru_cache(maxsize=1)
def _borders_in(spec: str, depth: str) -> tuple[GameTree, list[Border], BorderStates]:
    """A game, where its look-aheads of a depth stop, and the public states there; kept for the next stage."""
    game = load(spec)
    borders = borders_of(game, Depth.of(depth))
    return game, borders, number_states(borders)


@dataclass(frozen=True)
class BorderValues(Recipe):
    """Public states of a game in memory, as many of each kind.

    Small games below are often many of one kind, and large ones few, so that equally many of each state would be too few of
    those that are the hardest to learn.
    """

    settings: ValueSettings
    piece: ClassVar[int] = 6_000

    @property
    def _there(self) -> tuple[GameTree, list[Border], BorderStates]:
        return _borders_in(self.settings.game, self.settings.depth)

    @property
    def borders(self) -> list[Border]:
        """Where look-aheads stop."""
        return self._there[1]

    @property
    def states(self) -> BorderStates:
        """The public states there."""
        return self._there[2]

    @property
    def nothing(self) -> ValueSamples:
        return ValueSamples.none(sum(self.states.widths))

    def draw(self, piece: Piece) -> Iterable[Question]:
        """Ranges at every border: half of random strategies, half with holes."""
        rng = piece.rng
        for border in self.borders:
            rows = self.states.rows(border)
            calls = max(2, round(self.piece / self.states.count / rows.of_each_kind))
            draws = (draw_played(border, rng) if k % 2 else draw_with_holes(border, rows, rng) for k in range(calls))
            yield border, draws, rng

    def ask(self, piece: Piece) -> Iterable[Question]:
        """Ranges of searches, which differ by the number of the piece."""
        game, search = self._there[0], respond_and_record if self.settings.responses else answer_and_record
        for border, ranges in search(game, piece.network, piece.number, self.piece, piece.rng):
            yield border, ranges, piece.rng

    def solve(self, question: Question) -> ValueSamples:
        border, ranges, rng = question
        return solve_samples(self.states.rows(border), solved_by(self.settings.solver).at(border), ranges, rng)

    def fit(self, samples: ValueSamples, fit: FitSettings, begin: Network | None, watch: Watch | None) -> Fitted:
        return fit_values(samples, self.states.widths[0], fit, begin, watch)

    def learned(self, samples: ValueSamples, fitted: Fitted) -> ValueNetwork:
        settings, (network, scale) = self.settings, fitted
        assert scale is not None
        about = {"seed": settings.seed, "samples": len(samples.kinds), "solver": settings.solver}
        return ValueNetwork(settings.game, settings.depth, self.states, scale, network, about)


def learn_value(settings: ValueSettings, **run: Any) -> ValueNetwork:
    """Learn the values at which look-aheads of a depth stop. run: arguments of `recipe.learn`.

    Raises:
        InputError: torch is not installed, a game or depth without borders, or an invalid solver.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    net: ValueNetwork = learn(BorderValues(settings), **run)
    return net


def measure_network(net: ValueNetwork, game: GameTree) -> ValueNetwork:
    """The network with its errors at the first border, in chips, among what is known about it."""
    error = value_error(game, LearnedValue(net), net.depth, seed=net.about["seed"] + 1)
    errors = {"mean": error.mean, "worst": error.worst, "gap": error.gap, "pairs of strategies": error.samples}
    return replace(net, about={**net.about, "errors": errors})
