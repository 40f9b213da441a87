"""How agents are made of records: what is common to all worlds; each world says how it searches, responds and learns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from counterplay.agents.agent import CoinAgent, Player, StrategyAgent, SwitchingAgent, UniformAgent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.learning.learning_agent import LearningAgent, Study
from counterplay.agents.records import (
    AGENTS,
    WAY,
    AgentRecord,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
    SwitchingBot,
)
from counterplay.errors import InputError
from counterplay.lookahead.search import PER_STATE, LookAhead
from counterplay.opponents.opponent import opponent
from counterplay.opponents.reference_players import Nash, Uniform
from counterplay.responses.method import ALPHA, P, risk_in_chips
from counterplay.responses.methods import CDBR, CDBRNE, p_from_bound
from counterplay.responses.respond import Answer, respond
from counterplay.treeplex.strategy import Strategy

MAKERS: dict[type[AgentRecord], Callable[..., Player]] = {}
"""Makers of agents of other records, in any game, called as `make(record, ground, seat, seed, draws)`, the last three as in
`AgentFactory`."""


@dataclass(frozen=True)
class AgentFactory(ABC):
    """Makes agents of one seat of a game. seed: of the opponents and samples in their computations. draws: seed of
    their own draws of actions, different for each side and seat, so that two agents at one table do not draw alike."""

    ground: PlayableGame
    seat: int
    seed: int
    draws: int

    @staticmethod
    def read(source: Any) -> AgentRecord:
        """The record of an agent or of its text."""
        return AGENTS.record(source)

    @classmethod
    def check(cls, record: AgentRecord, ground: PlayableGame) -> None:
        """Refuse, before any work, what only the game tells."""
        del record, ground  # by default nothing

    def agent(self, record: AgentRecord) -> Player:
        """The agent of a record; unknown or invalid options are refused."""
        if isinstance(record, SwitchingBot):
            agents = [replace(self, draws=self.draws + k).agent(part) for k, part in enumerate(record.agents)]
            return SwitchingAgent(agents, str(record), record.after)
        if isinstance(record, StrategyBot):
            return UniformAgent(self.seat, self.draws) if isinstance(record.model, Uniform) else self.strategy(record)
        if isinstance(record, LearningBot):
            return LearningAgent(self.study(record), self.draws, str(record))
        if isinstance(record, ResponseBot):
            return self.response(record)
        if type(record) in MAKERS:
            return MAKERS[type(record)](record, self.ground, self.seat, self.seed, self.draws)
        assert isinstance(record, SearchBot)
        if not isinstance(record.method, CDBRNE):
            return self.search(record)
        greedy = self.search(self.greedy(record))
        return CoinAgent(greedy, self.safe(record, greedy), record.method.trust or 0.0, self.draws)

    @staticmethod
    def greedy(bot: SearchBot) -> SearchBot:
        """The part of `cdbr-ne` that searches."""
        bot.refuse("gain")
        return replace(bot, method=CDBR(bot.method.look or LookAhead()))

    def safe(self, bot: SearchBot, greedy: Player) -> Player:  # noqa: ARG002 - an equilibrium, or the blueprint
        """The other part of `cdbr-ne`: an equilibrium, or what comes near."""
        return self.agent(StrategyBot(Nash() if bot.blueprint is None else bot.blueprint))

    @abstractmethod
    def search(self, bot: SearchBot) -> Player:
        """An agent that searches while it plays."""

    @abstractmethod
    def response(self, bot: ResponseBot) -> StrategyAgent:
        """An agent whose whole strategy `respond` computes before the match."""

    @abstractmethod
    def strategy(self, bot: StrategyBot) -> Player:
        """An agent that plays as a model of an opponent does."""

    @abstractmethod
    def study(self, bot: LearningBot) -> Study:
        """What an agent learns while it plays."""

    def computed(self, bot: ResponseBot) -> Strategy:
        """The strategy of `respond` for a method and its model."""
        game = self.ground.compiled
        return finished_answer(respond(game, opponent(game, bot.source, 1 - self.seat, self.seed), bot.method)).strategy

    def trust(self, bot: SearchBot) -> tuple[float, str]:
        """The p of a search, and where it comes from, in words."""
        method, head = bot.method, bot.head
        if method.DIAL != P:
            bot.refuse("gain")
            return (1.0 if isinstance(method, CDBR) else 0.0), f"as {head} has it"
        if method.trust is not None:
            return method.trust, "given"
        if bot.expand == WAY or bot.gain is not None:
            if bot.gain is None:
                raise InputError(
                    f"{head}: with expand=way p comes from a bound, which needs the largest gain: gain=CHIPS"
                )
            p = p_from_bound(risk_in_chips(method.max_exploitability or 0.0, self.ground.rules), bot.gain)
            return p, f"from the bound exploitability ≤ gain · p / (1 - p) with a gain of at most {bot.gain:g}"
        tree = self.ground.compiled
        model = opponent(tree, bot.source, 1 - self.seat, self.seed)
        answer = respond(tree, model, replace(method, look=look_of(bot)))  # type: ignore[type-var]
        return float(finished_answer(answer).p or 0.0), "by bisection over measured exploitability"


def look_of(bot: SearchBot) -> LookAhead:
    """The look-ahead of a search: each public state alone, with the method's gadget by default."""
    look = bot.method.look or LookAhead()
    return replace(look, gadget=bot.method.GADGET if look.gadget is None else look.gadget, solve=PER_STATE)


def alpha_of(bot: SearchBot) -> float:
    """The exploitation level of SES; 0 for other methods."""
    return (bot.method.trust or 0.0) if bot.method.DIAL == ALPHA else 0.0


def finished_answer(answer: Answer) -> Answer:
    """An answer; that of an interrupted computation ends all preparation."""
    if answer.interrupted:
        raise KeyboardInterrupt
    return answer
