"""Agents that compute, from the options of their texts: those that search while they play, and those that did before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterplay.agents.agent import Agent, StrategyAgent
from counterplay.agents.continual import ContinualAgent, Source
from counterplay.agents.growing import Growing
from counterplay.agents.informed import InformedAgent
from counterplay.agents.sight import Whole
from counterplay.agents.words import Options, only, read_choice, read_number, read_probability, read_whole
from counterplay.errors import InputError
from counterplay.games.rules import FastGame
from counterplay.opponents.acting import actor
from counterplay.opponents.opponent import opponent
from counterplay.resolving.portfolio import Portfolio
from counterplay.resolving.priors import NONE, prior_of
from counterplay.resolving.sampled import Sampled
from counterplay.resolving.search import Search, value_function
from counterplay.resolving.tremble import Tremble
from counterplay.resolving.unfolded import Side
from counterplay.responses.dial import p_from_bound
from counterplay.responses.methods import ABD, METHODS, checked
from counterplay.responses.respond import respond
from counterplay.solvers.cfr import Stop
from counterplay.solvers.equilibrium import equilibrium
from counterplay.subgames.levels import Depth
from counterplay.treeplex.strategy import Strategy

if TYPE_CHECKING:
    from counterplay.agents.table import Ground

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
_YES = {"yes": True, "no": False}


class CoinAgent:
    """Before every hand a coin decides which of two agents plays it.

    Args:
        greedy: plays with probability p.
        safe: plays else.
        p: that probability.
        seed: of the coin.
    """

    def __init__(self, greedy: Agent, safe: Agent, p: float, seed: int) -> None:
        self.seat, self.name = greedy.seat, "cdbr-ne"
        self._both, self._p, self._coin = (greedy, safe), p, random.Random(seed)
        self._now = safe

    def new_hand(self) -> None:
        """Throw the coin."""
        self._now = self._both[0 if self._coin.random() < self._p else 1]
        self._now.new_hand()

    def act(self, observation: str, legal: Sequence[str] | None = None) -> str:
        """What the agent of this hand does."""
        return self._now.act(observation, legal)


def continual(
    head: str, ground: Ground, seat: int, options: Options, seed: int, draws: int
) -> ContinualAgent | InformedAgent:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, searching while it plays.

    Raises:
        InputError: an option that there is none of, or that does not fit.
    """
    known = (*_SEARCH, *(_BELIEF if head == ABD else ()), *{"resolve": (), "ses": _TILT}.get(head, _TRUST))
    only(head, options, tuple(key for key in known if key not in _GADGET or METHODS[head].gadget))
    source = options.get("to")
    if head != "resolve" and source is None:
        raise InputError(f"{head} needs a model of the opponent, as in {head}:depth=1,to=uniform")
    p, p_from = trust_of(head, ground, seat, options, seed)
    memory = read_number(head, "memory", options["memory"]) if "memory" in options else None
    if "expand" not in options and isinstance(value_function(options.get("value")), Sampled) and not ground.fits:
        options = {**options, "expand": "way"}
    search = _search(head, ground, options, p)
    whole = search.value is None or options.get("expand", "whole") == "whole"
    if not whole and p == 1.0 and isinstance(search.value, Sampled):
        return _informed(head, ground, seat, options, search.value, draws)
    sight = Whole(ground.compiled, seat, search) if whole else Growing(ground.rules, seat, search, memory)
    model: Source = source
    if whole and source is not None:
        model = opponent(ground.compiled, source, 1 - seat, seed)
    remember = read_choice(head, "remember", options.get("remember", "yes"), _YES)
    agent = ContinualAgent(sight, model, seed=draws, remember=remember, name=head)
    agent.log.append(f"p = {p:g}, {p_from}")
    return agent


def _informed(head: str, ground: Ground, seat: int, options: Options, value: Sampled, draws: int) -> InformedAgent:
    """ABD at p = 1 in a game that is expanded on the way."""
    game, depth = ground.rules, Depth.of(options.get("depth", "1"))
    if not isinstance(game, FastGame):
        raise InputError(f"{game.name} is not written as rules, so that it cannot be expanded on the way")
    if depth.levels is None:
        raise InputError(f"{head}: on the way with p = 1 the depth is a number of levels, not {depth}")
    for key in ("solver", "gap", "iterations", "seconds", "gadget", "prior", "epsilon"):
        if key in options:
            raise InputError(f"{head}: on the way with p = 1 nothing is solved by iterations, {key} does not apply")
    own = tuple(actor(game, source) for source in value.sources[seat])
    numbers = {key: read_whole(head, key, options.get(key, str(usual))) for key, usual in _BELIEF.items()}
    if not all(numbers.values()):
        raise InputError(f"{head}: budget and particles must be at least 1")
    side = Side(game, seat, actor(game, options["to"]), own)
    return InformedAgent(side, depth.levels, value.samples, **numbers, seed=draws, name=head)


