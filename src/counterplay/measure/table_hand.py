"""A hand of hold'em that was played here, as a record of the kind that files of hands give."""

from __future__ import annotations

from dataclasses import replace

from counterplay.games.game import CHANCE
from counterplay.measure.play_hand import Hand
from counterplay.measure.translated_table import TranslatedRecord
from counterplay.opponents.counting.sight import HIDDEN, SHOWDOWN, SHOWN
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.histories.played_line import line_of_moves
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.cards.deck import FULL, Deck, cards_of
from counterplay.poker.whole_game.rules import Holdem

SEATS = ("big blind", "button")


def holdem_hand(limits: BettingRules, hand: Hand, players: tuple[str, str] = SEATS, deck: Deck = FULL) -> HoldemHand:
    """The record of a hand with all cards.

    Args:
        limits: betting rules; those of the real hand where bets were translated.
        hand: as it was played.
        players: names in seats 0 and 1.
        deck: the cards of the game.
    """
    if isinstance(hand, TranslatedRecord):
        limits, line = hand.limits, hand.line
    else:
        line = line_of_moves(limits, hand.moves)
    dealt = tuple(card for who, text in hand.moves if who == CHANCE for card in cards_of(text))
    end = line.end._replace(street=limits.last) if line.end.kind is Kind.SHOWDOWN else line.end
    holes = dealt[:2], dealt[2:4]
    return HoldemHand(players, limits, line._replace(end=end), holes, dealt[4:], hand.utility, deck=deck)


class ToldHoldem:
    """Finished hands of a whole game as a seat may know them.

    Args:
        rules: the game.
        reveal: whether the other's cards are told after all hands, after a showdown, or never.
    """

    def __init__(self, rules: Holdem, reveal: str = SHOWDOWN) -> None:
        self._rules, self._reveal = rules, reveal

    def __call__(self, hand: Hand, seat: int) -> HoldemHand:
        """A hand, without the other's cards where the seat cannot know them."""
        whole = holdem_hand(self._rules.limits, hand, deck=self._rules.deck)
        shown_down = whole.line.end.kind is Kind.SHOWDOWN
        if self._reveal == SHOWN or (shown_down and self._reveal != HIDDEN):
            return whole
        one, two = whole.holes
        return replace(whole, holes=(one, ()) if seat == 0 else ((), two))
