"""Agents of whole hold'em games, from the same records as elsewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from counterplay.agents.factory.agent_factory import AgentFactory
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.learning.studies import HoldemStudy
from counterplay.agents.records import (
    AGENTS,
    GIFTS,
    AgentRecord,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
    SwitchingBot,
)
from counterplay.agents.worlds.board_search_settings import SEARCHES, search_settings
from counterplay.agents.worlds.whole_game import (
    BoardSearch,
    EarlyResponse,
    FullGadgetSearch,
    HoldemAgent,
    LookAheadSearch,
    Origin,
    ResponseAgent,
    decide_early,
    first_walked_street,
)
from counterplay.blueprints.whole_game.portfolio_look_ahead import look_ahead_preflop
from counterplay.catalogue import WHOLE_GAME_OPPONENTS, heads
from counterplay.errors import InputError, UnknownError, quoted, unknown
from counterplay.opponents.opponent import check_strategy, opponent, strategy_of
from counterplay.opponents.reference_players import BestResponseTo, Nash
from counterplay.poker.whole_game.holdem import is_walked
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, RuleResponse, RuleSettings
from counterplay.responses.methods import BNE, BR, CDBR, CDBRNE, DBR, LBR, RNR, Mix, Safe
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game
from counterplay.texts.grammar import LAST

COMPUTED = (BR.HEAD, RNR.HEAD, DBR.HEAD, Mix.HEAD, Safe.HEAD, BNE.HEAD, LBR.HEAD)
"""Methods whose whole strategy is computed before the match; `lbr` answers on boards when they come."""


class HoldemFactory(AgentFactory):
    """Makes agents of whole hold'em games."""

    @staticmethod
    def read(source: Any) -> AgentRecord:
        """As elsewhere, but `br:OPPONENT` is the opponent's text, and `br:to=OPPONENT` the method."""
        response = f"{BestResponseTo.HEAD}:"
        if isinstance(source, str) and source.startswith(response) and not source.startswith(f"{response}{LAST}="):
            return StrategyBot(source)
        with _naming_agents(str(source)):
            return AGENTS.record(source)

    @classmethod
    def check(cls, record: AgentRecord, ground: PlayableGame) -> None:
        rules = _rules(ground)
        if isinstance(record, SearchBot):
            searching = cls.greedy(record) if isinstance(record.method, CDBRNE) else record
            _check_search(searching)
            search_settings(rules.game, searching, 0, ground.bytes, check_strategy)
        elif isinstance(record, ResponseBot):
            if not isinstance(record.method, LBR):
                check_whole_game(rules, record.method)
            assert record.to is not None
            check_strategy(rules.game, record.to)
        elif isinstance(record, StrategyBot):
            with _naming_agents(str(record)):
                check_strategy(rules.game, record.model)
        elif isinstance(record, LearningBot):
            _check_learner(record)
            check_strategy(rules.game, record.prior or Nash())
        elif isinstance(record, SwitchingBot):
            for part in record.agents:
                cls.check(part, ground)

    @staticmethod
    def greedy(bot: SearchBot) -> SearchBot:
        if bot.method.trust is None:
            raise InputError(f"{bot.head} of a whole game of hold'em needs p, not a largest exploitability")
        return AgentFactory.greedy(bot)

    def search(self, bot: SearchBot) -> HoldemAgent:
        """Each board is searched, or all flops at once; with portfolios, after a look-ahead of the street before it."""
        return self._seated(self._searching(bot), bot.head, bot)

    def _searching(self, bot: SearchBot) -> HoldemAgent:
        rules, seat = _rules(self.ground), self.seat
        _check_search(bot)
        settings = search_settings(rules.game, bot, self.seed, self.ground.bytes)
        if settings.ahead is not None and settings.street == 1:
            search, ways = settings.ahead
            look = look_ahead_preflop(
                rules.game, settings.blueprint, seat, settings.model, ways, search, settings.memory
            )
            if look.solution.interrupted:
                raise KeyboardInterrupt
            settings = replace(settings, blueprint=look.play)
        if settings.search.p == 1.0 and rules.game.last > 1 and isinstance(settings.model, BucketedStrategy):
            street = first_walked_street(rules.game) if bot.street is None else settings.street
            return ResponseAgent(rules, (settings.blueprint, settings.model), seat, street)
        if settings.together:
            return FullGadgetSearch(rules, settings, seat)
        if settings.ahead is None or settings.street == 1:
            return BoardSearch(rules, settings, seat)
        return LookAheadSearch(rules, settings, seat, self.draws)

    def response(self, bot: ResponseBot) -> HoldemAgent:
        """`lbr`, and what `respond` computes before the match. Where there are too many boards to see all, `lbr`
        decides before the flop by drawn ones, and `br` plays as the model until it responds on the board at hand."""
        rules, seat = _rules(self.ground), self.seat
        if isinstance(bot.method, LBR):
            assert bot.to is not None
            model = strategy_of(rules.game, bot.to, self.seed)
            street, early = first_walked_street(rules.game), decide_early(rules.game, seat, model)
            agent = ResponseAgent(rules, (early, model), seat, street, RuleSettings(LOCAL))
            return self._seated(agent, LBR.HEAD, bot)
        check_whole_game(rules, bot.method)
        if isinstance(bot.method, BR) and not is_walked(rules.game):
            return self._seated(self._searching(SearchBot(CDBR(), bot.to, blueprint=bot.to)), bot.head, bot)
        met: Any = opponent(rules, bot.to, 1 - seat, self.seed)
        outcome, _ = bot.method.outcome(HoldemMatchup(rules, met, seed=self.seed))  # type: ignore[arg-type]
        if outcome.interrupted:
            raise KeyboardInterrupt
        play: Any = outcome.plan
        return self._seated(HoldemAgent(rules, play, seat), bot.head, bot)

    def strategy(self, bot: StrategyBot) -> HoldemAgent:
        rules, seat = _rules(self.ground), self.seat
        with _naming_agents(str(bot)):
            made: Any = opponent(rules, bot.model, seat, self.seed)
        play = made.play
        agent = HoldemAgent(rules, play, seat)
        # A response from a file whose rule asks no strategy but the model is computed for the line at hand alone, where all
        # lines take seconds.
        by_line = not is_walked(rules.game) and first_walked_street(rules.game) == 1
        if by_line and isinstance(play, RuleResponse) and play.player == seat and play.asked.name in (BEST, LOCAL):
            plays = EarlyResponse(play.theirs, play.preflop), play.theirs
            agent = ResponseAgent(rules, plays, seat, 1, play.asked)
        return self._seated(agent, str(bot), bot)

    def study(self, bot: LearningBot) -> HoldemStudy:
        _check_learner(bot)
        rules = _rules(self.ground)
        prior = strategy_of(rules.game, bot.prior or Nash(), self.seed)
        prior = prior.play if isinstance(prior, ObservedStrategy) else prior
        if not isinstance(prior, BucketedStrategy):
            raise InputError(f"only a strategy by buckets can be tilted toward hands, not {quoted(bot.prior)}")
        return HoldemStudy(rules, prior, self.seat, bot, self.seed)

    def _seated(self, agent: HoldemAgent, name: str, record: AgentRecord) -> HoldemAgent:
        """An agent with its name and draws, which can be saved if its record has a text."""
        try:
            has_text = self.read(str(record)) == record
        except InputError:
            has_text = False
        agent.origin = Origin(str(record), self.seed) if has_text else None
        agent.name, agent.draws = name, random.Random(self.draws)
        return agent


