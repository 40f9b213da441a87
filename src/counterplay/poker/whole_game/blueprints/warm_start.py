"""Solves by public chance sampling that begin where a blueprint is, instead of at nothing.

A response in a large abstraction needs about as many iterations as its blueprint before it plays rare rows well. Begun
from the blueprint, which counts as some iterations, it has to learn only what the model changes; rows that its own boards
never meet are played as the blueprint plays them, and not uniformly. What the start adds to the average loses its weight as
iterations go on, so that the limit is unchanged.

A file of a blueprint has no regrets. Any regrets in proportion to its probabilities play it (Brown and Sandholm 2016);
their size says how soon a row leaves it. The first boards find that size: both players keep to the blueprint there, and the
regrets of a decision begin as large as those of so many iterations without a trend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.whole_game.strategy import BucketedStrategy

_BOARDS = 64
"""Boards on which the size of regrets is found."""
_TINY = 1e-20
"""Regrets that play a strategy and do not show beside those of a board."""


@dataclass(frozen=True, eq=False)
class WarmStart:
    """A start of which the regrets and averages are known (as of `PublicSampling.state`), the iterations that made
    them, and as how many they count."""

    state: Mapping[str, AnyArray]
    iterations: int
    keep: int


class StartTable(NamedTuple):
    """One player's table on a street, or a block of it: `at` gives the index of a sequence's lanes in `strategy`,
    `regrets` and `sums`, of which the latter two are changed."""

    player: int
    street: int
    decisions: I64
    at: Callable[[int], Any]
    strategy: AnyArray
    regrets: AnyArray
    sums: AnyArray


class Startable(Protocol):
    """A solve that can begin as a strategy."""

    def start_tables(self, play: BucketedStrategy) -> Sequence[StartTable]:
        """Its tables beside those of a strategy in its buckets."""

    def probe(self, player: int, number: int) -> None:
        """Add one player's regrets, and the average of one of both, on one board, as an iteration of weight 1."""

    def begin_at(self, iterations: int) -> tuple[float, float]:
        """Count as so many iterations; the sums of the squares of their weights in regrets, and of those in averages."""


def begin_as(solver: Startable, play: BucketedStrategy, iterations: int) -> None:
    """Begin a new solve as a strategy in its buckets, which counts as so many iterations."""
    tables = solver.start_tables(play)
    squares = [np.zeros_like(table.regrets) for table in tables]
    for number in range(_BOARDS):
        for player in (0, 1):
            for table in tables:
                np.multiply(table.strategy, _TINY, out=table.regrets)
            solver.probe(player, number)
            for table, found in zip(tables, squares, strict=True):
                if table.player == player:
                    found += np.square(table.regrets)
    spread, weight = solver.begin_at(iterations)
    for key in dict.fromkeys((table.player, table.street) for table in tables):
        pairs = [(table, found) for table, found in zip(tables, squares, strict=True) if table[:2] == key]
        _fill(pairs, spread / _BOARDS, weight / _BOARDS)


def _fill(pairs: Sequence[tuple[StartTable, AnyArray]], spread: float, weight: float) -> None:
    """Regrets and sums of one player's street, from the squares of regrets and the sums of the first boards."""
    for _, _, first, count in pairs[0][0].decisions.tolist():
        rows = [[table.at(row) for row in range(first, first + count)] for table, _ in pairs]
        lanes = [table.strategy[some[0]].size for (table, _), some in zip(pairs, rows, strict=True)]
        squared = sum(float(found[row].sum()) for (_, found), some in zip(pairs, rows, strict=True) for row in some)
        size = float(np.sqrt(spread * squared / (count * sum(lanes)))) or _TINY
        reaches = [sum(table.sums[row] for row in some) for (table, _), some in zip(pairs, rows, strict=True)]
        mean = sum(float(reach.sum()) for reach in reaches) / sum(lanes)
        for (table, _), some, reach in zip(pairs, rows, reaches, strict=True):
            known = np.maximum(reach, 1e-3 * mean) if reach.any() else np.full_like(reach, mean)
            for row in some:
                table.regrets[row] = size * table.strategy[row]
                table.sums[row] = (weight * known + _TINY) * table.strategy[row]
