"""Agents of whole hold'em games, from the same records as elsewhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.agents.factory.agent_factory import AgentFactory, PlayableGame
from counterplay.agents.learning.studies import HoldemStudy
from counterplay.agents.records import (
    AGENTS,
    GIFTS,
    OF_LISTED_GAMES,
    PROFILE,
    AgentRecord,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
    SwitchingBot,
)
from counterplay.agents.worlds.whole_game import (
    BoardSearch,
    EarlyResponse,
    FullGadgetSearch,
    HoldemAgent,
    LookAheadSearch,
    Origin,
    ResponseAgent,
    SearchSettings,
    decide_early,
    first_walked_street,
    rest_size,
)
from counterplay.blueprints.whole_game.as_strategy import next_gadget
from counterplay.blueprints.whole_game.portfolio_look_ahead import SOLVER as SAMPLED
from counterplay.blueprints.whole_game.portfolio_look_ahead import look_ahead_preflop, portfolio_of, values_ranges
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.catalogue import WHOLE_GAME_OPPONENTS, heads
from counterplay.errors import InputError, UnknownError, quoted, unknown
from counterplay.gadgets import gadget_of
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead, Search
from counterplay.opponents.given_strategy import TrainedBlueprint
from counterplay.opponents.opponent import check_strategy, opponent, strategy_of
from counterplay.opponents.reference_players import BestResponseTo, Nash
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.public_tree.size_estimate import SpotSize
from counterplay.poker.whole_game.blueprints.street_regrets import check_room
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem, as_whole_game
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy
from counterplay.poker.whole_game.walks.make_rule import BEST, LOCAL, RuleResponse, RuleSettings
from counterplay.responses.board_search import (
    GAP,
    ITERATIONS,
    SOLVER,
    TOGETHER,
    look_to_the_end,
    ways_of,
)
from counterplay.responses.method import ALPHA, P
from counterplay.responses.methods import ABD, BNE, BR, CDBR, CDBRNE, DBR, LBR, RNR, Mix, Safe
from counterplay.responses.whole_game import HoldemMatchup, check_whole_game
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import minimiser
from counterplay.texts.grammar import LAST
from counterplay.value_functions.leaf_value import ExactLeaf
from counterplay.value_functions.sampled_portfolio import SampledPortfolio

SEARCHES = {"resolve": "resolving", "ses": "max-margin", "cdbr": "unsafe", "cdrnr": "resolving", ABD.HEAD: "resolving"}
"""The searching agents, with their default gadgets."""
SECONDS = 4.0
"""Default time limit of a board that is not the last, whose iterations might take minutes."""
MOST_SEQUENCES = 20_000_000
"""Default limit of the rest of a hand that is solved: a turn at 200 big blinds with pots and all-ins has 14 million
sequences."""
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
            if searching.head not in SEARCHES:
                raise _no_agent(searching.head)
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
        if bot.head not in SEARCHES:
            raise _no_agent(bot.head)
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
        if settings.search.frees_the_opponent:  # all boards at once
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


def _check_learner(bot: LearningBot) -> None:
    """Refuse what whole games of hold'em do not have."""
    if bot.by == GIFTS:
        raise InputError("gifts need the exact worst case of the agent's strategy, which is known in games in memory; in "
                         "whole hold'em an agent learns by evidence or fixed")  # fmt: skip
    if bot.method not in (DBR.HEAD, RNR.HEAD):
        raise InputError(f"in whole hold'em learn responds by {DBR.HEAD} or {RNR.HEAD}, not {quoted(bot.method)}")


def _rules(ground: PlayableGame) -> Holdem:
    return as_whole_game(ground.rules, "such agents play")