@contextmanager
def _naming_agents(text: str) -> Iterator[None]:
    """Say of a text that names no opponent that it names no agent."""
    try:
        yield
    except UnknownError as error:
        if (error.kind, error.name) == ("opponent", text):
            raise _no_agent(text) from None
        raise


def _no_agent(text: str) -> UnknownError:
    computing = (*SEARCHES, CDBRNE.HEAD, *COMPUTED)
    listed = (*WHOLE_GAME_OPPONENTS, *computing)
    return unknown(
        "agent", text, (*heads(WHOLE_GAME_OPPONENTS), *computing), listed=listed, where="in whole games of hold'em "
    )


def _check_search(bot: SearchBot) -> None:
    if bot.head not in SEARCHES:
        raise _no_agent(bot.head)


def _check_learner(bot: LearningBot) -> None:
    """Refuse what whole games of hold'em do not have."""
    if bot.by == GIFTS:
        raise InputError("gifts need the exact worst case of the agent's strategy, which is known in games in memory; in "
                         "whole hold'em an agent learns by evidence or fixed")  # fmt: skip
    if bot.method not in (DBR.HEAD, RNR.HEAD):
        raise InputError(f"in whole hold'em learn responds by {DBR.HEAD} or {RNR.HEAD}, not {quoted(bot.method)}")


def _rules(ground: PlayableGame) -> Holdem:
    return as_whole_game(ground.rules, "such agents play")
