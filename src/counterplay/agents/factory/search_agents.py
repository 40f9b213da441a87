"""Agents that compute, from the options of their texts: those that search while they play, and those that did before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from counterplay.agents.agent import StrategyAgent
from counterplay.agents.belief_agent import BeliefAgent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.options import Options
from counterplay.agents.player import Player, Source
from counterplay.agents.position.compiled import CompiledTracker
from counterplay.agents.position.expanding import ExpandingTracker
from counterplay.agents.search_agent import ContinualAgent
from counterplay.agents.warm import warm
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.levels import Depth
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.leaf_values.sampled_portfolio import SampledPortfolio
from counterplay.leaf_values.value_function import Value, value_function
from counterplay.lookahead.belief_search import BeliefSide
from counterplay.lookahead.priors import NONE
from counterplay.lookahead.search import BY_DECISION, LookAhead, Search
from counterplay.lookahead.tremble import share_of
from counterplay.opponents.opponent import actor, opponent
from counterplay.responses import METHODS
from counterplay.responses.abd import ABD
from counterplay.responses.answer import Answer
from counterplay.responses.method_options import method_of
from counterplay.responses.respond import respond
from counterplay.responses.risk_search import p_from_bound
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium
from counterplay.treeplex.strategy import Strategy

GAP = 1e-3
"""How exactly an agent solves a look-ahead by default: share of the span of payoffs."""
ITERATIONS = 500
"""How long it does so where that cannot be known: in a game expanded on the way."""
_GADGET = ("gadget", "prior", "epsilon")
_SEARCH = ("depth", *_GADGET, "value", "solver", "seconds", "iterations", "gap", "expand", "memory", "remember")
_BELIEF = {"budget": 8_000_000, "particles": 2000}
"""Options on the way with p = 1: moves of a decision's random games, and states that the belief holds."""
_TRUST = ("p", "max_exploitability", "gain", "to")
_TILT = ("alpha", "to")


class CoinAgent(Player):
    """Before every hand a coin decides which of two agents plays it.

    Args:
        greedy: plays with probability p.
        safe: plays else.
        p: that probability.
        seed: of the coin.
    """

    def __init__(self, greedy: Player, safe: Player, p: float, seed: int) -> None:
        super().__init__(greedy.seat, "cdbr-ne")
        self._both, self._p, self._coin = (greedy, safe), p, random.Random(seed)
        self._now = safe

    def new_hand(self) -> None:
        """Throw the coin."""
        self._now = self._both[0 if self._coin.random() < self._p else 1]
        self._now.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """What the agent of this hand does."""
        return self._now.act(observation, legal)

    def policy(self, observation: str) -> dict[str, float]:
        """That of the agent who plays this hand."""
        return self._now.policy(observation)

    def belief(self, observation: str) -> dict[str, float]:
        """That of the agent who plays this hand, if it has one."""
        return self._now.belief(observation)

    @property
    def model(self) -> Source:
        """The model that the greedy agent answers."""
        return self._both[0].model

    @model.setter
    def model(self, source: Source) -> None:
        self._both[0].model = source

    @property
    def p(self) -> float:
        """The weight of the coin; another one counts from the next hand on."""
        return self._p

    @p.setter
    def p(self, p: float) -> None:
        self._p = share_of("p", p)


