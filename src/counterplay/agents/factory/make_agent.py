"""Agents from records and their texts: those that play like a model of an opponent, and those that compute during play
or before it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from counterplay.agents.agent import PolicyAgent, StrategyAgent, UniformAgent
from counterplay.agents.factory import search_agents, spot_agents, whole_game_agents
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.player import Player
from counterplay.agents.record import AGENTS, AgentRecord, no_agent
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_bot import SearchBot
from counterplay.agents.strategy_bot import StrategyBot
from counterplay.errors import InputError, UnknownError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.opponents.model import MODELS
from counterplay.opponents.uniform import Uniform
from counterplay.poker.whole_game.rules import Holdem
from counterplay.responses.cdbr_ne import CDBRNE


def check_text(ground: PlayableGame, text: str) -> None:
    """Reject, before any work, an agent's text that a whole game of hold'em does not support.

    Raises:
        InputError: unknown agent.
    """
    if isinstance(ground.rules, Holdem):
        whole_game_agents.check_text(ground.rules, text, None if ground.memory is None else ground.memory * 2**30)


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
    if isinstance(ground.rules, Holdem):
        memory = None if ground.memory is None else ground.memory * 2**30
        return whole_game_agents.fhp_agent(ground.rules, str(text), seat, seed, draws, memory)
    record = AGENTS.record(text)
    try:
        return MAKERS[type(record)](record, ground, seat, seed, draws)
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", str(record)):
            raise no_agent(str(record)) from None
        raise


def _search(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    mixed, spot = isinstance(bot.method, CDBRNE), ground.spot
    if spot is not None:
        make = spot_agents.make_mixed_agent if mixed else spot_agents.make_search_agent
        return make(bot, ground, spot, seat, seed, draws)
    return (search_agents.make_mixed_agent if mixed else search_agents.make_search_agent)(
        bot, ground, seat, seed, draws
    )


def _response(bot: ResponseBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    if ground.spot is not None:
        return spot_agents.make_computed_agent(bot, ground.spot, seat, seed, draws)
    return search_agents.make_computed_agent(bot, ground, seat, seed, draws)


def _strategy(bot: StrategyBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    model = MODELS.record(bot.model)
    if isinstance(model, Uniform):
        return UniformAgent(seat, draws)
    if not isinstance(ground.source, GameTree) and isinstance(ground.rules, FastGame):
        known = model.policy(ground.rules)
        if known is not None:
            return PolicyAgent(ground.rules, known, seat, draws)
    if ground.spot is not None:
        return spot_agents.make_fixed_agent(ground.spot, model, seat, seed, draws)
    return StrategyAgent(model.strategy(ground.compiled, seat, seed), draws, str(model))


MAKERS: dict[type[AgentRecord], Callable[..., Player]] = {
    SearchBot: _search,
    ResponseBot: _response,
    StrategyBot: _strategy,
}
"""Constructors of players from records. Each is called as `make(record, ground, seat, seed, draws)`: `draws` is the
seed of the player's draws of actions, different for each side and seat, so that two agents in one match draw
independently.
"""
