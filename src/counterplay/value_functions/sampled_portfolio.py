"""Sampled portfolios: values are means of random games (Milec et al. 2025, section 5.2), for large games.

For a game in memory, these are walks through the tree; otherwise they are played by the rules, which is all that is
needed of the game. The values of the portfolio's strategies against each other do not depend on a model, and are kept
on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.replay_kernels import states_at
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.sampled_walks import sample_walks
from counterplay.leaves.matrix_valued import MatrixValued
from counterplay.opponents.opponent import actor
from counterplay.subgames.cut_shape import Border
from counterplay.texts.readers import Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.playouts import playouts
from counterplay.value_functions.portfolio import PURE, Portfolio, pairs
from counterplay.value_functions.sample_cache import SampleCache
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord

Floats = NDArray[np.float64]
Worth = Callable[[Any, Any, int], tuple[Floats, Floats]]
"""Strategies of players 0 and 1 and the number of the pair in, means and standard errors out, two (n,) arrays."""
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
    """

    HEAD = "sampled"
    samples: Annotated[int, Whole(least=1, digits=9)]
    seed: Annotated[int, Whole(digits=9)] = 0
    keep: bool = field(default=True, compare=False)

    def states(self, border: Border, resolver: int, model: Strategy | None, source: Any = None) -> MatrixValued:
        """The values of the continuations at a border, with standard errors. Arguments as of `Portfolio`.

        Raises:
            InputError: a strategy or model needs the game in memory, and it is not.
        """
        worth, whole = self._worth(border)
        mine, theirs = (self._own(border.game, player, whole) for player in (0, 1))
        samples = _PairSamples(worth, [(one, other) for one in mine for other in theirs])
        key = self._key(border) if self.keep else None
        found = samples.all(None if key is None else SampleCache(key))
        shape = len(border.histories), len(mine), len(theirs)
        chips, error = (one.reshape(shape) for one in found)
        if model is None:
            return MatrixValued(chips, None, error)
        alone = self.against(border, resolver, model, source)
        return MatrixValued(chips, alone.model, error, alone.model_error)

    def against(self, border: Border, resolver: int, model: Strategy, source: Any = None) -> MatrixValued:
        """Only the model's column, sampled afresh."""
        worth, whole = self._worth(border)
        own = self._own(border.game, resolver, whole)
        other = model if whole or source is None else actor(border.game.rules, source)
        mean, error = _PairSamples(worth, pairs(own, other, resolver), _MODEL).all()
        return MatrixValued(np.zeros((len(mean), 0, 0)), mean, model_error=error)

    def _own(self, game: GameTree, player: int, whole: bool) -> list[Any]:
        """A player's strategies, in the form that the sampler takes."""
        return (
            list(self.strategies(game, player)) if whole else [actor(game.rules, one) for one in self.sources[player]]
        )

    def _worth(self, border: Border) -> tuple[Worth, bool]:
        """The sampler of a pair, and whether it walks through the game in memory."""
        game = border.game
        if not (game.histories.player == LIMIT).any():

            def walked(one: Strategy, other: Strategy, number: int) -> tuple[Floats, Floats]:
                return sample_walks(game, border.histories, (one, other), self.samples, self._seed(number))

            return walked, True
        rules: Any = game.rules
        states = states_at(rules, game.histories, border.histories)

        def played(one: Any, other: Any, number: int) -> tuple[Floats, Floats]:
            return playouts(rules, states, (one, other), self.samples, self._seed(number))

        return played, False

    def _seed(self, number: int) -> int:
        return self.seed * 1_000_003 + number

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
            "whole": not (border.game.histories.player == LIMIT).any(),
            "states": states_at(border.game.rules, border.game.histories, border.histories),
        }


class _PairSamples:
    """Pairs of strategies as work: a piece for each.

    Args:
        worth: samples a pair.
        pairs: of players 0 and 1.
        first: number of the first pair, which says what random numbers it gets.
    """

    def __init__(self, worth: Worth, pairs: Sequence[tuple[Any, Any]], first: int = 0) -> None:
        self._worth, self._pairs = worth, {str(first + k): pair for k, pair in enumerate(pairs)}

    def identity(self) -> dict[str, Any]:
        """None of its own: whoever keeps the pairs knows what they depend on."""
        return {}

    def keys(self) -> list[str]:
        return list(self._pairs)

    def compute(self, key: str) -> list[Floats]:
        return [*self._worth(*self._pairs[key], int(key))]

    def all(self, record: WorkRecord | None = None) -> tuple[Floats, Floats]:
        """(n, pairs) means and standard errors.

        Raises:
            KeyboardInterrupt: Ctrl-C; the record has the pairs so far.
        """
        found = complete_work(self, record=record).values()
        mean, error = (np.stack([one[i] for one in found], -1) for i in (0, 1))
        return mean, error
