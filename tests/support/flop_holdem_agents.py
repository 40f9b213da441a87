"""Flop Hold'em of tiny decks to be played: its rules, a coarse blueprint, a model, and the game enumerated."""

from __future__ import annotations

from functools import cache
from typing import Any

import counterplay as cp
from counterplay.card_abstraction.ochs import cluster
from counterplay.opponents.opponent import strategy_of
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategy import BucketedStrategy, probabilities

NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))
SEVEN = Deck((0, 4, 8, 12, 1, 5, 48))


@cache
def rules() -> Holdem:
    return Holdem(flop_holdem(2), deck=NINE)


@cache
def tiny() -> Holdem:
    return Holdem(flop_holdem(1), deck=SEVEN)


@cache
def base() -> BucketedStrategy:
    """A coarse blueprint."""
    buckets = cluster(rules().game.boards, 4, preflop=4, groups=2)
    return blueprint(rules().game, buckets, method="dcfr", iterations=60).play


@cache
def model() -> BucketedStrategy:
    return strategy_of(rules().game, "shuffle:0.7,5:blueprint:buckets=6,iterations=50,method=dcfr")


def strategy(tree: Any, game: Holdem, play: Any, player: int) -> Any:
    """Of the compiled game."""

    def odds(infoset: str, actions: tuple[str, ...]) -> dict[str, float]:
        seen = game.read(infoset, player)
        row = probabilities(game.game, play, seen.node, seen.board)[:, game.deck.hand(*seen.hand)]
        return dict(zip(actions, row.tolist(), strict=True))

    return cp.opponent(tree, odds, player=player)


@cache
def compiled() -> Any:
    return cp.load(tiny(), say=lambda _: None)


def solved_over_hands(agent: Any, flop: str) -> dict[str, float]:
    """The answer of an agent whose solve of a flop is cut short, once it is complete: within a hand it stays, in later hands
    the solve goes on, and then it stays for good.
    """
    first = agent.policy(flop)
    assert agent.policy(flop) == first
    visits, last = 1, first
    while "came after" in agent.log[-1]:
        agent.log.append("next hand")
        agent.new_hand()
        last, visits = agent.policy(flop), visits + 1
    assert visits > 2
    agent.new_hand()
    assert agent.policy(flop) == last
    found: dict[str, float] = last
    return found
