"""Agents that compute, from the options of their texts: during play, or before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from counterplay.agents.agent import StrategyAgent
from counterplay.agents.belief_agent import BeliefAgent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.player import Player, Source
from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_agent import ContinualAgent
from counterplay.agents.search_bot import OF_WHOLE_GAMES, WAY, SearchBot
from counterplay.agents.warm import warm
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.lookahead.belief_search import BeliefSide
from counterplay.lookahead.search import BY_DECISION, PER_STATE, LookAhead, Search
from counterplay.lookahead.tremble import share_of
from counterplay.opponents.opponent import actor, opponent
from counterplay.responses.answer import Answer
from counterplay.responses.look_ahead_methods import ABD, CDBR, Resolve
from counterplay.responses.matchup.risk_search import p_from_bound
from counterplay.responses.method import ALPHA, P, risk_in_chips
from counterplay.responses.respond import respond
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.leaf_value import ExactLeaf
from counterplay.value_functions.sampled_portfolio import SampledPortfolio
from counterplay.value_functions.value_function import Value

GAP = 1e-3
"""Default accuracy of an agent's look-aheads: a share of the span of payoffs."""
ITERATIONS = 500
"""Default time limit if the accuracy is unknown: in a lazily expanded game."""
_BUDGET, _PARTICLES = 8_000_000, 2000
"""Defaults of lazy expansion with p = 1: moves of a decision's random games, and states of the belief."""


class CoinAgent(Player):
    """A mixture of two agents, drawn before every hand.

    Args:
        greedy: the agent that plays with probability p.
        safe: the other agent.
        p: that probability.
        seed: seed of the draws.
    """

    def __init__(self, greedy: Player, safe: Player, p: float, seed: int) -> None:
        super().__init__(greedy.seat, "cdbr-ne")
        self._both, self._p, self._coin = (greedy, safe), p, random.Random(seed)
        self._now = safe

    def new_hand(self) -> None:
        """Draw the agent of the new hand."""
        self._now = self._both[0 if self._coin.random() < self._p else 1]
        self._now.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """The action of this hand's agent."""
        return self._now.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        """The policy of this hand's agent."""
        return self._now.policy(observation)

    def belief(self, observation: str) -> dict[str, float]:
        """The belief of this hand's agent, if it has one."""
        return self._now.belief(observation)

    @property
    def model(self) -> Source:
        """The model of the greedy agent."""
        return self._both[0].model

    @model.setter
    def model(self, source: Source) -> None:
        self._both[0].model = source

    @property
    def p(self) -> float:
        """The probability of the greedy agent; a new value applies from the next hand."""
        return self._p

    @p.setter
    def p(self, p: float) -> None:
        self._p = share_of("p", p)


def make_search_agent(
    bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int
) -> ContinualAgent | BeliefAgent:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, searching while it plays.

    Raises:
        InputError: an invalid option.
    """
    bot.refuse(*OF_WHOLE_GAMES, *(() if bot.head == ABD.HEAD else ("budget", "particles")))
    if bot.expand is None and getattr(_leaf(bot), "on_way", False) and not ground.fits:
        bot = replace(bot, expand=WAY)
    p, p_from = trust_of(bot, ground, seat, seed)
    search = _search(bot, ground, p)
    whole = search.exact or bot.expand != WAY
    if not whole and p == 1.0 and isinstance(search.value, SampledPortfolio):
        return _belief_agent(bot, ground, seat, search.value, draws)
    sight = (
        CompiledTracker(ground.compiled, seat, search)
        if whole
        else ExpandingTracker(ground.rules, seat, search, bot.memory)
    )
    model: Source = bot.source
    if whole and model is not None:
        model = opponent(ground.compiled, model, 1 - seat, seed)
    agent = ContinualAgent(sight, model, seed=draws, remember=bot.remember, name=bot.head)
    agent.log.extend((f"p = {p:g}, {p_from}", f"steps: {BY_DECISION}"))
    if bot.seconds is not None:
        warm(agent, bot.memory)
    return agent


def _leaf(bot: SearchBot) -> Value:
    """The value function of an agent's look-aheads."""
    assert bot.method.look is not None
    found: Value = bot.method.look.leaf
    return found


