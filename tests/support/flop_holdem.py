"""Flop Hold'em of small decks, and random play in it."""

from __future__ import annotations

from functools import cache

import numpy as np

from counterplay.card_abstraction.buckets import cluster
from counterplay.card_abstraction.card_abstraction import Buckets, lossless
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.boards.flops import Flops, flops_of
from counterplay.poker.whole_game.holdem import HoldemGame, fhp
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows

DECKS = {
    "3 ranks, 3 suits": Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3))),
    "5 ranks, 2 suits": Deck(tuple(4 * rank + suit for rank in range(8, 13) for suit in range(2))),
    "no symmetry": Deck((0, 4, 8, 12, 1, 5, 9, 48)),
    "7 cards": Deck((0, 4, 8, 12, 1, 5, 48)),
}


@cache
def full() -> Flops:
    return flops_of()


@cache
def toy(deck: str, raises: int = 3) -> HoldemGame:
    return fhp(flop_holdem(raises), deck=DECKS[deck], dtype=np.float64)


@cache
def few() -> Buckets:
    return cluster(full(), 30, preflop=20, seed=3)


def random_play(game: HoldemGame, seed: int) -> BucketedStrategy:
    """A random strategy that depends on every card, but not on the names of suits."""
    rng, buckets = np.random.default_rng(seed), lossless(game.flops)
    early, late = [], []
    for side in game.sides:
        early.append(normalise_rows(rng.random((side.sizes[0], game.flops.classes)), side.preflop))
        sizes = buckets.sizes.tolist()
        late.append([normalise_rows(rng.random((side.sizes[1], n)), side.flop).astype(game.dtype) for n in sizes])
    return BucketedStrategy(buckets, (early[0], early[1]), ((late[0], late[1]),))
