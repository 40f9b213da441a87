"""Sampled values of pairs of strategies as work: a piece for each pair, in this process or in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.expectation import sample_walks
from counterplay.gametree.compile.load import find_game
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.playouts import playouts
from counterplay.work.processes import WorkerCount, executor_of
from counterplay.work.run_work import complete_work
from counterplay.work.work_record import WorkRecord


@dataclass(frozen=True, eq=False)
class Walks:
    """Random walks through a game in memory.

    Attributes:
        game: the whole game.
        histories: (n,) from which walks begin.
        samples: walks from each.
        seed: of all of them.
    """

    game: GameTree
    histories: I64
    samples: int
    seed: int

    def sample(self, one: Strategy, other: Strategy, number: int) -> tuple[F64, F64]:
        """(n,) means and (n,) standard errors of a pair, whose number gives it random numbers of its own."""
        return sample_walks(self.game, self.histories, (one, other), self.samples, _seed(self.seed, number))

    def pack(self, player: Strategy) -> Any:
        """A strategy for another process."""
        return player.player, player.behaviour

    def unpack(self, packed: Any) -> Strategy:
        player, behaviour = packed
        return Strategy(self.game.trees[player], behaviour, {})


@dataclass(frozen=True, eq=False)
class Playouts:
    """Random games by the rules.

    Attributes:
        rules: of a game that need not be in memory.
        states: (n, size) from which games go on.
        samples: games from each.
        seed: of all of them.
    """

    rules: FastGame
    states: I64
    samples: int
    seed: int

    def __reduce__(self) -> tuple[Any, ...]:
        return _played_again, (self.rules.name, self.states, self.samples, self.seed)

    def sample(self, one: Any, other: Any, number: int) -> tuple[F64, F64]:
        """(n,) means and (n,) standard errors of a pair of actors (see `Walks`)."""
        return playouts(self.rules, self.states, (one, other), self.samples, _seed(self.seed, number))

    def pack(self, player: Any) -> Any:
        """An actor for another process."""
        return player

    def unpack(self, packed: Any) -> Any:
        return packed


class PairSamples:
    """Pairs of strategies as work: a piece for each.

    Args:
        sampler: samples a pair.
        pairs: of players 0 and 1.
        first: number of the first pair, which says what random numbers it gets.
    """

    def __init__(self, sampler: Walks | Playouts, pairs: Sequence[tuple[Any, Any]], first: int = 0) -> None:
        self._sampler, self._first, self._pairs = sampler, first, {str(first + k): two for k, two in enumerate(pairs)}

    def __reduce__(self) -> tuple[Any, ...]:
        packed = [tuple(map(self._sampler.pack, two)) for two in self._pairs.values()]
        return _sampled_again, (self._sampler, packed, self._first)

    def identity(self) -> dict[str, Any]:
        """None of its own: whoever keeps the pairs knows what they depend on."""
        return {}

    def keys(self) -> list[str]:
        return list(self._pairs)

    def compute(self, key: str) -> list[F64]:
        one, other = self._pairs[key]
        return [*self._sampler.sample(one, other, int(key))]

    def all(self, workers: WorkerCount = 1, record: WorkRecord | None = None) -> tuple[F64, F64]:
        """(n, pairs) means and standard errors."""
        found = complete_work(self, record=record, executor=executor_of(workers)).values()
        mean, error = (np.stack([one[i] for one in found], -1) for i in (0, 1))
        return mean, error


def _seed(seed: int, number: int) -> int:
    return seed * 1_000_003 + number


def _played_again(name: str, states: I64, samples: int, seed: int) -> Playouts:
    """The same in another process, by the text of the game."""
    rules: Any = find_game(name)
    return Playouts(rules, states, samples, seed)


def _sampled_again(sampler: Walks | Playouts, packed: Sequence[tuple[Any, Any]], first: int) -> PairSamples:
    """The same in another process."""
    return PairSamples(sampler, [(sampler.unpack(one), sampler.unpack(other)) for one, other in packed], first)
