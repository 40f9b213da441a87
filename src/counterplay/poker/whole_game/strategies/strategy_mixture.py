"""A strategy that continues as one of several others: each class of hand draws one when the flop is dealt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.drawn_ways import DrawnWays
from counterplay.poker.whole_game.strategies.own_tables import own_tables
from counterplay.poker.whole_game.strategy import BlueprintStrategy, LastBoardCache, normalise_rows, reaches


@dataclass(frozen=True, eq=False)
class StrategyMixture:
    """The behaviour strategy of a player who draws one of several.

    Attributes:
        game: of all of them.
        preflop: of each player, (sequences, classes) probabilities.
        ways: of each player, what may be drawn.
        shares: of each player, (entries, ways, classes) with which probability.
    """

    game: HoldemGame
    preflop: tuple[F64, F64]
    ways: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]]
    shares: tuple[F64, F64]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self._latest.get(player, board, self._table), board.lane

    def own_tables(self, player: int) -> Iterator[AnyArray]:
        """See `OwnTables`."""
        return chain.from_iterable(own_tables(way, player) for way in self.ways[player])

    def _table(self, player: int, board: Board) -> AnyArray:
        return self._drawn[player].table(board)

    @cached_property
    def _drawn(self) -> list[DrawnWays]:
        return [DrawnWays(self.game, who, self.ways[who], 0, self.shares[who]) for who in (0, 1)]


def blend(game: HoldemGame, player: int, one: BlueprintStrategy, two: BlueprintStrategy, p: float) -> StrategyMixture:
    """A strategy of one player that is `one` with probability p, drawn before the hand, and else `two`; the other player's
    half is that of `two`."""
    side, weights = game.sides[player], (p, 1.0 - p)
    plans = [weight * reaches(side, play.preflop[player]) for weight, play in zip(weights, (one, two), strict=True)]
    entry = np.stack([plan[side.entry] for plan in plans], axis=1)
    total = entry.sum(axis=1, keepdims=True)
    shares = np.divide(entry, total, out=np.full(entry.shape, 0.5), where=total > 0.0)
    early = normalise_rows(plans[0] + plans[1], side.preflop)
    alone = np.ones((len(side.entry), 1, game.boards.classes))
    if player == 0:
        return StrategyMixture(game, (early, two.preflop[1]), ((one, two), (two,)), (shares, alone))
    return StrategyMixture(game, (two.preflop[0], early), ((two,), (one, two)), (alone, shares))
