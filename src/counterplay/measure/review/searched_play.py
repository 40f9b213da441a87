"""What an agent plays in one hand of a whole game of hold'em that searches boards when they are dealt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem


class SearchedPlay:
    """What an agent plays that searches boards when they are dealt: on the boards of one hand its own decisions, on those to
    come its play before it searches them.

    Args:
        rules: of the game.
        agent: it is asked at nodes on the line of the hand alone, where its searches are done.
        nodes: the betting nodes of the line on which a decision of the player was made.
        board: the cards of the hand, in the order of the deal.
    """

    def __init__(self, rules: Holdem, agent: Any, nodes: Sequence[int], board: tuple[int, ...]) -> None:
        self._game, self._agent, self._board = rules.game, agent, board
        betting = rules.betting
        self._asked: dict[int, set[int]] = {}
        for node in nodes:
            top = node
            while top > 0 and betting.kind[int(betting.parent[top])] != Kind.DEAL:
                top = int(betting.parent[top])
            self._asked.setdefault(int(betting.street[node]), set()).update(range(top, int(betting.end[top])))
        self._tables: dict[int, tuple[tuple[int, ...], Any]] = {}

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self._agent.play.preflop  # type: ignore[no-any-return]

    def on(self, player: int, board: Any) -> tuple[Any, Any]:
        street = board.street
        if player == self._agent.seat and street in self._asked and len(self._board) >= DEALT[street]:
            here, turn = self._game.boards.find_board(self._board[: DEALT[street]])
            if here.cards == board.cards:
                return self._table(street, here, turn), np.arange(len(board.hand), dtype=np.uint32)
        found: tuple[Any, Any] = self._agent.play.on(player, board)
        return found

    def _table(self, street: int, here: Any, turn: Any) -> Any:
        if street not in self._tables:
            game, seat = self._game, self._agent.seat
            cards = self._board[: DEALT[street]]
            places = _places(game, here, turn)
            side = game.sides[seat]
            table = np.zeros((side.sizes[street], len(here.hand)), game.dtype)
            for node, _, first, count in side.decisions[street].tolist():
                if node in self._asked[street]:
                    table[first : first + count] = self._agent.rows(node, cards)[:, places]
            self._tables[street] = here.cards, table
        return self._tables[street][1]


def _places(game: HoldemGame, here: Any, turn: Any) -> Any:
    """(n,) the hand of the deck, by its real cards, that stands at each place of the board that represents the real one."""
    back = np.argsort(turn)
    low, high = game.deck.hands[here.hand].T
    return game.deck.numbers[back[low], back[high]]
