"""Asking a strategy by cards: what it does with every hand at a betting node, and with which hands it gets there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import Ints
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy


def probabilities(game: HoldemGame, play: BlueprintStrategy, node: int, board: str | Iterable[int] = ()) -> Floats:
    """(actions, hands of the deck) how likely each action is with each hand, in the order of the betting tree's children.

    Args:
        node: of the betting tree, at which a player acts.
        board: the flop, if the node is on it; hands that hold a card of it get 0.

    Raises:
        InputError: nobody acts there, or the board is not what the street needs.
    """
    player = int(game.betting.kind[node]) if 0 <= node < game.betting.nodes else -1
    if player not in (Kind.PLAYER0, Kind.PLAYER1):
        raise InputError(f"nobody acts at betting node {node}")
    street, cards = int(game.betting.street[node]), game.flops.deck.held(board)
    if len(cards) != 3 * street:
        raise InputError(f"'{game.betting.path(node)}' needs a board of {3 * street} cards, not of {len(cards)}")
    side = game.sides[player]
    decisions = side.flop if street else side.preflop
    _, _, first, count = decisions[decisions[:, 0] == node][0]
    rows = slice(first, first + count)
    if not street:
        return play.preflop[player][rows][:, game.flops.group]
    f, hands = _turned(game, cards)
    table, lane = play.on(player, game.flops.listed[f])
    on_flop = np.zeros((count, len(hands) + 1))  # the last column is that of a hand that the flop leaves no place for
    on_flop[:, game.flops.hand[f]] = table[rows][:, lane]
    return on_flop[:, hands]


def reach(game: HoldemGame, play: BlueprintStrategy, player: int, node: int, board: str | Iterable[int] = ()) -> Floats:
    """(hands of the deck,) the product of a player's probabilities on the way to a betting node: its range there, not yet
    weighed by the cards that the other holds. Hands that hold a card of the board get 0.

    Raises:
        InputError: as in `probabilities`, for the nodes on the way.
    """
    betting, cards = game.betting, game.flops.deck.held(board)
    out: Floats = game.flops.deck.live(cards).astype(float)
    while node > 0:
        above = int(betting.parent[node])
        if betting.kind[above] == player:
            shown = cards if betting.street[above] else ()
            out *= probabilities(game, play, above, shown)[int(betting.action[node])]
        node = above
    return out


def _turned(game: HoldemGame, cards: tuple[int, ...]) -> tuple[int, Ints]:
    """The flop that stands for a board, and of each hand of the deck the hand that it becomes; the number of hands where
    the board blocks it."""
    deck = game.flops.deck
    f, turn = game.flops.find(cards)
    hands = deck.numbers[turn[deck.hands[:, 0]], turn[deck.hands[:, 1]]]
    return f, np.where(deck.live(cards), hands, len(hands))