def make_search_agent(
    options: Options, ground: PlayableGame, seat: int, seed: int, draws: int
) -> ContinualAgent | BeliefAgent:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, searching while it plays.

    Raises:
        InputError: an option that there is none of, or that does not fit.
    """
    head = options.head
    known = (*_SEARCH, *(_BELIEF if head == ABD.HEAD else ()), *{"resolve": (), "ses": _TILT}.get(head, _TRUST))
    options.allow(tuple(key for key in known if key not in _GADGET or METHODS[head].GADGET))
    source = None if head == "resolve" else options.model()
    p, p_from = trust_of(options, ground, seat, seed)
    if (
        "expand" not in options
        and isinstance(value_function(options.given.get("value")), SampledPortfolio)
        and not ground.fits
    ):
        options = options.but(expand="way")
    search = _search(options, ground, p)
    whole = search.value is None or options.text("expand", "whole") == "whole"
    if not whole and p == 1.0 and isinstance(search.value, SampledPortfolio):
        return _informed(options, ground, seat, search.value, draws)
    memory = options.number("memory")
    sight = (
        CompiledTracker(ground.compiled, seat, search)
        if whole
        else ExpandingTracker(ground.rules, seat, search, memory)
    )
    model: Source = source
    if whole and source is not None:
        model = opponent(ground.compiled, source, 1 - seat, seed)
    remember = options.one_of("remember", ("yes", "no"), "yes") == "yes"
    agent = ContinualAgent(sight, model, seed=draws, remember=remember, name=head)
    agent.log.extend((f"p = {p:g}, {p_from}", f"steps: {BY_DECISION}"))
    if "seconds" in options:
        warm(agent, memory)
    return agent


def _informed(options: Options, ground: PlayableGame, seat: int, value: SampledPortfolio, draws: int) -> BeliefAgent:
    """ABD at p = 1 in a game that is expanded on the way."""
    head, game, depth = options.head, ground.rules, Depth.of(options.text("depth", "1"))
    if not isinstance(game, FastGame):
        raise InputError(f"{game.name} is not written as rules, so that it cannot be expanded on the way")
    if depth.levels is None:
        raise InputError(f"{head}: on the way with p = 1 the depth is a number of levels, not {depth}")
    for key in ("solver", "gap", "iterations", "seconds", "gadget", "prior", "epsilon"):
        if key in options:
            raise InputError(f"{head}: on the way with p = 1 nothing is solved by iterations, {key} does not apply")
    own = tuple(actor(game, source) for source in value.sources[seat])
    numbers = {key: options.whole(key, usual, least=1) or usual for key, usual in _BELIEF.items()}
    side = BeliefSide(game, seat, actor(game, options.model()), own)
    return BeliefAgent(side, depth.levels, value.samples, **numbers, seed=draws, name=head)


def make_mixed_agent(options: Options, ground: PlayableGame, seat: int, seed: int, draws: int) -> CoinAgent:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    options.allow((*_SEARCH, "p", "to"))
    p, rest = options.share("p"), options.without("p")
    greedy = make_search_agent(replace(rest, head="cdbr"), ground, seat, seed, draws)
    safe: Player
    if isinstance(greedy, ContinualAgent) and isinstance(greedy.sight, CompiledTracker):
        tree = ground.compiled
        safe = StrategyAgent(Strategy.from_plan(tree.trees[seat], equilibrium(tree.subgame).plans[seat]), draws, "nash")
    else:
        safe = make_search_agent(replace(rest.without(*_TRUST), head="resolve"), ground, seat, seed, draws)
    return CoinAgent(greedy, safe, p, draws)


def make_computed_agent(options: Options, ground: PlayableGame, seat: int, seed: int, draws: int) -> StrategyAgent:
    """Any other method of `respond`: its whole strategy, computed before the match."""
    return StrategyAgent(respond_by_options(options, ground.compiled, seat, seed), draws, options.head)


def respond_by_options(options: Options, game: Any, seat: int, seed: int) -> Strategy:
    """What `respond` says to the options of a text."""
    options.allow(("p", "max_exploitability", "to"))
    model = opponent(game, options.model(), 1 - seat, seed)
    most: Any = options.given.get("max_exploitability")
    if most is not None and not most.endswith("%"):
        most = options.sure("max_exploitability")
    return whole(respond(game, model, method=options.head, p=options.number("p"), max_exploitability=most)).strategy


def whole(answer: Answer) -> Answer:
    """An answer that nobody cut short.

    Raises:
        KeyboardInterrupt: Ctrl-C did, which is meant for everything that is prepared.
    """
    if answer.interrupted:
        raise KeyboardInterrupt
    return answer


def _search(options: Options, ground: PlayableGame, p: float) -> Search:
    head, expand = options.head, options.text("expand", "whole")
    if expand not in ("whole", "way"):
        raise InputError(f"{head}: expand is 'whole' (the game in memory) or 'way' (what the agent comes to)")
    value = value_function(options.given.get("value"))
    if head == ABD.HEAD and not isinstance(value, Portfolio):
        raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
    if expand == "way" and value is None:
        raise InputError(f"{head}: expanded on the way, exact values are not known; name one as in value=rollout:20")
    solver = options.text("solver", "cfr+")
    limits = zip(("seconds", "iterations", "exploitability"), options.limits(), strict=True)
    stop: dict[str, Any] = {name: limit for name, limit in limits if limit is not None}
    if not {"iterations", "exploitability"} & set(stop):  # seconds are a limit, which need not be spent
        exact = value is None or expand == "whole"
        if exact:
            stop["exploitability"] = GAP * ground.compiled.span
        if not exact or value is not None:
            stop["iterations"] = ITERATIONS
    return Search(look_of(options, value), p, alpha_of(options), solver, Stop(**stop))


def look_of(options: Options, value: Value | None, usual: str = "1") -> LookAhead:
    """The look-ahead that is asked for. usual: its depth where nobody says."""
    depth, prior = options.text("depth", usual), options.text("prior", NONE)
    gadget = options.given.get("gadget") or METHODS[options.head].GADGET
    return LookAhead(depth, value, gadget, prior, options.number("epsilon"))


def alpha_of(options: Options) -> float:
    """The exploitation level of SES; 0 for other methods."""
    return options.share("alpha") if options.head == "ses" else 0.0


def trust_of(options: Options, ground: PlayableGame, seat: int, seed: int) -> tuple[float, str]:
    """p, and where it comes from."""
    head = options.head
    if head not in ("cdrnr", "abd"):
        if "p" in options or "max_exploitability" in options:
            raise InputError(f"{head} takes neither p nor max_exploitability")
        return (1.0 if head == "cdbr" else 0.0), f"as {head} has it"
    if ("p" in options) == ("max_exploitability" in options):
        raise InputError(f"{head} needs either p or max_exploitability, as in {head}:p=0.5,depth=1,to=uniform")
    if "p" in options:
        return options.share("p"), "given"
    most = options.sure("max_exploitability")
    if options.text("expand", "whole") == "way" or "gain" in options:
        if "gain" not in options:
            raise InputError(
                f"{head}: expanded on the way, p comes from a bound, which needs the largest gain: gain=CHIPS"
            )
        p = p_from_bound(most, options.sure("gain"))
        return p, f"from the bound exploitability ≤ gain · p / (1 - p) with a gain of at most {options.given['gain']}"
    tree = ground.compiled
    model = opponent(tree, options.model(), 1 - seat, seed)
    words: dict[str, Any] = {key: options.given[key] for key in ("gadget", "value", "prior") if key in options}
    if "epsilon" in options:
        words["epsilon"] = options.sure("epsilon")
    depth = options.text("depth", "1")
    method = method_of(head, max_exploitability=most, depth=depth, solve="per-state", **words)
    answer = respond(tree, model, method)
    return float(whole(answer).p or 0.0), "by bisection over measured exploitability"
