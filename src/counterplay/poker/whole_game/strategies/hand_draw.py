"""Hands of a whole game drawn from the strategies of both seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, HAND, HANDS, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy

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
    """A hand. holes: of both seats. board: the cards dealt. ended: the last betting node. choices: of both, in order."""

    holes: tuple[Cards, Cards]
    board: Cards
    ended: int
    choices: tuple[DrawnChoice, ...]


class HandDraw:
    """Draws hands of a game. first: by player, the first row of each of its betting nodes in the tables of strategies."""

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
            here, places = self._places(board)
            table, lane = play.on(player, here)
            at = int(lane[places[hand]])
        else:
            table, at = play.preflop[player], int(self._game.boards.group[hand])
        odds = np.asarray(table[first : first + count, at], np.float64)
        up_to = np.cumsum(odds / odds.sum())  # as `Generator.choice` draws, without its checks
        return int(np.searchsorted(up_to / up_to[-1], self._rng.random(), side="right"))

    def _places(self, board: Cards) -> tuple[Board, I64]:
        """`places_of_hands` on a board, which both players meet more than once in a hand."""
        found = self._met.get(board)
        if found is None:
            if len(self._met) >= _KEPT:
                self._met.clear()
            found = self._met[board] = places_of_hands(self._game, board)
        return found
