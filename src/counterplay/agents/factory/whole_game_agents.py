"""Agents of whole hold'em games, from the same records as elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from counterplay.agents.agent import UniformAgent
from counterplay.agents.factory.learning_agents import (
    check_whole_game_learner,
    make_whole_game_learner,
)
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.search_agents import CoinAgent
from counterplay.agents.learning_bot import LearningBot
from counterplay.agents.player import Player
from counterplay.agents.record import AGENTS, AgentRecord
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_bot import SearchBot
from counterplay.agents.strategy_bot import StrategyBot
from counterplay.agents.switching_bot import SwitchingBot
from counterplay.agents.whole_game.agents import BlueprintAgent, FullGadgetAgent, Origin, StreetSearchAgent
from counterplay.agents.whole_game.look_ahead_agent import LookAheadAgent
from counterplay.agents.whole_game.response_agent import (
    EarlyResponse,
    ResponseAgent,
    decide_early,
    first_walked_street,
    respond_by,
)
from counterplay.agents.whole_game.search_settings import SEARCHES, SearchSettings, search_settings
from counterplay.blueprints.whole_game.preflop_lookahead import look_ahead_preflop
from counterplay.catalogue import WHOLE_GAME_OPPONENTS, heads
from counterplay.errors import InputError, UnknownError, unknown
from counterplay.lookahead.search import LookAhead
from counterplay.opponents.model import OpponentModel
from counterplay.opponents.opponent import check_strategy, opponent, strategy_of
from counterplay.opponents.reference_players import BestResponseTo, Nash, Uniform
from counterplay.poker.whole_game.holdem import is_walked
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, RuleSettings
from counterplay.poker.whole_game.walks.rule_response import RuleResponse
from counterplay.responses.bne import BNE
from counterplay.responses.br import BR
from counterplay.responses.cdbr import CDBR
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.dbr import DBR
from counterplay.responses.lbr import LBR
from counterplay.responses.mix import Mix
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game
from counterplay.texts.grammar import LAST

COMPUTED = (BR.HEAD, RNR.HEAD, DBR.HEAD, Mix.HEAD, Safe.HEAD, BNE.HEAD, LBR.HEAD)
"""Methods whose whole strategy is computed before the match; `lbr` answers on boards when they come."""


def read_record(source: Any) -> AgentRecord:
    """The record of an agent or of its text; `br:OPPONENT` is the opponent's text, and `br:to=OPPONENT` the method.

    Raises:
        InputError: there is no such agent.
    """
    response = f"{BestResponseTo.HEAD}:"
    if isinstance(source, str) and source.startswith(response) and not source.startswith(f"{response}{LAST}="):
        return StrategyBot(source)
    with _Agents(str(source)):
        return AGENTS.record(source)


def check_record(record: AgentRecord, ground: PlayableGame) -> None:
    """Refuse, before anything is solved, a record that is no agent of the game.

    Raises:
        InputError: naming what is wrong.
    """
    rules = _rules(ground)
    if isinstance(record, SearchBot):
        searching = _greedy(record) if isinstance(record.method, CDBRNE) else record
        _check_search(searching)
        search_settings(rules.game, searching, 0, _bytes(ground), check_strategy)
    elif isinstance(record, ResponseBot):
        _check_computed(rules, record)
        check_strategy(rules.game, _model(record))
    elif isinstance(record, StrategyBot):
        with _Agents(str(record)):
            check_strategy(rules.game, record.model)
    elif isinstance(record, LearningBot):
        check_whole_game_learner(record)
        check_strategy(rules.game, record.prior or Nash())
    elif isinstance(record, SwitchingBot):
        for one in record.agents:
            check_record(one, ground)


def _search_or_mixed(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    """`cdbr-ne` draws before every hand whether it plays `cdbr` or the blueprint."""
    if not isinstance(bot.method, CDBRNE):
        return _search(bot, ground, seat, seed, draws)
    greedy = _search(_greedy(bot), ground, seat, seed, draws)
    safe = _strategy(StrategyBot(Nash() if bot.blueprint is None else bot.blueprint), ground, seat, seed, draws)
    return CoinAgent(greedy, safe, bot.method.trust or 0.0, draws)


def _greedy(bot: SearchBot) -> SearchBot:
    """The part of `cdbr-ne` that searches."""
    if bot.method.trust is None:
        raise InputError(f"{bot.head} of a whole game of hold'em needs p, not a largest exploitability")
    return replace(bot, method=CDBR(bot.method.look or LookAhead()))


def _search(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> BlueprintAgent:
    """Who searches each board, or all flops at once; with portfolios, from a look-ahead of the street before it."""
    rules = _rules(ground)
    _check_search(bot)
    asked = search_settings(rules.game, bot, seed, _bytes(ground))
    if asked.ahead is not None and asked.street == 1:
        search, ways = asked.ahead
        look = look_ahead_preflop(rules.game, asked.blueprint, seat, asked.model, ways, search, asked.memory)
        if look.solution.interrupted:
            raise KeyboardInterrupt
        asked = replace(asked, blueprint=look.play)
    if asked.search.p == 1.0 and rules.game.last > 1 and isinstance(asked.model, BucketedStrategy):
        street = first_walked_street(rules.game) if bot.street is None else asked.street
        plays = asked.blueprint, asked.model
        return _with_origin(ResponseAgent(rules, plays, seat, draws, asked.head, street), bot, seed)
    return _with_origin(_searching(asked)(rules, asked, seat, draws), bot, seed)


def _searching(asked: SearchSettings) -> type[FullGadgetAgent | StreetSearchAgent]:
    """The kind of agent that searches."""
    if asked.together:
        return FullGadgetAgent
    return StreetSearchAgent if asked.ahead is None or asked.street == 1 else LookAheadAgent


def _response(bot: ResponseBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    """`lbr`, and what `respond` computes before the match. Where there are too many boards to see all, `lbr` decides before
    the flop by drawn ones, and `br` plays as the model until it responds on the board at hand."""
    rules = _rules(ground)
    _check_computed(rules, bot)
    walked = is_walked(rules.game)
    if isinstance(bot.method, LBR):
        model = strategy_of(rules.game, _model(bot), seed)
        street, by = first_walked_street(rules.game), respond_by(RuleSettings(LOCAL))
        early = decide_early(rules.game, seat, model)
        return _with_origin(ResponseAgent(rules, (early, model), seat, draws, LBR.HEAD, street, by), bot, seed)
    if isinstance(bot.method, BR) and not walked:
        player = _search(SearchBot(CDBR(), bot.to, blueprint=bot.to), ground, seat, seed, draws)
        player.name = bot.head
        return _with_origin(player, bot, seed)
    met: Any = opponent(rules, bot.to, 1 - seat, seed)
    outcome, _ = bot.method.outcome(HoldemMatchup(rules, met, seed=seed))  # type: ignore[arg-type]
    if outcome.interrupted:
        raise KeyboardInterrupt
    play: Any = outcome.plan
    return _with_origin(BlueprintAgent(rules, play, seat, draws, bot.head), bot, seed)


def _strategy(bot: StrategyBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    rules = _rules(ground)
    if isinstance(bot.model, Uniform):
        return UniformAgent(seat, draws)
    with _Agents(str(bot)):
        made: Any = opponent(rules, bot.model, seat, seed)
    play = made.play
    if isinstance(play, RuleResponse) and play.player == seat and _is_of_a_line(rules, play):
        plays = EarlyResponse(play.theirs, play.preflop), play.theirs
        return _with_origin(ResponseAgent(rules, plays, seat, draws, str(bot), 1, respond_by(play.asked)), bot, seed)
    return _with_origin(BlueprintAgent(rules, play, seat, draws, str(bot)), bot, seed)


def _is_of_a_line(rules: Holdem, play: RuleResponse) -> bool:
    """Whether a response from a file is computed for the line at hand alone, as those of agents are: where all lines take
    seconds, and its rule asks no strategy but the model."""
    alone = play.asked.name in (BEST, LOCAL)
    return alone and not is_walked(rules.game) and first_walked_street(rules.game) == 1


MAKERS: dict[type[AgentRecord], Callable[..., Player]] = {
    SearchBot: _search_or_mixed,
    ResponseBot: _response,
    StrategyBot: _strategy,
    LearningBot: make_whole_game_learner,
}
"""What makes a player of a record (see `make_agent.AgentFactory`)."""


class _Agents:
    """Says of a text that names no opponent that it names no agent."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __enter__(self) -> None:
        """Nothing is done before."""

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, UnknownError) and (error.kind, error.name) == ("opponent", self._text):
            raise _no_agent(self._text) from None


