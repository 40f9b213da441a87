"""Whole games of hold'em with small decks: on boards, and enumerated history by history."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import counterplay as cp
from counterplay import CHANCE, TERMINAL
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay_papers.listed_hands import EIGHT

NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))
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


@cache
def listed(last: str, stack: int = 4) -> Any:
    return cp.load(rules(last, stack), say=lambda _: None)


def assert_same_tables(one: Any, two: Any) -> None:
    """Both strategies by buckets are equal to the last bit on every street after the first."""
    assert len(one.tables) == len(two.tables) > 0
    for here, there in zip(one.tables, two.tables, strict=True):
        for player in (0, 1):
            for first, second in zip(here[player], there[player], strict=True):
                assert first.tobytes() == second.tobytes()


class Halves:
    """Player 0 plays as one strategy has it, player 1 as another."""

    def __init__(self, one: Any, two: Any) -> None:
        self._halves, self.preflop = (one, two), (one.preflop[0], two.preflop[1])

    def on(self, player: int, board: Any) -> Any:
        return self._halves[player].on(player, board)


def decisions(rules: Holdem, seat: int, seed: int, hands: int, player: Any = None) -> Iterator[str]:
    """What a seat sees in some random hands, street after street; its actions are those of a player, if one is given."""
    draw = random.Random(seed)
    for _ in range(hands):
        state: Any = rules.root()
        while (who := rules.player(state)) != TERMINAL:
            if who == seat:
                yield rules.infoset(state, seat)
            actions = list(rules.actions(state))
            if who == seat and player is not None:
                row = list(player.policy(rules.infoset(state, seat)).values())
                state = rules.child(state, draw.choices(actions, row)[0])
                continue
            quiet = [one for one in actions if who == CHANCE or rules.action_name(state, one) in ("check", "call")]
            state = rules.child(state, draw.choice(quiet if draw.random() < 0.8 else actions))