def _belief_agent(bot: SearchBot, ground: PlayableGame, seat: int, value: SampledPortfolio, draws: int) -> BeliefAgent:
    """ABD at p = 1 in a lazily expanded game."""
    head, game, depth = bot.head, ground.rules, Search(bot.method.look or LookAhead()).depth
    if not isinstance(game, FastGame):
        raise InputError(f"{game.name} is not written as rules, so it cannot be expanded lazily")
    if depth.levels is None:
        raise InputError(f"{head}: on the way with p = 1 the depth is a number of levels, not {depth}")
    given = str(bot.method)
    for key in ("solver", "gap", "iterations", "seconds", "gadget", "prior", "epsilon"):
        if getattr(bot, key, None) is not None or f",{key}=" in given:
            raise InputError(f"{head}: on the way with p = 1 nothing is solved by iterations, {key} does not apply")
    own = tuple(actor(game, source) for source in value.sources[seat])
    side = BeliefSide(game, seat, actor(game, bot.source), own)
    budget, particles = bot.budget or _BUDGET, bot.particles or _PARTICLES
    return BeliefAgent(side, depth.levels, value.samples, budget=budget, particles=particles, seed=draws, name=head)


def make_mixed_agent(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> CoinAgent:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    bot.refuse("gain")
    greedy = make_search_agent(replace(bot, method=CDBR(bot.method.look or LookAhead())), ground, seat, seed, draws)
    safe: Player
    if isinstance(greedy, ContinualAgent) and isinstance(greedy.sight, CompiledTracker):
        tree = ground.compiled
        safe = StrategyAgent(Strategy.from_plan(tree.trees[seat], equilibrium(tree.subgame).plans[seat]), draws, "nash")
    else:
        resolver = replace(bot, method=Resolve(bot.method.look or LookAhead()), to=None)
        safe = make_search_agent(resolver, ground, seat, seed, draws)
    return CoinAgent(greedy, safe, bot.method.trust or 0.0, draws)


def make_computed_agent(bot: ResponseBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> StrategyAgent:
    """Any other method of `respond`: its whole strategy, computed before the match."""
    return StrategyAgent(response_of(bot, ground.compiled, seat, seed), draws, bot.head)


def response_of(bot: ResponseBot, game: Any, seat: int, seed: int) -> Strategy:
    """The answer of `respond` for the method and the model."""
    return whole(respond(game, opponent(game, bot.source, 1 - seat, seed), bot.method)).strategy


def whole(answer: Answer) -> Answer:
    """An answer that was not interrupted.

    Raises:
        KeyboardInterrupt: Ctrl-C interrupted it, which ends all preparation.
    """
    if answer.interrupted:
        raise KeyboardInterrupt
    return answer


def _search(bot: SearchBot, ground: PlayableGame, p: float) -> Search:
    head, value = bot.head, _leaf(bot)
    if bot.expand == WAY and isinstance(value, ExactLeaf):
        raise InputError(f"{head}: expand=way has no exact values; name a value function as in value=rollout:20")
    limits = {"seconds": bot.seconds, "iterations": bot.iterations, "exploitability": bot.gap}
    stop: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
    if not {"iterations", "exploitability"} & set(stop):  # seconds are a limit, which need not be spent
        exact = isinstance(value, ExactLeaf) or bot.expand != WAY
        if exact:
            stop["exploitability"] = GAP * ground.compiled.span
        if not exact or value is not None:
            stop["iterations"] = ITERATIONS
    return Search(look_of(bot), p, alpha_of(bot), bot.solver or "cfr+", Stop(**stop))


def look_of(bot: SearchBot) -> LookAhead:
    """The requested look-ahead."""
    look = bot.method.look or LookAhead()
    gadget = bot.method.GADGET if look.gadget is None else look.gadget
    return replace(look, gadget=gadget, solve=PER_STATE)


def alpha_of(bot: SearchBot) -> float:
    """The exploitation level of SES; 0 for other methods."""
    return (bot.method.trust or 0.0) if bot.method.DIAL == ALPHA else 0.0


def trust_of(bot: SearchBot, ground: PlayableGame, seat: int, seed: int) -> tuple[float, str]:
    """p and its source."""
    method, head = bot.method, bot.head
    if method.DIAL != P:
        bot.refuse("gain")
        return (1.0 if isinstance(method, CDBR) else 0.0), f"as {head} has it"
    if method.trust is not None:
        return method.trust, "given"
    if bot.expand == WAY or bot.gain is not None:
        if bot.gain is None:
            raise InputError(f"{head}: with expand=way p comes from a bound, which needs the largest gain: gain=CHIPS")
        p = p_from_bound(risk_in_chips(method.most or 0.0, ground.rules), bot.gain)
        return p, f"from the bound exploitability ≤ gain · p / (1 - p) with a gain of at most {bot.gain:g}"
    tree = ground.compiled
    model = opponent(tree, bot.source, 1 - seat, seed)
    answer = respond(tree, model, replace(method, look=look_of(bot)))  # type: ignore[type-var]
    return float(whole(answer).p or 0.0), "by bisection over measured exploitability"
