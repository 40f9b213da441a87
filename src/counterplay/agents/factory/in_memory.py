"""Agents of games by histories, in memory as a whole or expanded on the way, and of spots, solved street by street."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterplay.agents.agent import ContinualAgent, Player, PolicyAgent, StrategyAgent
from counterplay.agents.factory.agent_factory import AgentFactory, alpha_of, look_of
from counterplay.agents.learning.studies import ListedStudy, SpotStudy
from counterplay.agents.records import (
    GIFTS,
    OF_LISTED_GAMES,
    OF_WHOLE_GAMES,
    WAY,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
)
from counterplay.agents.worlds.belief import BeliefAgent
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.agents.worlds.histories import CompiledSearch, ListedAgent, ListedSearch
from counterplay.agents.worlds.spot import SpotAgent, SpotSearch, spot_game_of
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game
from counterplay.games.kernel_rules import FastGame
from counterplay.lookahead.belief_search import BeliefSide
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, LookAhead, Search
from counterplay.opponents.opponent import actor, opponent
from counterplay.opponents.reference_players import Nash
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.methods import ABD, DBR, RNR, Resolve
from counterplay.responses.respond import check_raked
from counterplay.solvers.cfr import Stop
from counterplay.strategies.strategy_makers import spot_reference
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.leaf_value import ExactLeaf, Value
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.sampled_portfolio import SampledPortfolio

GAP = 1e-3
"""Default accuracy of an agent's look-aheads: a share of the span of payoffs."""
ITERATIONS = 500
"""Default time limit if the accuracy is unknown: in a lazily expanded game."""
_BUDGET, _PARTICLES = 8_000_000, 2000
"""Defaults of lazy expansion with p = 1: moves of a decision's random games, and states of the belief."""


class ListedFactory(AgentFactory):
    """Makes agents of games by histories."""

    def search(self, bot: SearchBot) -> ContinualAgent | BeliefAgent:
        bot.refuse(*OF_WHOLE_GAMES, *(() if bot.head == ABD.HEAD else ("budget", "particles")))
        ground, seat = self.ground, self.seat
        if bot.expand is None and getattr(_leaf(bot), "on_way", False) and not ground.fits:
            bot = replace(bot, expand=WAY)
        p, p_from = self.trust(bot)
        search = self._search(bot, p)
        whole = search.exact or bot.expand != WAY
        if not whole and p == 1.0 and isinstance(search.value, SampledPortfolio):
            return self._belief_agent(bot, search.value)
        model, settings = bot.source, {"seed": self.draws, "remember": bot.remember, "name": bot.head}
        agent: ListedSearch
        if whole:
            model = None if model is None else opponent(ground.compiled, model, 1 - seat, self.seed)
            agent = CompiledSearch(ground.compiled, seat, search, model, **settings)
        else:
            agent = ExpandingSearch(ground.rules, seat, search, model, memory=bot.memory, **settings)
        agent.log.extend((f"p = {p:g}, {p_from}", f"steps: {BY_DECISION}"))
        if bot.seconds is not None:
            warm(agent, bot.memory)
        return agent

    def _search(self, bot: SearchBot, p: float) -> Search:
        value = _leaf(bot)
        if bot.expand == WAY and isinstance(value, ExactLeaf):
            raise InputError(
                f"{bot.head}: expand=way has no exact values; name a value function as in value=rollout:20"
            )
        limits = {"seconds": bot.seconds, "iterations": bot.iterations, "exploitability": bot.gap}
        stop: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
        if not {"iterations", "exploitability"} & set(stop):  # seconds are a limit, which need not be spent
            exact = isinstance(value, ExactLeaf) or bot.expand != WAY
            if exact:
                stop["exploitability"] = GAP * self.ground.compiled.span
            if not exact or value is not None:
                stop["iterations"] = ITERATIONS
        return Search(look_of(bot), p, alpha_of(bot), bot.solver or "cfr+", Stop(**stop))

    def _belief_agent(self, bot: SearchBot, value: SampledPortfolio) -> BeliefAgent:
        """ABD at p = 1 in a lazily expanded game."""
        head, game, depth = bot.head, self.ground.rules, (bot.method.look or LookAhead()).extent
        if not isinstance(game, FastGame):
            raise InputError(f"{game.name} is not written as rules, so it cannot be expanded lazily")
        if depth.levels is None:
            raise InputError(f"{head}: on the way with p = 1 the depth is a number of levels, not {depth}")
        given = str(bot.method)
        for key in ("solver", "gap", "iterations", "seconds", "gadget", "prior", "epsilon"):
            if getattr(bot, key, None) is not None or f",{key}=" in given:
                raise InputError(f"{head}: on the way with p = 1 nothing is solved by iterations, {key} does not apply")
        own = tuple(actor(game, source) for source in value.sources[self.seat])
        side = BeliefSide(game, self.seat, actor(game, bot.source), own)
        return BeliefAgent(
            side, depth.levels, value.samples, budget=bot.budget or _BUDGET, particles=bot.particles or _PARTICLES,
            seed=self.draws, name=head,
        )  # fmt: skip

    def safe(self, bot: SearchBot, greedy: Player) -> Player:
        if isinstance(greedy, CompiledSearch):
            return super().safe(bot, greedy)
        return self.search(replace(bot, method=Resolve(bot.method.look or LookAhead()), to=None))

    def response(self, bot: ResponseBot) -> StrategyAgent:
        return ListedAgent(self.computed(bot), self.draws, bot.head)

    def strategy(self, bot: StrategyBot) -> Player:
        ground, model = self.ground, bot.model
        if not ground.is_compiled and isinstance(ground.rules, FastGame):
            known = model.policy(ground.rules)
            if known is not None:
                return PolicyAgent(ground.rules, known, self.seat, self.draws)
        return ListedAgent(model.strategy(ground.compiled, self.seat, self.seed), self.draws, str(model))

    def study(self, bot: LearningBot) -> ListedStudy:
        game = self.ground.compiled
        if not game.lists_histories:
            raise InputError(f"learn plays games in memory, spots and whole hold'em, not {self.ground.rules.name}")
        if bot.iterations is not None:
            raise InputError("iterations of learn are for whole games of hold'em: in memory responses are exact")
        return ListedStudy(game, self.seat, opponent(game, bot.prior or "nash", 1 - self.seat, self.seed), bot)


