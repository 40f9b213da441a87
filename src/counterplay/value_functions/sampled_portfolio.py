"""Sampled portfolios: values are means of random games (Milec et al. 2025, section 5.2), for large games.

For a game in memory, these are walks through the tree; otherwise they are played by the rules, which is all that is
needed of the game. The values of the portfolio's strategies against each other do not depend on a model, and are kept
on disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.replay_kernels import states_at
from counterplay.leaves.matrix import MatrixValued
from counterplay.opponents.opponent import actor
from counterplay.subgames.cut_shape import Border
from counterplay.texts.readers import Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.pair_samples import PairSamples, Playouts, Walks
from counterplay.value_functions.portfolio import PURE, Portfolio, pairs
from counterplay.value_functions.sample_cache import SampleCache
from counterplay.work.processes import WorkerCount

_WORTH_KEEPING = 20_000
"""Below this number, random games are faster to play again than to read from disk."""
_MODEL = 1 << 20
"""The first number of pairs with the model, which gives them separate random numbers."""


@dataclass(frozen=True)
class SampledPortfolio(Portfolio):
    """A portfolio with sampled values.

    Attributes:
        samples: random games per history and pair of strategies.
        seed: seed of these games.
        keep: whether pairs of the portfolio's own strategies are kept on disk (see `sample_cache.SampleCache`).
        workers: number of processes, each of which samples a pair at a time; values do not depend on it.
    """

    HEAD = "sampled"
    on_way: ClassVar[bool] = True
    samples: Annotated[int, Whole(least=1, digits=9)]
    seed: Annotated[int, Whole(digits=9)] = 0
    keep: bool = field(default=True, compare=False)
    workers: WorkerCount = field(default=1, compare=False)

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """The values of the continuations at a border, with standard errors. Arguments as of `Portfolio`.

        Raises:
            InputError: a strategy or model needs the game in memory, and it is not.
        """
        mine, theirs = (self._own(border, player) for player in (0, 1))
        samples = PairSamples(self._sampler(border), [(one, other) for one in mine for other in theirs])
        key = self._key(border) if self.keep else None
        found = samples.all(self.workers, None if key is None else SampleCache(key))
        shape = len(border.histories), len(mine), len(theirs)
        chips, error = (one.reshape(shape) for one in found)
        if model is None:
            return MatrixValued(chips, None, error)
        alone = self.against(border, resolver, model, source)
        return MatrixValued(chips, alone.model, error, alone.model_error)

    def against(self, border: Border, resolver: int, model: Strategy, source: Any = None) -> MatrixValued:
        """Only the model's column, sampled afresh."""
        own = self._own(border, resolver)
        other = model if _is_whole(border) or source is None else actor(border.game.rules, source)
        mean, error = PairSamples(self._sampler(border), pairs(own, other, resolver), _MODEL).all(self.workers)
        return MatrixValued(np.zeros((len(mean), 0, 0)), mean, model_error=error)

    def _own(self, border: Border, player: int) -> list[Any]:
        """A player's strategies, in the form that the sampler takes."""
        game = border.game
        if _is_whole(border):
            return list(self.strategies(game, player))
        return [actor(game.rules, one) for one in self.sources[player]]

    def _sampler(self, border: Border) -> Walks | Playouts:
        if _is_whole(border):
            return Walks(border.game, border.histories, self.samples, self.seed)
        rules: Any = border.game.rules
        states = states_at(rules, border.game.histories, border.histories)
        return Playouts(rules, states, self.samples, self.seed)

    def _key(self, border: Border) -> dict[str, Any] | None:
        """The key of the values; None if it is unknown, as with functions."""
        texts = [*self.sources[0], *self.sources[1]]
        if not isinstance(border.game.rules, FastGame) or not all(isinstance(text, str) for text in texts):
            return None
        if PURE in texts or not self.is_fixed(border.game.rules):
            return None
        if len(border.histories) * len(self.sources[0]) * len(self.sources[1]) * self.samples < _WORTH_KEEPING:
            return None
        return {
            "game": border.game.name,
            "portfolios": [list(self.sources[0]), list(self.sources[1])],
            "samples": self.samples,
            "seed": self.seed,
            "whole": _is_whole(border),
            "states": states_at(border.game.rules, border.game.histories, border.histories),
        }


def _is_whole(border: Border) -> bool:
    """Whether the game of a border is in memory as a whole."""
    return not (border.game.histories.player == LIMIT).any()
