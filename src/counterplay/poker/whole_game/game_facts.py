"""A whole game as facts of a file."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import Deck, cards_of, cards_text
from counterplay.poker.whole_game.holdem import HoldemGame

Facts = dict[str, Any]
_LONGEST = 10_000
"""Characters of a text."""


def question_of(game: HoldemGame) -> Facts:
    """The game, as JSON has it."""
    rules = asdict(game.betting.rules)
    question = {"deck": cards_text(game.deck.cards), "limits": rules, "bets": game.betting.sizes.text}
    return dict(json.loads(json.dumps(question)))


def rules_in(facts: Facts) -> tuple[BettingRules, str, Deck]:
    """Rules of betting, bet sizes and deck of the game that facts name."""
    words: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in facts["limits"].items()}
    return BettingRules(**words), short_text(facts, "bets"), Deck(cards_of(short_text(facts, "deck")))


def short_text(facts: Facts, name: str) -> str:
    """A short text among the facts.

    Raises:
        TypeError: it is none.
    """
    text = facts[name]
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise TypeError(name)
    return text
