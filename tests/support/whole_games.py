"""Whole games of hold'em with small decks: on boards, and enumerated history by history."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import counterplay as cp
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows

NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))
EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
TWENTY = Deck.from_rank("T")


@cache
def rules(last: str, stack: int = 4) -> Holdem:
    """All-in or not; blinds 1 and 2. With a river, where there are many deals, on the flop and on the river only."""
    sizes, deck = ("none; flop: a; river: a", NINE) if last == "river" else ("a", EIGHT)
    return Holdem(holdem(stack, blinds=(1, 2), last=last), sizes, deck, f"to the {last}")


@cache
def game(last: str, stack: int = 4) -> HoldemGame:
    question = rules(last, stack)
    return holdem_game(question.limits, question.sizes, deck=question.deck, dtype=np.float64)


def random_play(here: HoldemGame, seed: int) -> BucketedStrategy:
    """A random strategy that does not hang on the names of suits, else on every card."""
    rng, buckets = np.random.default_rng(seed), lossless(here.boards)
    early = [normalise_rows(rng.random((s.sizes[0], here.boards.classes)), s.preflop) for s in here.sides]

    def blocks(player: int, street: int) -> list[Any]:
        side = here.sides[player]
        sizes = buckets.sizes_on(street).tolist()
        return [normalise_rows(rng.random((side.sizes[street], n)), side.decisions[street]) for n in sizes]

    tables = tuple((blocks(0, street), blocks(1, street)) for street in range(1, here.last + 1))
    return BucketedStrategy(buckets, (early[0], early[1]), tables)


@cache
def listed(last: str, stack: int = 4) -> Any:
    return cp.load(rules(last, stack), say=lambda _: None)


def enumerated(tree: Any, question: Holdem, here: HoldemGame, play: Any, player: int) -> Any:
    """A strategy in the game that is listed history by history."""
    rows = cache(partial(probabilities, here, play))

    def row(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        seen = question.read(infoset, player)
        odds = rows(seen.node, seen.board)[:, here.deck.hand(*seen.hand)]
        return dict(zip(actions, odds.tolist(), strict=True))

    return cp.opponent(tree, row, player=player)
