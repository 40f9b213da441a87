"""The deal of a hand of hold'em, card by card: two hands and the streets, the cards of each deal in rising order."""

from __future__ import annotations

from math import comb

from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.board import DEALT

HAND, HANDS = 2, 4
DEALS = (HAND, *(HANDS + cards for cards in DEALT))
"""Cards that are out after each deal."""
Cards = tuple[int, ...]


def to_come(cards: Cards, street: int) -> int:
    """Cards still missing of the deal at hand; 0 if none is dealt.

    Args:
        cards: those that are out, in order.
        street: the last one that is dealt before a player acts again, or hands are shown.
    """
    dealt = len(cards)
    if dealt >= HANDS + DEALT[street]:
        return 0
    return next(out for out in DEALS if out > dealt) - dealt


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
    out = max(count for count in DEALT if count == 0 or HANDS + count <= len(cards))
    return cards[HANDS : HANDS + out]


def _free(deck: Deck, cards: Cards) -> list[int]:
    """The cards that are left, above the last one of this deal."""
    begun = cards[max(n for n in (0, *DEALS) if n <= len(cards)) :]
    return [card for card in deck.cards if card not in cards and (not begun or card > begun[-1])]
