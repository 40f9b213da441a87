"""How a hand of Flop Hold'em is dealt card by card: two hands and a flop, the cards of each in rising order."""

from __future__ import annotations

from math import comb

from counterplay.poker.cards.deck import Deck

HAND, HANDS, FLOP = DEALS = (2, 4, 7)
"""Cards that are out after each deal."""
Cards = tuple[int, ...]


def to_come(cards: Cards, flop: bool) -> int:
    """Cards still missing of the deal at hand; 0 if none is dealt.

    Args:
        cards: those that are out, in order.
        flop: whether the betting before the flop is over, so that one comes.
    """
    dealt = len(cards)
    if dealt < HANDS:
        return (HAND if dealt < HAND else HANDS) - dealt
    return FLOP - dealt if flop else 0


def next_cards(deck: Deck, cards: Cards, wanted: int) -> list[int]:
    """The cards that may come next: above those of this deal, with enough higher ones left for its rest."""
    free = _free(deck, cards)
    return free[: len(free) - wanted + 1]


def chances(deck: Deck, cards: Cards, wanted: int) -> list[float]:
    """How likely each of `next_cards` is to be the lowest of those still to come."""
    left = len(_free(deck, cards))
    return [comb(left - 1 - k, wanted - 1) / comb(left, wanted) for k in range(left - wanted + 1)]


def _free(deck: Deck, cards: Cards) -> list[int]:
    """The cards that are left, above the last one of this deal."""
    begun = cards[max(n for n in (0, *DEALS) if n <= len(cards)) :]
    return [card for card in deck.cards if card not in cards and (not begun or card > begun[-1])]
