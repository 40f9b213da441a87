"""Models made from observed hands in whole games of hold'em, with the counts of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategies.hand_draw import HandDraw
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, normalise_rows
from counterplay.treeplex.visits import ENOUGH


@dataclass(frozen=True, eq=False)
class ObservedStrategy:
    """Relative frequencies of actions; rows without an observation are uniform. counts: how often each action was seen."""

    play: BucketedStrategy
    counts: BucketedStrategy
    tells_visits = True

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
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
    halves = [_counted(game, play, lanes, player, hands, (seed, player)) for player in (0, 1)]
    odds, seen = _strategy(game, lanes, halves, normalise_rows), _strategy(game, lanes, halves, _totals)
    return ObservedStrategy(odds, seen)


def _counted(
    game: HoldemGame, play: BlueprintStrategy, lanes: CardAbstraction, player: int, hands: int, seed: tuple[int, int]
) -> list[list[F64]]:
    """(sequences, lanes) how often a player takes each action against a uniform one, by street and block."""
    side, draw = game.sides[player], HandDraw(game, seed)
    sizes = [[int(lanes.preflop.max()) + 1], *(lanes.sizes_on(s).tolist() for s in range(1, game.last + 1))]
    tables = [[np.zeros((side.sizes[s], size)) for size in blocks] for s, blocks in enumerate(sizes)]
    for _ in range(hands):
        one = draw.hand((play, None) if player == 0 else (None, play))
        hand = game.deck.hand(*one.holes[player])
        for who, node, choice, board in one.choices:
            if who == player:
                block, lane = _row(game, lanes, hand, board)
                tables[int(game.betting.street[node])][block][draw.first[player][node] + choice, lane] += 1.0
    return tables


def _row(game: HoldemGame, lanes: CardAbstraction, hand: int, board: tuple[int, ...]) -> tuple[int, int]:
    if not board:
        return 0, int(lanes.preflop[game.boards.group[hand]])
    here, places = places_of_hands(game, board)
    block, lane = lanes.lanes_on(here)
    return block, int(lane[places[hand]])


def _totals(counts: F64, decisions: I64) -> F64:
    """(sequences, lanes) observations of the whole row, at each of its actions."""
    out = np.zeros_like(counts)
    for _, _, first, count in decisions.tolist():
        out[first : first + count] = counts[first : first + count].sum(axis=0)
    return out


def _strategy(
    game: HoldemGame, lanes: CardAbstraction, halves: list[list[list[F64]]], change: Callable[[F64, I64], F64]
) -> BucketedStrategy:
    one, two = (
        [[change(rows, side.decisions[street]) for rows in blocks] for street, blocks in enumerate(half)]
        for side, half in zip(game.sides, halves, strict=True)
    )
    late = tuple(
        ([rows.astype(game.dtype) for rows in a], [rows.astype(game.dtype) for rows in b])
        for a, b in zip(one[1:], two[1:], strict=True)
    )
    return BucketedStrategy(lanes, (one[0][0][:, lanes.preflop], two[0][0][:, lanes.preflop]), late)
