"""Hands drawn from two strategies of a whole game, as a player at the table sees the other."""

from __future__ import annotations

from counterplay.opponents.counting.sight import HIDDEN, SHOWN, checked_reveal
from counterplay.opponents.tilting.mapped_hands import MappedDecision, MappedHand, MappedHands
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.hand_draw import HandDraw
from counterplay.poker.whole_game.strategy import BlueprintStrategy


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
        decisions = tuple(MappedDecision(at.node, at.choice, at.board) for at in one.choices if at.player == seat)
        if decisions:
            down = game.betting.kind[one.ended] == Kind.SHOWDOWN
            seen = reveal == SHOWN or (down and reveal != HIDDEN)
            dead = tuple(sorted((*one.board, *one.holes[1 - seat])))
            hole = one.holes[seat] if seen else ()
            found.append(MappedHand(seat, decisions, hole, dead, (), one.board))
    return MappedHands(tuple(found))