def _leaf(bot: SearchBot) -> Value:
    """The value function of an agent's look-aheads."""
    assert bot.method.look is not None
    return bot.method.look.leaf


def warm(agent: ListedSearch, memory: float | None = None) -> None:
    """Compile or read the kernels of an agent's look-aheads before its first decision, outside of the player's clock: a
    temporary agent searches a first decision of the game and one after it, by one iteration each and few samples."""
    value, seat, few = agent.search.value, agent.seat, {}
    if hasattr(value, "samples"):
        few = {"samples": 1, "keep": False, "workers": 1} if hasattr(value, "keep") else {"samples": 1}
    brief = replace(value, **few) if few else value  # type: ignore[type-var]
    search = replace(agent.search.looking(leaf=brief), stop=Stop(iterations=1))
    trial: ListedSearch
    if isinstance(agent, CompiledSearch):
        trial = CompiledSearch(agent.game, seat, search, agent.chain.model)
        labels = agent.game.trees[seat].labels
        number = {lane: text for text, lane in zip(labels.infosets, labels.lanes, strict=True)}
        found = {decision.before is None: number[int(decision.lanes[0])] for decision in reversed(trial.among())}
        texts = [found[first] for first in (True, False) if first in found]
    else:
        trial = ExpandingSearch(agent.game.rules, seat, search, agent.model, memory=memory)
        texts = _first_infoset(agent.game.rules, seat)
    for text in texts:
        try:
            trial.policy(text)
        except InputError:  # the agent will say so when it comes there
            return


def _first_infoset(rules: Game, seat: int) -> list[str]:
    """The infoset of a first decision of a seat, if it has one on the first path through the game."""
    state = rules.root()
    while (who := rules.player(state)) != seat:
        if who == TERMINAL:
            return []
        actions = list(rules.actions(state))
        odds = list(rules.chance(state)) if who == CHANCE else [1.0]
        state = rules.child(state, actions[next(k for k, p in enumerate(odds) if p > 0.0)])
    return [rules.infoset(state, seat)]


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
        agent = SpotSearch(game, self.seat, search, model, seed=self.draws, name=bot.head)
        steps = BY_DECISION if agent.chain.by_part else BY_LEVEL
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

    def response(self, bot: ResponseBot) -> StrategyAgent:
        return SpotAgent(self.game, self.computed(bot), self.draws, bot.head)

    def strategy(self, bot: StrategyBot) -> StrategyAgent:
        strategy: Strategy = opponent(self.game, bot.model, self.seat, self.seed)
        return SpotAgent(self.game, strategy, self.draws, str(bot.model))

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
    agent = SpotSearch(toy, seat, known, opponent(toy, "uniform", 1 - seat))
    for path in ("| AcKc", "x x 2c | AcKc") if seat == 0 else ("x | JcTc", "x x 2c x | JcTc"):
        agent.policy(path)
