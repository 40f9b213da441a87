"""A small game whose boards are split, for tests and for the processes that they start."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import Blueprint, blueprint
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game

EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
SPLIT = BoardSplit(3, 4)


@cache
def game() -> HoldemGame:
    """Two streets, eight cards."""
    return holdem_game(holdem(9, blinds=(1, 2), last="turn"), "50%, a", deck=EIGHT, dtype=np.float64)


@cache
def buckets() -> Any:
    """Few of them."""
    return make_buckets(game().boards, EMD((5, 4)))


def made(method: str = "public", iterations: int = 100, **options: Any) -> Blueprint:
    """A blueprint of the game."""
    return blueprint(game(), buckets(), method=method, iterations=iterations, **options)
