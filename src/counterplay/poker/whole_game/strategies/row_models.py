"""Models in whole games of hold'em that are made row by row: random ones, others with noise, and those of observed hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategies.hand_draw import HandDraw
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    LastBoardCache,
    block_sizes,
    change_tables,
    normalise_rows,
    strategy_of,
)
from counterplay.treeplex.sweeps import ENOUGH


def random_strategy(game: HoldemGame, lanes: CardAbstraction, seed: int, alpha: float) -> BucketedStrategy:
    """Both players' strategies, every row of the lanes drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)

    def blocks(player: int, street: int) -> list[AnyArray]:
        side = game.sides[player]
        tables = [np.zeros((side.sizes[street], size)) for size in block_sizes(lanes, street)]
        for table in tables:
            for _, _, first, count in side.decisions[street].tolist():
                table[first : first + count] = rng.dirichlet(np.full(count, alpha), table.shape[1]).T
        return list(tables)

    return strategy_of(game, lanes, blocks)


@dataclass(frozen=True, eq=False)
class NoisyStrategy:
    """A strategy that at every decision is uniform with probability `weight`, else as `base`."""

    game: HoldemGame
    base: BlueprintStrategy
    weight: float
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        (one, two), early = self.game.sides, self.base.preflop
        return noisy(early[0], one.preflop, self.weight), noisy(early[1], two.preflop, self.weight)

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.base.on(player, board)
        decisions = self.game.sides[player].decisions[board.street]
        return self._latest.get(player, board, lambda *_: noisy(table, decisions, self.weight)), lane


def add_noise(game: HoldemGame, play: BlueprintStrategy, weight: float) -> BlueprintStrategy:
    """A strategy with noise, in the same tables if it has them."""
    if not isinstance(play, BucketedStrategy):
        return NoisyStrategy(game, play, weight)
    return change_tables(game, play, lambda table, decisions: noisy(table, decisions, weight))


def noisy(table: AnyArray, decisions: I64, weight: float) -> AnyArray:
    """(sequences, lanes) a table mixed with the uniform one; decisions are (decisions, 4) as in `StreetDecisions`."""
    out = table.copy()
    for _, _, first, count in decisions.tolist():
        out[first : first + count] = (1.0 - weight) * table[first : first + count] + weight / count
    return out


@dataclass(frozen=True, eq=False)
class ObservedStrategy:
    """Relative frequencies of actions; rows without an observation are uniform. counts: how often each action was seen."""

    play: BucketedStrategy
    counts: BucketedStrategy
    tells_visits = True

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.play.on(player, board)

    def known_on(self, player: int, board: Board) -> F64:
        """(sequences, lanes) how well the rows of a board are known, from 0 to 1; before the flop (sequences, classes)."""
        seen = self.counts.on(player, board)[0] if board.street else self.counts.preflop[player]
        return np.minimum(1.0, np.asarray(seen, np.float64) / ENOUGH)


def observe_hands(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, hands: int, seed: int
) -> ObservedStrategy:
    """Model of each player by their hands against a uniform one, all cards seen. lanes: what has a row of its own.
    hands: for each player."""
    counts = [_count_actions(game, play, lanes, player, hands, (seed, player)) for player in (0, 1)]

    def totals(table: F64, decisions: I64) -> F64:
        """(sequences, lanes) observations of the whole row, at each of its actions."""
        out = np.zeros_like(table)
        for _, _, first, count in decisions.tolist():
            out[first : first + count] = table[first : first + count].sum(axis=0)
        return out

    def strategy(change: Callable[[F64, I64], F64]) -> BucketedStrategy:
        def blocks(player: int, street: int) -> list[AnyArray]:
            return [change(table, game.sides[player].decisions[street]) for table in counts[player][street]]

        return strategy_of(game, lanes, blocks)

    return ObservedStrategy(strategy(normalise_rows), strategy(totals))


def _count_actions(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, player: int, hands: int, seed: tuple[int, int]
) -> list[list[F64]]:
    """(sequences, lanes) how often a player takes each action against a uniform one, by street and block."""
    side, draw = game.sides[player], HandDraw(game, seed)
    tables = [
        [np.zeros((side.sizes[street], size)) for size in block_sizes(lanes, street)] for street in range(game.last + 1)
    ]
    for _ in range(hands):
        drawn = draw.hand((play, None) if player == 0 else (None, play))
        hand = game.deck.hand(*drawn.holes[player])
        for who, node, choice, board in drawn.choices:
            if who != player:
                continue
            block, lane = 0, int(lanes.preflop[game.boards.group[hand]])
            if board:
                here, places = places_of_hands(game, board)
                block, lane_at = lanes.lanes_on(here)
                lane = int(lane_at[places[hand]])
            tables[int(game.betting.street[node])][block][draw.first[player][node] + choice, lane] += 1.0
    return tables
