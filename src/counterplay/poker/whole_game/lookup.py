"""Asking a strategy by cards: what it does with every hand at a betting node, and with which hands it gets there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BlueprintStrategy

_PLAYERS = int(Kind.PLAYER0), int(Kind.PLAYER1)  # members of enumerations are slow to look up


def probabilities(game: HoldemGame, play: BlueprintStrategy, node: int, board: str | Iterable[int] = ()) -> F64:
    """(actions, hands of the deck) how likely each action is with each hand, in the order of the betting tree's
    children.

    Args:
        node: of the betting tree, at which a player acts.
        board: the cards of the node's street, in the order of the deal; hands that hold one of them get 0.

    Raises:
        InputError: no player acts there, or the board is not what the street needs.
    """
    player = int(game.betting.kind[node]) if 0 <= node < game.betting.nodes else -1
    if player not in _PLAYERS:
        raise InputError(f"no player acts at betting node {node}")
    street, cards = int(game.betting.street[node]), game.deck.held(board)
    if len(cards) != DEALT[street]:
        raise InputError(f"'{game.betting.path(node)}' needs a board of {DEALT[street]} cards, not of {len(cards)}")
    decisions = game.sides[player].decisions[street]
    _, _, first, count = decisions[decisions[:, 0] == node][0]
    table, lanes = lanes_of_hands(game, play, player, cards)
    return np.where(game.deck.live(cards), table[first : first + count][:, lanes].astype(np.float64), 0.0)


def reach(game: HoldemGame, play: BlueprintStrategy, player: int, node: int, board: str | Iterable[int] = ()) -> F64:
    """(hands of the deck,) the product of a player's probabilities on the way to a betting node, not yet weighed by the
    cards that the other holds. Hands that hold a card of the board get 0."""
    betting, cards = game.betting, game.deck.held(board)
    out: F64 = game.deck.live(cards).astype(float)
    while node > 0:
        above = int(betting.parent[node])
        if betting.kind[above] == player:
            shown = cards[: DEALT[int(betting.street[above])]]
            out *= probabilities(game, play, above, shown)[int(betting.action[node])]
        node = above
    return out


def lanes_of_hands(
    game: HoldemGame, play: BlueprintStrategy, player: int, cards: tuple[int, ...]
) -> tuple[AnyArray, I64]:
    """A player's (sequences, lanes) probabilities on a board given by its cards, or before the flop, and (hands of the
    deck,) the lane of each hand; of no meaning where the cards block the hand."""
    if not cards:
        return play.preflop[player], np.asarray(game.boards.group, np.int64)
    board, places = places_of_hands(game, cards)
    table, lane = play.on(player, board)
    return table, np.asarray(lane, np.int64)[places]


def places_of_hands(game: HoldemGame, cards: tuple[int, ...]) -> tuple[Board, I64]:
    """The board that represents given cards, in the order of the deal, and (hands of the deck,) the place on it of what
    each hand becomes; of no meaning where the cards block the hand."""
    deck, (board, turn) = game.deck, game.boards.find_board(cards)
    place = np.zeros(len(deck.hands), np.int64)
    place[board.hand] = np.arange(len(board.hand))
    return board, place[deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]]]


@dataclass(frozen=True, eq=False)
class HoldemStrategy:
    """One seat's half of a strategy; 0 is the big blind, 1 the button. facts: what is known of it, for tables."""

    rules: Holdem
    player: int
    play: BlueprintStrategy
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"HoldemStrategy({self.rules.name}, player {self.player}, {self.facts.get('method', '')})"

    def probabilities(self, infoset: str) -> dict[str, float]:
        """The probability of each action at a text of `Holdem.infoset`, where the player acts."""
        game, seen = self.rules.game, self.rules.read(infoset, self.player)
        row = probabilities(game, self.play, seen.node, seen.board)[:, game.deck.hand(*seen.hand)]
        return dict(zip(game.betting.actions(seen.node), row.tolist(), strict=True))
