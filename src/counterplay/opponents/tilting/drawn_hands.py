"""Hands drawn from two strategies of a whole game, as a player at the table sees the other: for experiments with models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.opponents.counting.sight import HIDDEN, SHOWN, checked_reveal
from counterplay.opponents.tilting.mapped_hands import MappedDecision, MappedHand, MappedHands
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.boards.deal import HAND, HANDS
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.lookup import places_of_hands
from counterplay.poker.whole_game.strategy import BlueprintStrategy


class DrawnHand(NamedTuple):
    """A hand. holes: of both seats. board: the cards dealt. ended: the last betting node. choices: of both seats in order:
    who acts, where, which action, and the board then."""

    holes: tuple[tuple[int, ...], tuple[int, ...]]
    board: tuple[int, ...]
    ended: int
    choices: tuple[tuple[int, MappedDecision], ...]


class HandDraw:
    """Draws hands of a game.

    Args:
        game: the game.
        seed: of cards and actions.
    """

    def __init__(self, game: HoldemGame, seed: int) -> None:
        self._game, self._rng = game, np.random.default_rng(seed)
        self._first = [{int(row[0]): int(row[2]) for rows in side.decisions for row in rows} for side in game.sides]

    def hand(self, plays: tuple[BlueprintStrategy, BlueprintStrategy]) -> DrawnHand:
        """A hand between the strategies of seats 0 and 1."""
        betting, deck = self._game.betting, self._game.deck
        cards = self._rng.permutation(np.array(deck.cards))[: HANDS + DEALT[self._game.last]].tolist()
        holes = tuple(sorted(cards[:HAND])), tuple(sorted(cards[HAND:HANDS]))
        shown, node = (*sorted(cards[HANDS : HANDS + DEALT[1]]), *cards[HANDS + DEALT[1] :]), 0
        choices: list[tuple[int, MappedDecision]] = []
        while betting.kind[node] <= Kind.DEAL and (children := betting.children(node)):
            who, choice = int(betting.kind[node]), 0
            if who != Kind.DEAL:
                board = shown[: DEALT[int(betting.street[node])]]
                odds = self._odds(plays[who], who, node, deck.hand(*holes[who]), board)
                choice = int(self._rng.choice(len(children), p=odds / odds.sum()))
                choices.append((who, MappedDecision(node, choice, board)))
            node = children[choice]
        street = self._game.last if betting.kind[node] == Kind.SHOWDOWN else int(betting.street[node])
        return DrawnHand(holes, shown[: DEALT[street]], node, tuple(choices))

    def _odds(self, play: BlueprintStrategy, player: int, node: int, hand: int, board: tuple[int, ...]) -> Floats:
        """(actions,) the probabilities of a player's actions with a hand, by its number."""
        first, count = self._first[player][node], len(self._game.betting.children(node))
        if board:
            here, places = places_of_hands(self._game, board)
            table, lane = play.on(player, here)
            at = int(lane[places[hand]])
        else:
            table, at = play.preflop[player], int(self._game.boards.group[hand])
        return np.asarray(table[first : first + count, at], np.float64)


def draw_hands(
    game: HoldemGame, player: BlueprintStrategy, other: BlueprintStrategy, hands: int, reveal: str, seed: int = 0
) -> MappedHands:
    """Hands of a player, who sits in both seats in turn, as the other player sees them.

    Args:
        game: the game.
        player, other: both seats' strategies of each.
        hands: that are dealt; those without a decision of the player are left out.
        reveal: whether the player's cards are seen in all hands, at a showdown, or in none.
        seed: of the draws.
    """
    checked_reveal(reveal)
    draw, found = HandDraw(game, seed), list[MappedHand]()
    for number in range(hands):
        seat = number % 2
        one = draw.hand((player, other) if seat == 0 else (other, player))
        decisions = tuple(decision for who, decision in one.choices if who == seat)
        if decisions:
            down = game.betting.kind[one.ended] == Kind.SHOWDOWN
            seen = reveal == SHOWN or (down and reveal != HIDDEN)
            dead = tuple(sorted((*one.board, *one.holes[1 - seat])))
            hole = one.holes[seat] if seen else ()
            found.append(MappedHand(seat, decisions, hole, dead, (), one.board))
    return MappedHands(tuple(found))
