"""Flop Hold'em of small decks, and random play in it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from counterplay.card_abstraction.card_abstraction import StreetBuckets, lossless
from counterplay.card_abstraction.ochs import cluster
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import hand_ranks
from counterplay.poker.whole_game.boards.board import GameBoards, flops_of
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows

DECKS = {
    "3 ranks, 3 suits": Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3))),
    "5 ranks, 2 suits": Deck(tuple(4 * rank + suit for rank in range(8, 13) for suit in range(2))),
    "no symmetry": Deck((0, 4, 8, 12, 1, 5, 9, 48)),
    "7 cards": Deck((0, 4, 8, 12, 1, 5, 48)),
}


@cache
def full() -> GameBoards:
    return flops_of()


@cache
def toy(deck: str, raises: int = 3) -> HoldemGame:
    return holdem_game(flop_holdem(raises), deck=DECKS[deck], dtype=np.float64)


@cache
def few() -> StreetBuckets:
    return cluster(full(), 30, preflop=20, seed=3)


class FlopArrays(NamedTuple):
    """The flops of a game side by side: (F, 3) cards, (F,) counts, (F, n) hands, ranks, lanes and classes; (F,) lanes."""

    boards: Any
    counts: Any
    hand: Any
    rank: Any
    lane: Any
    at: Any
    lanes: Any


def flop_arrays(boards: GameBoards) -> FlopArrays:
    cards, counts = boards.choices(boards.root)
    flops, hands = boards.after(boards.root), boards.deck.hands
    ranks = [hand_ranks(flop.cards, hands[flop.hand], deck=boards.deck) for flop in flops]
    columns = ([getattr(flop, name) for flop in flops] for name in ("hand", "lane", "up", "lanes"))
    hand, lane, up, lanes = map(np.array, columns)
    return FlopArrays(cards, counts, hand, np.array(ranks), lane, up, lanes)


def random_play(game: HoldemGame, seed: int) -> BucketedStrategy:
    """A random strategy that depends on every card, but not on the names of suits."""
    rng, buckets = np.random.default_rng(seed), lossless(game.boards)
    early, late = [], []
    for side in game.sides:
        early.append(normalise_rows(rng.random((side.sizes[0], game.boards.classes)), side.preflop))
        sizes = buckets.sizes_on(1).tolist()
        late.append(
            [normalise_rows(rng.random((side.sizes[1], n)), side.decisions[1]).astype(game.dtype) for n in sizes]
        )
    return BucketedStrategy(buckets, (early[0], early[1]), ((late[0], late[1]),))
