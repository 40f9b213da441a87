"""Agents of spots of hold'em, from the same texts as elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from counterplay.agents.agent import UniformAgent
from counterplay.agents.factory.learning_agents import make_spot_learner
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.search_agents import CoinAgent, alpha_of, look_of, response_of, trust_of
from counterplay.agents.learning_bot import LearningBot
from counterplay.agents.player import Player
from counterplay.agents.record import AgentRecord
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_bot import OF_LISTED_GAMES, OF_WHOLE_GAMES, SearchBot
from counterplay.agents.spot_agents import SearchingPlayer, StrategyPlayer
from counterplay.agents.strategy_bot import StrategyBot
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, LookAhead, Search
from counterplay.opponents.opponent import opponent
from counterplay.opponents.reference_players import Nash, Uniform
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_conversion import as_spot_game
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.cdbr import CDBR
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.worlds import check_raked
from counterplay.solvers.cfr import Stop
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.portfolio import Portfolio


def make_search_agent(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> SearchingPlayer:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, each street solved on coming to it.

    Raises:
        InputError: unknown or invalid option.
    """
    game = _game(ground)
    check_raked(type(bot.method), game.rake)
    bot.refuse(*OF_LISTED_GAMES, *OF_WHOLE_GAMES)
    p, p_from = trust_of(bot, ground, seat, seed)
    model = None if bot.to is None else opponent(game, bot.source, 1 - seat, seed)
    search = _search(bot, game, p)
    if bot.seconds is not None:
        _warm(search, seat)
    player = SearchingPlayer(game, seat, search, model, seed=draws, name=bot.head)
    player.log.extend((f"p = {p:g}, {p_from}", f"steps: {BY_DECISION if player.chain.by_part else BY_LEVEL}"))
    return player


def _search(bot: SearchBot, game: SpotGame, p: float) -> Search:
    """The search of a street: by default with the spot's accuracy, and a time limit."""
    stop = Stop(
        game.fine if bot.gap is None else bot.gap,
        1 << 62 if bot.iterations is None else bot.iterations,
        float("inf") if bot.seconds is None else bot.seconds,
    )
    limited = any(limit is not None for limit in (bot.seconds, bot.iterations, bot.gap))
    solver = bot.solver or (METHOD if limited else game.solver)
    return Search(look_of(bot), p, alpha_of(bot), solver, stop)


def _warm(search: Search, seat: int) -> None:
    """Search a toy spot, so that compilation and reading from disk do not use up the first decision's time."""
    toy: SpotGame = as_spot_game(Spot("Ks 8h 8d 4c", "AcKc,QhJh", "QdQs,JcTc", 10, 10, "a", raises=1))  # type: ignore[arg-type]
    known = search.looking(leaf=None) if isinstance(search.value, Portfolio) else search
    player = SearchingPlayer(toy, seat, known, opponent(toy, "uniform", 1 - seat))
    for path in ("| AcKc", "x x 2c | AcKc") if seat == 0 else ("x | JcTc", "x x 2c x | JcTc"):
        player.policy(path)


def make_mixed_agent(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    greedy = make_search_agent(replace(bot, method=CDBR(bot.method.look or LookAhead())), ground, seat, seed, draws)
    safe = make_fixed_agent(StrategyBot(Nash()), ground, seat, seed, draws)
    return CoinAgent(greedy, safe, bot.method.trust or 0.0, draws)


def make_computed_agent(bot: ResponseBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> StrategyPlayer:
    """Any other method of `respond`: its whole strategy, computed before the match."""
    game = _game(ground)
    return StrategyPlayer(game, response_of(bot, game, seat, seed), draws, bot.head)


def make_fixed_agent(bot: StrategyBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    """An opponent's model as an agent."""
    if isinstance(bot.model, Uniform):
        return UniformAgent(seat, draws)
    game = _game(ground)
    found: Strategy = opponent(game, bot.model, seat, seed)
    return StrategyPlayer(game, found, draws, str(bot.model))


def _search_or_mixed(bot: SearchBot, ground: PlayableGame, seat: int, seed: int, draws: int) -> Player:
    make = make_mixed_agent if isinstance(bot.method, CDBRNE) else make_search_agent
    return make(bot, ground, seat, seed, draws)


MAKERS: dict[type[AgentRecord], Callable[..., Player]] = {
    SearchBot: _search_or_mixed,
    ResponseBot: make_computed_agent,
    StrategyBot: make_fixed_agent,
    LearningBot: make_spot_learner,
}
"""What makes a player of a record (see `make_agent.AgentFactory`)."""


def _game(ground: PlayableGame) -> SpotGame:
    assert ground.spot is not None
    return ground.spot
