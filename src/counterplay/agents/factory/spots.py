"""Agents of spots of hold'em, from the same records as elsewhere."""

from __future__ import annotations

from counterplay.agents.agent import ContinualAgent, StrategyAgent
from counterplay.agents.bots import (
    GIFTS,
    OF_LISTED_GAMES,
    OF_WHOLE_GAMES,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
)  # fmt: skip
from counterplay.agents.factory.agent_factory import AgentFactory, alpha_of, look_of
from counterplay.agents.learning.studies import SpotStudy
from counterplay.agents.player import Player
from counterplay.agents.position.spot import SpotPosition, SpotSearch, spot_game_of
from counterplay.errors import InputError
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, Search
from counterplay.opponents.nash import Nash
from counterplay.opponents.opponent import opponent
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.dbr import DBR
from counterplay.responses.rnr import RNR
from counterplay.responses.worlds import check_raked
from counterplay.solvers.cfr import Stop
from counterplay.strategies.spot_reference import spot_reference
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.portfolio import Portfolio


class SpotFactory(AgentFactory):
    """Makes agents of spots, which solve each street on coming to it."""

    @property
    def game(self) -> SpotGame:
        """The spot."""
        assert self.ground.spot is not None
        return self.ground.spot

    def search(self, bot: SearchBot) -> ContinualAgent:
        game = self.game
        check_raked(type(bot.method), game.rake)
        bot.refuse(*OF_LISTED_GAMES, *OF_WHOLE_GAMES)
        p, p_from = self.trust(bot)
        model = None if bot.to is None else opponent(game, bot.source, 1 - self.seat, self.seed)
        search = self._search(bot, p)
        if bot.seconds is not None:
            _warm(search, self.seat)
        position = SpotSearch(game, self.seat, search)
        agent = ContinualAgent(position, model, seed=self.draws, name=bot.head)
        steps = BY_DECISION if position.chain.by_part else BY_LEVEL
        agent.log.extend((f"p = {p:g}, {p_from}", f"steps: {steps}"))
        return agent

    def _search(self, bot: SearchBot, p: float) -> Search:
        """The search of a street: by default with the spot's accuracy, and a time limit."""
        stop = Stop(
            self.game.fine if bot.gap is None else bot.gap,
            1 << 62 if bot.iterations is None else bot.iterations,
            float("inf") if bot.seconds is None else bot.seconds,
        )
        limited = any(limit is not None for limit in (bot.seconds, bot.iterations, bot.gap))
        solver = bot.solver or (METHOD if limited else self.game.solver)
        return Search(look_of(bot), p, alpha_of(bot), solver, stop)

    def safe(self, bot: SearchBot, greedy: Player) -> Player:  # noqa: ARG002 - the solution
        return self.strategy(StrategyBot(Nash()))

    def response(self, bot: ResponseBot) -> StrategyAgent:
        return StrategyAgent(SpotPosition(self.game, self.computed(bot)), self.draws, bot.head)

    def strategy(self, bot: StrategyBot) -> StrategyAgent:
        strategy: Strategy = opponent(self.game, bot.model, self.seat, self.seed)
        return StrategyAgent(SpotPosition(self.game, strategy), self.draws, str(bot.model))

    def study(self, bot: LearningBot) -> SpotStudy:
        game = self.game
        if bot.method not in (DBR.HEAD, RNR.HEAD):
            raise InputError(f"in a spot learn responds by {DBR.HEAD} or {RNR.HEAD}: not {bot}")
        if bot.by == GIFTS and game.rake:
            raise InputError(
                f"in a spot with a rake learn takes no gifts, for what one loses the other does not win: not {bot}"
            )
        if bot.iterations is not None or bot.prior not in (None, Nash(), Nash.HEAD):
            raise InputError(f"in a spot learn has no iterations, and its prior is the solution: not {bot}")
        return SpotStudy(game, spot_reference(game, bot), self.seat, bot)


def _warm(search: Search, seat: int) -> None:
    """Search a toy spot, so that compilation and reading from disk do not use up the first decision's time."""
    toy = spot_game_of(Spot("Ks 8h 8d 4c", "AcKc,QhJh", "QdQs,JcTc", 10, 10, "a", raises=1))  # type: ignore[arg-type]
    known = search.looking(leaf=None) if isinstance(search.value, Portfolio) else search
    agent = ContinualAgent(SpotSearch(toy, seat, known), opponent(toy, "uniform", 1 - seat))
    for path in ("| AcKc", "x x 2c | AcKc") if seat == 0 else ("x | JcTc", "x x 2c x | JcTc"):
        agent.policy(path)
