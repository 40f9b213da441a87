"""Two players meet in a spot of hold'em, hand after hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.agents.hands import Player
from counterplay.errors import InputError
from counterplay.poker.betting import Kind
from counterplay.poker.cards import card_text, hand_text
from counterplay.poker.ranged import Ranged, ranged

Floats = NDArray[np.float64]


def spot_match(spot: Any, players: tuple[Player, Player], hands: int, seed: int = 0) -> Floats:
    """(hands,) chips of player 0 in each hand, from before the spot: half of the pot is each player's own.

    Args:
        spot: the spot, solved or not.
        players: of seats 0 and 1.
        hands: how many.
        seed: of the cards and of the players' draws.

    Raises:
        InputError: a player sits in the wrong seat.
    """
    game = ranged(spot)
    if game is None:
        raise InputError("a match of hands needs a spot of hold'em")
    if [player.seat for player in players] != [0, 1]:
        raise InputError("the first player must have seat 0 and the second seat 1")
    draw = random.Random(seed)
    return np.array([_hand(game, players, draw) for _ in range(hands)])


def _hand(game: Ranged, players: tuple[Player, Player], draw: random.Random) -> float:
    cards, betting = game.tree.boards.cards, game.tree.betting
    held = _dealt(game, draw)
    texts = [hand_text(cards.hands[number].tolist()) for number in held]
    known = {*cards.board, *cards.hands[held].ravel().tolist()}
    left = [card for card in cards.deck if card not in known]
    node, path, dealt = 0, "", list[int]()
    while betting.kind[node] <= Kind.DEAL:
        if betting.kind[node] == Kind.DEAL:
            dealt.append(draw.choice([card for card in left if card not in dealt]))
            node, path = betting.children(node)[0], f"{path}, {card_text(dealt[-1])}"
            continue
        player = int(betting.kind[node])
        odds = players[player].odds(path.strip(", "), texts[player])
        action = draw.choices(list(odds), list(odds.values()))[0]
        node = betting.children(node)[betting.actions(node).index(action)]
        path = f"{path}, {action}"
    if betting.kind[node] != Kind.SHOWDOWN:
        lost = betting.kind[node] == Kind.FOLD0
        return float(betting.lose[node] if lost else betting.win[node])
    while len(cards.board) + len(dealt) < len(game.tree.boards.layers[-1].boards[0]):
        dealt.append(draw.choice([card for card in left if card not in dealt]))
    first, second = np.asarray(cards.rank((*cards.board, *dealt), cards.hands[held])).tolist()
    return float(betting.win[node] if first > second else betting.lose[node] if first < second else betting.tie[node])


def _dealt(game: Ranged, draw: random.Random) -> list[int]:
    """Two hands that share no card, each pair as likely as its weights say."""
    cards = game.tree.boards.cards
    while True:
        pair = [draw.choices(range(len(cards.hands)), weights.tolist())[0] for weights in cards.weights]
        if not set(cards.hands[pair[0]].tolist()) & set(cards.hands[pair[1]].tolist()):
            return pair
