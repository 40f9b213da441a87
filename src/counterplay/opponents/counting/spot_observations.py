"""Hands of a spot as one player's decisions: where, which action, and which hands that player may have held."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE
from counterplay.opponents.counting.observed_hand import Move
from counterplay.opponents.counting.terminal_infosets import HIDDEN, SHOWN, checked_reveal
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import hand_text, parse_card
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.spot_game import SpotGame

_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)
_TOLERANCE = 1e-9
"""Of a result, as a share of the span of the payoffs."""


class SeenHand(NamedTuple):
    """The decisions of one player in a hand. actions: in order: where, and the number of each. holdings: (hands,) how likely
    the player's hands are before any action, up to a factor; 0 where they cannot be."""

    actions: Sequence[tuple[PublicNode, int]]
    holdings: F64


class SpotObserver:
    """Reads hands of a spot for the decisions of one player."""

    def __init__(self, game: SpotGame, seat: int, reveal: str = SHOWN) -> None:
        self.game, self.seat, self.reveal = game, seat, checked_reveal(reveal)
        self._boards: dict[tuple[int, ...], int] = {}

    def read(self, moves: Sequence[Move], won: float | None = None) -> SeenHand:
        """The observed player's decisions in a hand. moves: who acted and the text of the action, hands and cards
        included; None for a hand that was not seen. won: chips of oop, net of half of the pot; None where they are not
        known."""
        actions, node, dealt = self._walk(moves)
        own, theirs = (moves[seat][1] for seat in (1 - self.seat, self.seat))
        if own is None:
            raise InputError(f"the hand hides what {PLAYERS[1 - self.seat]} held")
        cards, held = self.game.tree.boards.cards, self._number(own, 1 - self.seat)
        is_hidden = self.reveal == HIDDEN or (self.reveal != SHOWN and self.game.tree.betting.kind[node] != _SHOWDOWN)
        if set(cards.hands[held].tolist()) & set(dealt):
            raise InputError(f"a card of {quoted(own)} is dealt to the board")
        free = ~np.isin(cards.hands, [*cards.hands[held].tolist(), *dealt]).any(axis=1)
        holdings = np.where(free, cards.weights[self.seat], 0.0)
        if theirs is not None:
            number = self._number(theirs, self.seat)
            if not holdings[number] > 0.0:
                raise InputError(f"{quoted(theirs)} and {quoted(own)} are not dealt together there")
            known = np.arange(len(holdings)) == number
            self._check_result(np.where(known, 1.0, 0.0), node, dealt, held, won)
            holdings = holdings if is_hidden else np.where(known, 1.0, 0.0)
        return SeenHand(actions, self._check_result(holdings, node, dealt, held, won))

    def _walk(self, moves: Sequence[Move]) -> tuple[list[tuple[PublicNode, int]], int, tuple[int, ...]]:
        """The observed player's actions, the betting node at the end, and the cards dealt; errors as of `read`."""
        betting, cards = self.game.tree.betting, self.game.tree.boards.cards
        whole = len(self.game.tree.boards.layers[-1].boards[0]) - len(cards.board)
        if [who for who, _ in moves[:2]] != [CHANCE, CHANCE]:
            raise InputError(f"a hand of {self.game.name} begins with two hands that are dealt")
        found, node, dealt = list[tuple[PublicNode, int]](), self._past(0), tuple[int, ...]()
        for who, name in moves[2:]:
            kind = int(betting.kind[node])
            if who == CHANCE and name is not None and (kind == _DEAL or (kind == _SHOWDOWN and len(dealt) < whole)):
                dealt = (*dealt, self._card(name, dealt))
                node = self._past(betting.children(node)[0]) if kind == _DEAL else node
                continue
            names = betting.actions(node)
            if who == CHANCE or kind != who or name not in names:
                raise InputError(f"{quoted(name)} is no move at '{betting.path(node)}' of {self.game.name}")
            number = names.index(str(name))
            if who == self.seat:
                found.append((PublicNode(node, len(dealt), self._board(dealt)), number))
            node = self._past(betting.children(node)[number])
        kind = int(betting.kind[node])
        if kind <= _DEAL or (kind == _SHOWDOWN and len(dealt) < whole):
            raise InputError(f"no hand of {self.game.name} ends at '{betting.path(node)}'")
        return found, node, dealt

    def _past(self, node: int) -> int:
        """The first node from this one on where there is a choice, or no player acts."""
        betting = self.game.tree.betting
        while int(betting.kind[node]) < _DEAL and len(betting.children(node)) == 1:
            node = betting.children(node)[0]
        return node

    def _card(self, name: str, dealt: tuple[int, ...]) -> int:
        cards, card = self.game.tree.boards.cards, parse_card(name)
        if card not in cards.deck or card in (*cards.board, *dealt):
            raise InputError(f"{quoted(name)} cannot be dealt there in {self.game.name}")
        return card

    def _board(self, dealt: tuple[int, ...]) -> int:
        """The number of a board in its layer."""
        if dealt not in self._boards:
            boards = self.game.tree.boards
            self._boards[dealt] = boards.layers[len(dealt)].boards.index((*boards.cards.board, *dealt))
        return self._boards[dealt]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {hand_text(hand): number for number, hand in enumerate(self.game.tree.boards.cards.hands.tolist())}

    def _number(self, name: str, seat: int) -> int:
        """The number of a hand that is in a player's range."""
        number = self._numbers.get(name, -1)
        if number < 0 or not self.game.tree.boards.cards.weights[seat, number] > 0.0:
            raise InputError(f"{quoted(name)} is no hand of {PLAYERS[seat]} in {self.game.name}")
        return number

    def _check_result(self, holdings: F64, node: int, dealt: tuple[int, ...], held: int, won: float | None) -> F64:
        """The holdings with which the hand ends so."""
        if not holdings.any():
            raise InputError(f"no hand is left for {PLAYERS[self.seat]}")
        if won is None:
            return holdings
        betting, cards, here = self.game.tree.betting, self.game.tree.boards.cards, np.flatnonzero(holdings)
        gain, loss, tie = (float(of[node]) for of in (betting.win, betting.lose, betting.tie))
        chips = np.full(len(here), loss if betting.kind[node] == Kind.FOLD0 else gain)
        if betting.kind[node] == _SHOWDOWN:
            rank = np.asarray(cards.rank((*cards.board, *dealt), cards.hands[[held, *here]]))
            ahead = np.sign(rank[0] - rank[1:]) * (1 if self.seat else -1)  # of oop
            chips = np.where(ahead > 0, gain, np.where(ahead < 0, loss, tie))
        fits = np.abs(chips - won) <= _TOLERANCE * max(1.0, self.game.span)
        if not fits.any():
            raise InputError(f"no hand of {self.game.name} ends at '{betting.path(node)}' with {won:g} chips for oop")
        out = np.zeros(len(holdings))
        out[here[fits]] = holdings[here[fits]]
        return out


def sequences_at(game: SpotGame, player: int, part: PublicNode, number: int) -> tuple[I64, I64]:
    """The sequences (hands,) of a player's action by hand, and the numbers (hands,) of these hands."""
    tree = game.tree
    layer, child = tree.boards.layers[part.layer], tree.betting.children(part.node)[number]
    places = np.arange(*layer.first[part.board : part.board + 2].tolist())
    return tree.runs[player].start[child] + places, np.asarray(layer.hand[places], np.int64)
