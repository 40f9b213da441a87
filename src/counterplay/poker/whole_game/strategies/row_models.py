"""Models in whole games of hold'em that are made row by row: random ones, others with noise, and those of observed hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, HAND, HANDS, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategy import (
    BlueprintStrategy,
    BucketedStrategy,
    LastBoardCache,
    change_tables,
    empty_blocks,
    normalise_rows,
    strategy_of,
)
from counterplay.treeplex.sweeps import ENOUGH

Cards = tuple[int, ...]
_KEPT = 16
"""Boards that are remembered."""
_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up
Plays = tuple[BlueprintStrategy | None, BlueprintStrategy | None]
"""The strategies of seats 0 and 1; None plays uniformly."""


class DrawnChoice(NamedTuple):
    """A decision of a hand. player: who acts. node: of the betting tree. choice: number of the action. board: its cards
    then."""

    player: int
    node: int
    choice: int
    board: Cards


class DrawnHand(NamedTuple):
    """A hand. holes: of both seats. board: the cards dealt. ended: the last betting node. choices: of both, in
    order."""

    holes: tuple[Cards, Cards]
    board: Cards
    ended: int
    choices: tuple[DrawnChoice, ...]


class HandDraw:
    """Draws hands of a game. first: by player, the first row of each of the betting nodes in the tables of
    strategies."""

    def __init__(self, game: HoldemGame, seed: int | Sequence[int]) -> None:
        self._game, self._rng = game, np.random.default_rng(seed)
        self._cards = np.array(game.deck.cards)
        self._kind, self._street = game.betting.kind.tolist(), game.betting.street.tolist()
        self._met: dict[Cards, tuple[Board, I64]] = {}
        self.first = [{int(row[0]): int(row[2]) for rows in side.decisions for row in rows} for side in game.sides]

    def hand(self, plays: Plays) -> DrawnHand:
        """A hand between two strategies."""
        betting, kind = self._game.betting, self._kind
        cards = self._rng.permutation(self._cards)[: HANDS + DEALT[self._game.last]].tolist()
        holes = tuple(sorted(cards[:HAND])), tuple(sorted(cards[HAND:HANDS]))
        shown, node = (*sorted(cards[HANDS : HANDS + DEALT[1]]), *cards[HANDS + DEALT[1] :]), 0
        choices: list[DrawnChoice] = []
        while kind[node] <= _DEAL and (children := betting.children(node)):
            who, choice = kind[node], 0
            if who != _DEAL:
                board = shown[: DEALT[self._street[node]]]
                choice = self._choice(plays[who], who, node, holes[who], board)
                choices.append(DrawnChoice(who, node, choice, board))
            node = children[choice]
        street = self._game.last if kind[node] == _SHOWDOWN else self._street[node]
        return DrawnHand(holes, shown[: DEALT[street]], node, tuple(choices))

    def _choice(self, play: BlueprintStrategy | None, player: int, node: int, hole: Cards, board: Cards) -> int:
        count = len(self._game.betting.children(node))
        if play is None:
            return int(self._rng.integers(count))
        first, hand = self.first[player][node], self._game.deck.hand(*hole)
        if board:
            if board not in self._met:  # both players meet it, and more than once
                if len(self._met) >= _KEPT:
                    self._met.clear()
                self._met[board] = places_of_hands(self._game, board)
            here, places = self._met[board]
            table, lane = play.on(player, here)
            at = int(lane[places[hand]])
        else:
            table, at = play.preflop[player], int(self._game.boards.group[hand])
        odds = np.asarray(table[first : first + count, at], np.float64)
        up_to = np.cumsum(odds / odds.sum())  # as `Generator.choice` draws, without its checks
        return int(np.searchsorted(up_to / up_to[-1], self._rng.random(), side="right"))


def random_strategy(game: HoldemGame, lanes: CardAbstraction, seed: int, alpha: float) -> BucketedStrategy:
    """Both players' strategies, every row of the lanes drawn from a symmetric Dirichlet distribution."""
    rng = np.random.default_rng(seed)

    def blocks(player: int, street: int) -> list[AnyArray]:
        tables = empty_blocks(game, lanes, player, street)
        for table in tables:
            for _, _, first, count in game.sides[player].decisions[street].tolist():
                table[first : first + count] = rng.dirichlet(np.full(count, alpha), table.shape[1]).T
        return tables

    return strategy_of(game, lanes, blocks)


@dataclass(frozen=True, eq=False)
class NoisyStrategy:
    """A strategy that at every decision is uniform with probability `weight`, else as `base`."""

    game: HoldemGame
    base: BlueprintStrategy
    weight: float
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False, init=False)

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
    """Relative frequencies of actions; rows without an observation are uniform. counts: how often each action was
    seen."""

    play: BucketedStrategy
    counts: BucketedStrategy
    tells_visits = True

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        return self.play.on(player, board)

    def known_on(self, player: int, board: Board) -> F64:
        """(sequences, lanes) how well the rows of a board are known, from 0 to 1; before the flop (sequences,
        classes)."""
        seen = self.counts.on(player, board)[0] if board.street else self.counts.preflop[player]
        return np.minimum(1.0, np.asarray(seen, np.float64) / ENOUGH)


def observe_hands(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, hands: int, seed: int
) -> ObservedStrategy:
    """Model of each player by their hands against a uniform one, all cards seen. lanes: what has a row of its own.
    hands: for each player."""
    counts = []
    for player in (0, 1):
        draw, met = HandDraw(game, (seed, player)), (play, None) if player == 0 else (None, play)
        tables = [empty_blocks(game, lanes, player, street) for street in range(game.last + 1)]
        for drawn in (draw.hand(met) for _ in range(hands)):
            hand = game.deck.hand(*drawn.holes[player])
            for _, node, choice, board in (one for one in drawn.choices if one.player == player):
                block, lane = 0, int(lanes.preflop[game.boards.group[hand]])
                if board:
                    here, places = places_of_hands(game, board)
                    block, lane_at = lanes.lanes_on(here)
                    lane = int(lane_at[places[hand]])
                tables[int(game.betting.street[node])][block][draw.first[player][node] + choice, lane] += 1.0
        counts.append(tables)

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