def search_settings(
    game: HoldemGame, bot: SearchBot, seed: int, memory: float | None = None, made: Callable[..., Any] = strategy_of
) -> SearchSettings:
    """The settings of an agent by a method of `SEARCHES`; options that whole games do not have are refused. A value
    function lets a look-ahead decide before the flop, too. memory: limit in bytes. made: computes the strategies."""
    head, look = bot.head, bot.method.look or LookAhead()
    bot.refuse("gain", *OF_LISTED_GAMES)
    if look.depth is not None:
        raise unknown("option", "depth", [key for key in bot.keys(type(bot.method)) if key != "depth"], lacks=head)
    if bot.method.max_exploitability is not None:
        raise InputError(f"{head} of a whole game of hold'em needs {bot.method.DIAL}, not a largest exploitability")
    p = 1.0 if isinstance(bot.method, CDBR) else (bot.method.trust or 0.0) if bot.method.DIAL == P else 0.0
    alpha = (bot.method.trust or 0.0) if bot.method.DIAL == ALPHA else 0.0
    gadget = gadget_of(look.gadget or SEARCHES[head])
    together = gadget.keeps_path and p < 1.0
    valued = values_ranges(look.leaf)
    entered = look_to_the_end(look, next_gadget(look.leaf, gadget) if valued else gadget)
    street = 1 if together else _first_street(game, bot, memory)
    search = Search(entered, p, alpha, _solver(bot, together), _stop(game, bot, together, street < game.last))
    if gadget.trims_path:
        raise InputError(f"{head}: the {gadget} gadget needs a game in memory, history by history; this one takes full")
    if bot.values == PROFILE and together:
        raise InputError(f"{head}: the full gadget has no alternative values")
    if together and not is_walked(game):
        raise InputError(
            f"{head}: the full gadget solves all boards at once, and this game has too many; ask for a gadget of single "
            "boards"
        )
    if together:
        check_room(game, lossless(game.boards), memory, "ask for a gadget of single boards")
    before = None if isinstance(look.leaf, ExactLeaf) else _before(game, bot, look, p, street)
    if before is not None and street > 1 and (gadget.chooses_one or gadget.keeps_path):
        raise InputError(
            f"{head}: a look-ahead with portfolios on a board is entered by resolving or unsafe, not {gadget}"
        )
    blueprint = TrainedBlueprint() if bot.blueprint is None else bot.blueprint
    play = made(game, blueprint, seed)
    model = None if bot.to is None else made(game, bot.to, seed)
    ahead = None
    if before is not None:
        ways = ([], []) if valued else ways_of(before.value, str(blueprint), lambda text: made(game, text, seed))
        ahead = before, ways
    return SearchSettings(play, model, search, ahead, bot.values == PROFILE, street, memory)


def _first_street(game: HoldemGame, bot: SearchBot, memory: float | None) -> int:
    """The first street whose boards are solved again: as asked for, or the first whose rest of a hand is small
    enough."""
    if bot.street is None:
        streets = range(1, game.last + 1)
        return next(k for k in streets if k == game.last or _largest(game, k).sequences <= MOST_SEQUENCES)
    street = STREETS.index(bot.street)
    if street > game.last:
        raise InputError(f"{bot.head}: this game ends on the {STREETS[game.last]}; it has no {bot.street}")
    _largest(game, street).check(memory)
    return street


def _largest(game: HoldemGame, street: int) -> SpotSize:
    """The size of the largest rest of a hand from a street on."""
    roots = game.roots[street]
    return rest_size(game, street, int(np.argmax(game.betting.end[roots] - roots)))


def _before(game: HoldemGame, bot: SearchBot, look: LookAhead, p: float, street: int) -> Search:
    """The search of the street before the first that is solved to the end: before the flop, or by drawn boards behind
    the gadget."""
    value = look.leaf if values_ranges(look.leaf) and street > 1 else portfolio_of(look.leaf)
    if street == 1:
        return Search(LookAhead(Depth(), value), p, solver=_solver(bot, False), stop=_stop(game, bot, False, False))
    if p == 1.0:
        raise InputError(f"{bot.head}: at p = 1 boards are answered to the end of the hand, without a value function")
    if isinstance(value, SampledPortfolio):
        raise InputError(
            f"{bot.head}: on a board the boards to come are drawn anew in each iteration: give portfolio, not sampled"
        )
    solver = SAMPLED if bot.solver is None and not values_ranges(value) else _solver(bot, False)
    look = LookAhead(leaf=value, gadget=look.gadget or SEARCHES[bot.head])
    return Search(look, p, solver=solver, stop=_stop(game, bot, False, True))


def _solver(bot: SearchBot, together: bool) -> str:
    name = bot.solver or SOLVER
    method = None if name == "lp" else minimiser(name)
    if together and (method is None or method.predictive or not method.alternating):
        raise InputError(f"{bot.head}: all flops are solved by cfr, cfr+ or dcfr, not by {name}")
    return name


def _stop(game: HoldemGame, bot: SearchBot, together: bool, to_come: bool) -> Stop:
    """The stopping rule of one board, or of all flops. to_come: whether more cards are dealt."""
    seconds, iterations, gap = bot.seconds, bot.iterations, bot.gap
    if to_come and not together and seconds is iterations is gap is None:
        seconds = SECONDS
    usual = TOGETHER if together and gap is None else 1 << 62 if seconds is not None else ITERATIONS
    if gap is None:
        gap = 0.0 if together or iterations is not None else GAP * 1000.0 / game.milli
    return Stop(gap, iterations or usual, float("inf") if seconds is None else seconds)
