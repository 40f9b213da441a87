"""A game to play, and agents made of records: the common part of all worlds, each of which says how it searches,
responds and learns; and agents of games by histories, in memory as a whole or expanded on the way, and of spots, solved
street by street."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from counterplay.agents.agent import (
    CoinAgent,
    ContinualAgent,
    Player,
    PolicyAgent,
    StrategyAgent,
    SwitchingAgent,
    UniformAgent,
)
from counterplay.agents.learning.learning_agent import LearningAgent, Study
from counterplay.agents.learning.studies import ListedStudy, SpotStudy
from counterplay.agents.records import (
    AGENTS,
    GIFTS,
    OF_LISTED_GAMES,
    OF_WHOLE_GAMES,
    WAY,
    AgentRecord,
    LearningBot,
    ResponseBot,
    SearchBot,
    StrategyBot,
    SwitchingBot,
)
from counterplay.agents.worlds.belief import BeliefAgent
from counterplay.agents.worlds.expanding import ExpandingSearch
from counterplay.agents.worlds.histories import CompiledSearch, ListedAgent, ListedSearch
from counterplay.agents.worlds.spot import SpotAgent, SpotSearch, spot_game_of
from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL, Game
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.histories import TooLargeError
from counterplay.gametree.compile.load import load
from counterplay.lookahead.belief_search import BeliefSide
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, PER_STATE, LookAhead, Search
from counterplay.opponents.opponent import actor, opponent
from counterplay.opponents.reference_players import Nash, Uniform
from counterplay.poker.spots.load import find_game, spot_of
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.responses.method import ALPHA, P, risk_in_chips
from counterplay.responses.methods import ABD, CDBR, CDBRNE, DBR, RNR, Resolve, p_from_bound
from counterplay.responses.respond import Answer, check_raked, respond
from counterplay.solvers.cfr import Stop
from counterplay.strategies.strategy_makers import spot_reference
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.leaf_value import ExactLeaf
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.sampled_portfolio import SampledPortfolio


@dataclass(frozen=True, eq=False)
class PlayableGame:
    """A game to play; it is compiled on first use, if at all. source: anything that `load` takes, or a compiled game; a
    spot of hold'em, solved or not, or its file. memory: limit in GiB of the compiled game; half of the machine's by
    default."""

    source: Any
    memory: float | None = None

    @property
    def bytes(self) -> float | None:
        """The limit in bytes."""
        return None if self.memory is None else self.memory * 2**30

    @cached_property
    def spot(self) -> SpotGame | None:
        """The spot of hold'em; None in other games."""
        return as_spot_game(spot_of(self.source, self.bytes), self.bytes)  # type: ignore[no-any-return]

    @cached_property
    def rules(self) -> Game:
        """The rules by which hands are played."""
        return find_game(self.source) if self.spot is None else self.spot.rules

    @cached_property
    def compiled(self) -> Any:
        """The whole game in memory, a `GameTree` or a `SpotGame`; refused if it does not fit, or is malformed."""
        return load(self.source, memory=self.memory) if self.spot is None else self.spot

    @cached_property
    def fits(self) -> bool:
        """Return whether the whole game fits in memory."""
        try:
            game = load(self.source, memory=self.memory, say=lambda _: None)
        except TooLargeError:
            return False
        self.__dict__["compiled"] = game  # what `compiled` would find
        return True


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
        if bot.expand is None and getattr(look_of(bot).leaf, "on_way", False) and not ground.fits:
            bot = replace(bot, expand=WAY)
        p, p_from = self.trust(bot)
        search = self._search(bot, p)
        whole = search.exact or bot.expand != WAY
        if not whole and p == 1.0 and isinstance(search.value, SampledPortfolio):  # ABD at p = 1, expanded on the way
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
        value = look_of(bot).leaf
        if bot.expand == WAY and isinstance(value, ExactLeaf):
            raise InputError(f"{bot.head}: expand=way has no exact values; name a value function as in leaf=rollout:20")
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
        if not hasattr(ground.source, "trees") and isinstance(ground.rules, FastGame):  # given as rules
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
        texts, rules = list[str](), agent.game.rules
        state = rules.root()
        while (who := rules.player(state)) not in (seat, TERMINAL):  # on the first path through the game
            actions = list(rules.actions(state))
            odds = list(rules.chance(state)) if who == CHANCE else [1.0]
            state = rules.child(state, actions[next(k for k, p in enumerate(odds) if p > 0.0)])
        if who == seat:
            texts.append(rules.infoset(state, seat))
    for text in texts:
        try:
            trial.policy(text)
        except InputError:  # the agent will say so when it comes there
            return


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
        if bot.seconds is not None:  # so that compilation and reading from disk take none of the first decision's time
            toy = spot_game_of(Spot("Ks 8h 8d 4c", "AcKc,QhJh", "QdQs,JcTc", 10, 10, "a", raises=1))  # type: ignore[arg-type]
            known = search.looking(leaf=None) if isinstance(search.value, Portfolio) else search
            trial = SpotSearch(toy, self.seat, known, opponent(toy, "uniform", 1 - self.seat))
            for path in ("x | JcTc", "x x 2c x | JcTc") if self.seat else ("| AcKc", "x x 2c | AcKc"):
                trial.policy(path)
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
