"""Values of the rest of a hand from the start of a street on, by walks with the ranges and on the board of the hand.

On the last street values are exact for the strategies assumed; before it the boards to come are drawn, one for each board.
The draws of a board are the same whenever it is asked for, so that the values are a function of the state alone.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.measure.hand_pairs import hands_met
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import rest_of_game

_KEPT = 64
"""Lines whose walks are kept."""


@dataclass(frozen=True)
class StreetValues:
    """Chips of a player from the start of a street on, against a range of the other.

    Attributes:
        game: the rest of the game after the line.
        player: whose they are.
        worth: (sequences of the street, hands of the deck) sums over the hands met.
        met: (sequences of the other on the street, hands of the deck) the other's reach.
    """

    game: HoldemGame
    street: int
    player: int
    worth: F64
    met: F64
    deals: float

    @property
    def at_start(self) -> F64:
        """(hands of the deck,) chips, summed over the other's hands by their reach."""
        found: F64 = self.worth[0] / self.deals
        return found

    def after(self, node: int) -> F64:
        """(actions, hands of the deck) chips after each of the player's actions at a node, on average over the hands
        met; 0 without any."""
        betting = self.game.betting
        _, _, first, count = self._row(self.player, node)
        above = node
        while above > self._start and betting.kind[int(betting.parent[above])] != 1 - self.player:
            above = int(betting.parent[above])
        sequence = 0
        if above > self._start:
            sequence = self._row(1 - self.player, int(betting.parent[above]))[2] + int(betting.action[above])
        met = hands_met(self.game.deck, self.met[sequence])
        whole = met > 1e-12 * met.max()
        rows = self.worth[first : first + count] / self.deals
        return np.divide(rows, met, out=np.zeros_like(rows), where=whole)

    @cached_property
    def _start(self) -> int:
        """The first betting node of the street."""
        root = int(self.game.roots[self.street][0])
        return int(self.game.betting.children(root)[0])

    def _row(self, player: int, node: int) -> tuple[int, ...]:
        decisions = self.game.sides[player].decisions[self.street]
        return tuple(decisions[decisions[:, 0] == node][0].tolist())


class StreetWalks:
    """Walks after the lines of a game. plays: of players 0 and 1, how they are assumed to play; None for one who
    responds best. seed: of the boards that are drawn."""

    def __init__(
        self, game: HoldemGame, plays: tuple[BlueprintStrategy | None, BlueprintStrategy | None], seed: int = 0
    ) -> None:
        self.game, self._plays, self._seed = game, plays, seed
        self._walks: OrderedDict[tuple[int, int, int], _LineWalk] = OrderedDict()
        self._entries = [{int(node): k for k, node in enumerate(roots.tolist())} for roots in game.roots]

    def begins(self, street: int, node: int) -> bool:
        """Return whether a street is dealt at a betting node; where bets are translated it may be dealt elsewhere."""
        return node in self._entries[street]

    def values(self, street: int, node: int, board: tuple[int, ...], player: int, reach: F64) -> StreetValues:
        """A player's values of a street, dealt at a betting node as a board, in the order of the deal, against the
        other's reach, (hands of the deck,)."""
        walk = self._walk(street, self._entries[street][node], player)
        here, turn = self.game.boards.find_board(board)
        deck = self.game.deck
        turned = deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]]
        # On the board that stands for it a hand has another number: row[turned] is the row of what each hand becomes.
        entry = np.zeros((1, len(deck.hands)), self.game.dtype)
        entry[0, turned] = reach
        worth, met = walk.street_values(here, entry)
        return StreetValues(walk.game, street, player, worth[:, turned], met[:, turned], self.game.deals_after(street))

    def _walk(self, street: int, entry: int, player: int) -> _LineWalk:
        key = street, entry, player
        if key not in self._walks:
            rest = rest_of_game(self.game, street, entry)
            ours, theirs = self._plays[player], self._plays[1 - player]
            assert theirs is not None
            one, two = None if ours is None else rest.strategy(ours), rest.strategy(theirs)
            seen = _RepeatedDraws(self.game, self._seed)
            self._walks[key] = _LineWalk(rest.game, player, two, one, seen)
            if len(self._walks) > _KEPT:
                self._walks.popitem(last=False)
        self._walks.move_to_end(key)
        return self._walks[key]


@dataclass
class _RepeatedDraws(SeenBoards):
    """The same drawn board after a board whenever it is visited."""

    game: HoldemGame
    seed: int
    _latest: dict[int, tuple[Board, Any]] = field(default_factory=dict)

    def after(self, board: Board) -> Any:
        """The boards after one, and the number of boards that each represents."""
        found = self._latest.get(board.street)
        if found is None or found[0].cards != board.cards:
            random = np.random.default_rng([self.seed, *board.cards])
            seen = DrawnBoards(self.game.boards, random, (1,) * (self.game.last + 1)).after(board)
            found = self._latest[board.street] = board, seen
        return found[1]


class _LineWalk(BoardWalk):
    """A walk whose last street goes board by board: it meets few of them."""

    def goes_by_lines(self, board: Board) -> bool:  # noqa: ARG002
        return False

    def street_values(self, board: Board, entry: AnyArray) -> tuple[F64, F64]:
        """(sequences, hands of the deck) what sequences of a street are worth, and the other's reach; entry: (1, hands
        of the deck) that reach at the start of the street."""
        here = replace(board, up=board.hand.astype(np.uint32))
        self._sum_up(here, entry)
        plan = self._plan(board.street)[: self.game.sides[1 - self.player].sizes[board.street]]
        found = _by_number(self.game.deck, board.hand, plan)
        self.back_up(here, 1.0, np.zeros(entry.shape))
        return _by_number(self.game.deck, board.hand, self.room_values(board)), found


def _by_number(deck: Deck, hand: I64, rows: AnyArray) -> F64:
    """(rows, hands of the deck) of rows by place."""
    out = np.zeros((len(rows), len(deck.hands)))
    out[:, hand] = rows[:, : len(hand)]
    return out
