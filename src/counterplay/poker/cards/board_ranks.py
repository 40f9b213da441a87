"""The ranks of all hands on a board, looked up once: who lists a game or its run-outs asks for each of them."""

from __future__ import annotations

from functools import lru_cache

from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import Ranks, hand_ranks


@lru_cache(maxsize=1024)
def ranks_on(deck: Deck, board: tuple[int, ...]) -> Ranks:
    """(hands of the deck,) ranks together with a board of up to 5 cards; -1 for a hand that holds a card of the
    board."""
    found = hand_ranks(board, deck=deck)
    found.flags.writeable = False
    return found