def coin(head: str, ground: Ground, seat: int, options: Options, seed: int, draws: int) -> CoinAgent:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    only(head, options, (*_SEARCH, "p", "to"))
    if "p" not in options:
        raise InputError(f"{head} needs p, as in {head}:p=0.5,depth=1,to=uniform")
    rest = {key: value for key, value in options.items() if key != "p"}
    greedy = continual("cdbr", ground, seat, rest, seed, draws)
    safe: Agent
    if isinstance(greedy, ContinualAgent) and isinstance(greedy.sight, Whole):
        tree = ground.compiled
        safe = StrategyAgent(Strategy.from_plan(tree.trees[seat], equilibrium(tree.subgame).plans[seat]), draws, "nash")
    else:
        fair = {key: value for key, value in rest.items() if key not in _TRUST}
        safe = continual("resolve", ground, seat, fair, seed, draws)
    return CoinAgent(greedy, safe, read_probability(head, options["p"]), draws)


def computed(head: str, ground: Ground, seat: int, options: Options, seed: int, draws: int) -> StrategyAgent:
    """Any other method of `respond`: its whole strategy, computed before the match."""
    return StrategyAgent(answered(head, ground.compiled, seat, options, seed), draws, head)


def answered(head: str, game: Any, seat: int, options: Options, seed: int) -> Strategy:
    """What `respond` says to the options of a text."""
    only(head, options, ("p", "max_exploitability", "to"))
    if "to" not in options:
        raise InputError(f"{head} needs a model of the opponent, as in {head}:to=uniform")
    p = read_number(head, "p", options["p"]) if "p" in options else None
    most: Any = options.get("max_exploitability")
    if most is not None and not most.endswith("%"):
        most = read_number(head, "max_exploitability", most)
    return respond(
        game, opponent(game, options["to"], 1 - seat, seed), method=head, p=p, max_exploitability=most
    ).strategy


def _search(head: str, ground: Ground, options: Options, p: float) -> Search:
    expand = options.get("expand", "whole")
    if expand not in ("whole", "way"):
        raise InputError(f"{head}: expand is 'whole' (the game in memory) or 'way' (what the agent comes to)")
    value = value_function(options.get("value"))
    if head == ABD and not isinstance(value, Portfolio):
        raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
    if expand == "way" and value is None:
        raise InputError(f"{head}: expanded on the way, exact values are not known; name one as in value=rollout:20")
    solver = options.get("solver", "cfr+")
    stop: dict[str, Any] = {}
    for key in ("seconds", "gap"):
        if key in options:
            stop[key if key == "seconds" else "exploitability"] = read_number(head, key, options[key])
    if "iterations" in options:
        stop["iterations"] = read_whole(head, "iterations", options["iterations"])
    if not stop:
        exact = value is None or expand == "whole"
        stop = {"exploitability": GAP * ground.compiled.span} if exact else {"iterations": ITERATIONS}
        if exact and value is not None:
            stop["iterations"] = ITERATIONS
    gadget = options.get("gadget", METHODS[head].gadget or "full")
    depth = Depth.of(options.get("depth", "1"))
    return Search(depth, p, gadget, value, solver, Stop(**stop), tremble=tremble_of(head, options))


def tremble_of(head: str, options: Options) -> Tremble:
    """What the opponent is taken to do at the gadget's decisions."""
    if head == "ses" and "alpha" not in options:
        raise InputError("ses needs alpha, as in ses:alpha=0.5,depth=2,to=uniform")
    alpha, epsilon = (read_number(head, key, options[key]) if key in options else None for key in ("alpha", "epsilon"))
    return Tremble(alpha or 0.0, prior_of(options.get("prior", NONE)), epsilon, normalised=bool(alpha))


def trust_of(head: str, ground: Ground, seat: int, options: Options, seed: int) -> tuple[float, str]:
    """p, and where it comes from."""
    if head not in ("cdrnr", "abd"):
        if "p" in options or "max_exploitability" in options:
            raise InputError(f"{head} takes neither p nor max_exploitability")
        return (1.0 if head == "cdbr" else 0.0), f"as {head} has it"
    if ("p" in options) == ("max_exploitability" in options):
        raise InputError(f"{head} needs either p or max_exploitability, as in {head}:p=0.5,depth=1,to=uniform")
    if "p" in options:
        return read_probability(head, options["p"]), "given"
    most = read_number(head, "max_exploitability", options["max_exploitability"])
    if options.get("expand") == "way" or "gain" in options:
        if "gain" not in options:
            raise InputError(
                f"{head}: expanded on the way, p comes from a bound, which needs the largest gain: gain=CHIPS"
            )
        p = p_from_bound(most, read_number(head, "gain", options["gain"]))
        return p, f"from the bound exploitability ≤ gain · p / (1 - p) with a gain of at most {options['gain']}"
    tree = ground.compiled
    model = opponent(tree, options["to"], 1 - seat, seed)
    words: dict[str, Any] = {key: options[key] for key in ("gadget", "value", "prior") if key in options}
    if "epsilon" in options:
        words["epsilon"] = read_number(head, "epsilon", options["epsilon"])
    depth = options.get("depth", "1")
    checked(head, None, most, depth, **words)
    answer = respond(tree, model, method=head, max_exploitability=most, depth=depth, solve="per-state", **words)
    return float(answer.p or 0.0), "by bisection over measured exploitability"
