"""Agents from records and their texts: those that play like a model of an opponent, and those that compute during play
or before it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterplay.agents.agent import PolicyAgent, StrategyAgent, UniformAgent
from counterplay.agents.factory import learning_agents, search_agents, spot_agents, whole_game_agents
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.learning_bot import LearningBot
from counterplay.agents.player import Player
from counterplay.agents.record import AGENTS, AgentRecord, no_agent
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_bot import SearchBot
from counterplay.agents.strategy_bot import StrategyBot
from counterplay.agents.switching_agent import SwitchingAgent
from counterplay.agents.switching_bot import SwitchingBot
from counterplay.errors import InputError, UnknownError
from counterplay.games.kernel_rules import FastGame
from counterplay.opponents.reference_players import Uniform
from counterplay.poker.spots.deal import SpotRules
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind
from counterplay.responses.cdbr_ne import CDBRNE


@dataclass(frozen=True)
class AgentFactory:
    """A factory of agents for a kind of game.

    Attributes:
        makers: makes a player of a record. Each is called as `make(record, ground, seat, seed, draws)`: `draws` is the seed
            of the player's own draws of actions, different for each side and seat, so that two agents at one table do not
            draw alike.
        read: the record of an agent or of its text.
        check: refuses, before any work, what only the game tells.
    """

    makers: Mapping[type[AgentRecord], Callable[..., Player]]
    read: Callable[[Any], AgentRecord] = AGENTS.record
    check: Callable[[AgentRecord, PlayableGame], None] = lambda record, ground: None  # noqa: ARG005

    def make(self, record: AgentRecord, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
        """A player, or several that take turns."""
        if isinstance(record, SwitchingBot):
            made = [self.make(one, ground, seat, seed, draws + number) for number, one in enumerate(record.agents)]
            return SwitchingAgent(made, record.after, str(record))
        return self.makers[type(record)](record, ground, seat, seed, draws)


def check_text(ground: PlayableGame, text: str) -> None:
    """Refuse, before any work, an agent's text that a game does not have, where only the game tells.

    Raises:
        InputError: unknown agent.
    """
    made_by = by_kind(FACTORIES, ground.rules, None)
    if made_by is not None:
        made_by.check(made_by.read(text), ground)


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
    made_by = by_kind(FACTORIES, ground.rules, COMPILED)
    record = made_by.read(text)
    try:
        return made_by.make(record, ground, seat, seed, draws)
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", str(record)):
            raise no_agent(str(record)) from None
        raise


def _search(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    mixed = isinstance(bot.method, CDBRNE)
    return (search_agents.make_mixed_agent if mixed else search_agents.make_search_agent)(
        bot, ground, seat, seed, draws
    )


def _strategy(bot: StrategyBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    model = bot.model
    if isinstance(model, Uniform):
        return UniformAgent(seat, draws)
    if not ground.is_compiled and isinstance(ground.rules, FastGame):
        known = model.policy(ground.rules)
        if known is not None:
            return PolicyAgent(ground.rules, known, seat, draws)
    return StrategyAgent(model.strategy(ground.compiled, seat, seed), draws, str(model))


MAKERS: dict[type[AgentRecord], Callable[..., Player]] = {
    SearchBot: _search,
    ResponseBot: search_agents.make_computed_agent,
    StrategyBot: _strategy,
    LearningBot: learning_agents.make_learning_agent,
}
"""Constructors of players in enumerated games (see `AgentFactory`)."""
COMPILED = AgentFactory(MAKERS)
FACTORIES: dict[type, AgentFactory] = {
    SpotRules: AgentFactory(spot_agents.MAKERS),
    Holdem: AgentFactory(whole_game_agents.MAKERS, whole_game_agents.read_record, whole_game_agents.check_record),
}
"""Kinds of games by their rules; all others are `COMPILED`, or expanded on the way."""
