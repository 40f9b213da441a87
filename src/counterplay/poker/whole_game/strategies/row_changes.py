"""Models in whole games of hold'em that are made row by row: random ones, and others with noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, LastBoardCache


def random_strategy(game: HoldemGame, lanes: CardAbstraction, seed: int, alpha: float) -> BucketedStrategy:
    """Both players' strategies, every row of the lanes drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)

    def table(player: int, street: int, size: int) -> F64:
        side = game.sides[player]
        out = np.zeros((side.sizes[street], size))
        for _, _, first, count in side.decisions[street].tolist():
            out[first : first + count] = rng.dirichlet(np.full(count, alpha), size).T
        return out

    def blocks(player: int, street: int) -> list[AnyArray]:
        return [table(player, street, size).astype(game.dtype) for size in lanes.sizes_on(street).tolist()]

    early = [table(player, 0, int(lanes.preflop.max()) + 1)[:, lanes.preflop] for player in (0, 1)]
    late = tuple((blocks(0, street), blocks(1, street)) for street in range(1, game.last + 1))
    return BucketedStrategy(lanes, (early[0], early[1]), late)


@dataclass(frozen=True, eq=False)
class NoisyStrategy:
    """A strategy that at every decision is uniform with probability `weight`, else as `base`."""

    game: HoldemGame
    base: BlueprintStrategy
    weight: float
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        one, two = (
            noisy(table, side.preflop, self.weight)
            for side, table in zip(self.game.sides, self.base.preflop, strict=True)
        )
        return one, two

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        table, lane = self.base.on(player, board)
        decisions = self.game.sides[player].decisions[board.street]
        return self._latest.get(player, board, lambda *_: noisy(table, decisions, self.weight)), lane


def add_noise(game: HoldemGame, play: BlueprintStrategy, weight: float) -> BlueprintStrategy:
    """A strategy with noise, in the same tables if it has them."""
    found = NoisyStrategy(game, play, weight)
    if not isinstance(play, BucketedStrategy):
        return found
    one, two = game.sides
    late = tuple(
        (
            [noisy(rows, one.decisions[street], weight) for rows in tables[0]],
            [noisy(rows, two.decisions[street], weight) for rows in tables[1]],
        )
        for street, tables in enumerate(play.tables, 1)
    )
    return replace(play, preflop=found.preflop, tables=late)


def noisy(table: AnyArray, decisions: I64, weight: float) -> AnyArray:
    """(sequences, lanes) a table mixed with the uniform one; decisions are (decisions, 4) as in `StreetDecisions`."""
    out = table.copy()
    for _, _, first, count in decisions.tolist():
        out[first : first + count] = (1.0 - weight) * table[first : first + count] + weight / count
    return out
