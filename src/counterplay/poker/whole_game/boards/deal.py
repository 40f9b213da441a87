"""The deal of a hand of hold'em, card by card: two hands and the streets, the cards of each deal in rising order."""

from __future__ import annotations

from math import comb

from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.board import DEALT

HAND, HANDS = 2, 4
DEALS = (HAND, *(HANDS + cards for cards in DEALT))
"""Cards that are out after each deal."""
_BETWEEN = frozenset((0, *DEALS))
_MISSING = tuple(next(count for count in DEALS if count > out) - out for out in range(DEALS[-1]))
"""By the number of cards that are out, those still missing of the deal at hand."""
_SHOWN = tuple(max((HANDS, *(count for count in DEALS if count <= out))) for out in range(DEALS[-1] + 1))
"""By the number of cards that are out, those of hands and streets that are dealt to the end."""
Cards = tuple[int, ...]


def to_come(cards: Cards, street: int) -> int:
    """Cards still missing of the deal at hand; 0 if none is dealt. street: the last one that is dealt before a player
    acts again, or hands are shown."""
    dealt = len(cards)
    return 0 if dealt >= HANDS + DEALT[street] else _MISSING[dealt]


def next_cards(deck: Deck, cards: Cards, wanted: int) -> list[int]:
    """The cards that may come next: above those of this deal, with enough higher ones left for its rest."""
    free = _free(deck, cards)
    return free[: len(free) - wanted + 1]


def chances(deck: Deck, cards: Cards, wanted: int) -> list[float]:
    """The probability of each of `next_cards` as the lowest of those still to come."""
    left = len(_free(deck, cards))
    return [comb(left - 1 - k, wanted - 1) / comb(left, wanted) for k in range(left - wanted + 1)]


def board_of(cards: Cards) -> Cards:
    """The board among cards that are out, of the streets that are dealt to the end."""
    return cards[HANDS : _SHOWN[len(cards)]]


def _free(deck: Deck, cards: Cards) -> list[int]:
    """The cards that are left, above the last one of this deal."""
    last = cards[-1] if len(cards) not in _BETWEEN else -1
    return [card for card in deck.cards if card > last and card not in cards]
