"""Sampled portfolios: values are means of random games (Milec et al. 2025, section 5.2), for large games.

For a game in memory, these are walks through the tree; otherwise they are played by the rules, which is all that is
needed of the game. The values of the portfolio's strategies against each other do not depend on a model, and are kept
on disk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from counterplay.about import version
from counterplay.arrays import F64, I64
from counterplay.cache_folder import cache_folder, make_trusted, prune
from counterplay.errors import InputError
from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.step_states import states_at
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import sample_walks
from counterplay.jit import stamp
from counterplay.leaves.matrix import MatrixValued
from counterplay.opponents.opponent import actor
from counterplay.subgames.cut_game import Border
from counterplay.texts.readers import Whole
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.estimates import playouts
from counterplay.value_functions.portfolio import PURE, Portfolio, pairs
from counterplay.work.processes import WorkerCount, executor_of
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord


class SampleCache(WorkRecord):
    """A record of sampled values, kept only as far as there is a place for it. The key has all that they depend on,
    plain values and arrays; the versions of the library and its compiled code are added, so that values of another
    version are never found."""

    def __init__(self, key: Mapping[str, Any]) -> None:
        plain = {name: value for name, value in key.items() if not isinstance(value, np.ndarray)}
        digest = hashlib.sha256(json.dumps([version(), stamp(), plain], sort_keys=True).encode())
        for name in sorted(set(key) - set(plain)):
            digest.update(name.encode() + str(key[name].shape).encode() + np.ascontiguousarray(key[name]).tobytes())
        self.name = digest.hexdigest()
        folder = cache_folder()
        path = None if folder is None else folder / f"{self.name}.work"
        identity = {"sampled values": self.name}
        if path is not None:
            with suppress(OSError):
                make_trusted(path.parent)
        try:
            super().__init__(path, identity)
        except InputError:  # damaged, or of another key under this name
            if path is not None:
                with suppress(OSError):
                    path.unlink()
            super().__init__(path, identity)

    def keep(self, key: str, result: Any) -> None:
        """Keep a result; in memory alone where the file cannot be written."""
        try:
            super().keep(key, result)
        except InputError:
            self.path = None
        if self.path is not None:
            with suppress(OSError):
                prune(self.path.parent)


@dataclass(frozen=True, eq=False)
class PairSamples:
    """Pairs of players as work: a piece for each, whose number gives it random numbers of its own.

    Attributes:
        game: a whole game in memory, or the rules of one that need not be.
        places: (n,) histories of the one, from which random walks start, or (n, size) states of the other.
        samples: walks or random games from each place.
        seed: of their random numbers.
        pairs: of players 0 and 1, behaviours (size,) in the one and actors in the other.
        first: the number of the first pair.
    """

    game: GameTree | FastGame
    places: I64
    samples: int
    seed: int
    pairs: Sequence[tuple[Any, Any]]
    first: int = 0

    def identity(self) -> dict[str, Any]:
        """None of its own: whoever keeps the pairs knows what they depend on."""
        return {}

    def keys(self) -> list[str]:
        return [str(self.first + k) for k in range(len(self.pairs))]

    def compute(self, key: str) -> list[F64]:
        """(n,) means and (n,) standard errors of a pair."""
        pair, seed = self.pairs[int(key) - self.first], self.seed * 1_000_003 + int(key)
        if isinstance(self.game, FastGame):
            return [*playouts(self.game, self.places, pair, self.samples, seed)]
        return [*sample_walks(self.game, self.places, pair, self.samples, seed)]

    def all(self, workers: WorkerCount = 1, record: WorkRecord | None = None) -> tuple[F64, F64]:
        found = complete_work(self, record=record, executor=executor_of(workers)).values()
        mean, error = (np.stack([one[i] for one in found], -1) for i in (0, 1))
        return mean, error


_WORTH_KEEPING = 20_000
"""Below this number, random games are faster to play again than to read from disk."""
_MODEL = 1 << 20
"""The first number of pairs with the model, which gives them separate random numbers."""


@dataclass(frozen=True)
class SampledPortfolio(Portfolio):
    """A portfolio with sampled values.

    Attributes:
        samples: random games per history and pair of strategies.
        keep: whether pairs of the portfolio's own strategies are kept on disk (see `SampleCache`).
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
        samples = self._samples(border, [(one, other) for one in mine for other in theirs])
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
        rules: Any = border.game.rules
        other = model.behaviour if _is_whole(border) or source is None else actor(rules, source)
        mean, error = self._samples(border, pairs(own, other, resolver), _MODEL).all(self.workers)
        return MatrixValued(np.zeros((len(mean), 0, 0)), mean, model_error=error)

    def _own(self, border: Border, player: int) -> list[Any]:
        game = border.game
        if _is_whole(border):
            return [strategy.behaviour for strategy in self.strategies(game, player)]
        return [actor(game.rules, one) for one in self.sources[player]]

    def _samples(self, border: Border, both: Sequence[tuple[Any, Any]], first: int = 0) -> PairSamples:
        if _is_whole(border):
            return PairSamples(border.game, border.histories, self.samples, self.seed, both, first)
        rules: Any = border.game.rules
        states = states_at(rules, border.game.histories, border.histories)
        return PairSamples(rules, states, self.samples, self.seed, both, first)

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
    return not (border.game.histories.player == LIMIT).any()