def _no_agent(text: str) -> UnknownError:
    computing = (*SEARCHES, CDBRNE.HEAD, *COMPUTED)
    return unknown(
        "agent",
        text,
        (*heads(WHOLE_GAME_OPPONENTS), *computing),
        listed=(*WHOLE_GAME_OPPONENTS, *computing),
        where="in whole games of hold'em ",
    )


def _with_origin(agent: BlueprintAgent, record: AgentRecord, seed: int) -> BlueprintAgent:
    """The agent, which can be saved if its record has a text."""
    try:
        has_text = read_record(str(record)) == record
    except InputError:
        has_text = False
    agent.origin = Origin(str(record), seed) if has_text else None
    return agent


def _check_search(bot: SearchBot) -> None:
    if bot.head not in SEARCHES:
        raise _no_agent(bot.head)


def _check_computed(rules: Holdem, bot: ResponseBot) -> None:
    if not isinstance(bot.method, LBR):
        check_whole_game(rules, bot.method)


def _model(bot: ResponseBot) -> str | OpponentModel:
    assert bot.to is not None
    return bot.to


def _rules(ground: PlayableGame) -> Holdem:
    return as_whole_game(ground.rules, "such agents play")


def _bytes(ground: PlayableGame) -> float | None:
    return None if ground.memory is None else ground.memory * 2**30
