"""Agents from records and their texts: those that play like a model of an opponent, and those that compute during play
or before it.
"""

from __future__ import annotations

import random
from typing import Any

from counterplay.agents.factory.agent_factory import AgentFactory
from counterplay.agents.factory.in_memory import ListedFactory, SpotFactory
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.whole_games import HoldemFactory
from counterplay.agents.player import Player
from counterplay.agents.record import no_agent
from counterplay.errors import InputError, UnknownError
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind

FACTORIES: dict[type, type[AgentFactory]] = {SpotRules: SpotFactory, Holdem: HoldemFactory}
"""Kinds of games by their rules; all others are played history by history."""


def check_text(ground: PlayableGame, text: str) -> None:
    """Refuse, before any work, an agent's text that a game does not have, where only the game tells."""
    factory = by_kind(FACTORIES, ground.rules, None)
    if factory is not None:
        factory.check(factory.read(text), ground)


def agent(source: Any, text: Any, seat: int, seed: int = 0, side: int = 0) -> Player:
    """The agent of a record or of its text.

    Args:
        source: a `PlayableGame`, or anything that it can be made from.
        text: such as `SearchBot(CDRNR(0.5), "uniform")` or "cdrnr:p=0.5,to=uniform"; or a model of an opponent, which
            needs the compiled game unless it is `Uniform()`; or a strategy, or a method without a model.
        seat: its seat, 0 or 1.
        seed: seed of the opponents and samples in its computations, so that equal texts mean the same on both sides of
            a match.
        side: number of this agent among several with one seed; it changes only the draws during play.

    Raises:
        InputError: unknown agent, or one that does not fit the game.
    """
    ground = source if isinstance(source, PlayableGame) else PlayableGame(source)
    if seat not in (0, 1):
        raise InputError(f"an agent's seat must be 0 or 1, not {seat}")
    draws = random.Random(f"{seed} {side} {seat}").getrandbits(63)
    factory: type[AgentFactory] = by_kind(FACTORIES, ground.rules, ListedFactory)
    record = factory.read(text)
    try:
        return factory(ground, seat, seed, draws).agent(record)
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", str(record)):
            raise no_agent(str(record)) from None
        raise
