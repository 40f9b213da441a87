"""Agents of spots of hold'em, from the same texts as elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.search_agents import CoinAgent, alpha_of, look_of, response_of, trust_of
from counterplay.agents.player import Player
from counterplay.agents.response_bot import ResponseBot
from counterplay.agents.search_bot import SearchBot
from counterplay.agents.spot_agents import SearchingPlayer, StrategyPlayer
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, LookAhead, Search
from counterplay.opponents.nash import Nash
from counterplay.opponents.opponent import opponent
from counterplay.poker.spots.solution import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.responses.cdbr import CDBR
from counterplay.responses.worlds import check_raked
from counterplay.solvers.cfr import Stop
from counterplay.treeplex.strategy import Strategy

_ROUND = "round"
_WAYS = ("expand", "memory", "remember", "budget", "particles")
"""Options of enumerated games only."""


def make_search_agent(
    bot: SearchBot, ground: PlayableGame, game: SpotGame, seat: int, seed: int, draws: int
) -> SearchingPlayer:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, each street solved when it is reached.

    Raises:
        InputError: unknown or invalid option.
    """
    check_raked(type(bot.method), game.rake)
    bot.refuse(*_WAYS)
    p, p_from = trust_of(bot, ground, seat, seed, _ROUND)
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
    return Search(look_of(bot, _ROUND), p, alpha_of(bot), solver, stop)


def _warm(search: Search, seat: int) -> None:
    """Search a toy spot, so that compilation and reading from disk do not use up the first decision's time."""
    toy: SpotGame = as_spot_game(Spot("Ks 8h 8d 4c", "AcKc,QhJh", "QdQs,JcTc", 10, 10, "a", raises=1))  # type: ignore[arg-type]
    known = search.looking(leaf=None) if isinstance(search.value, Portfolio) else search
    player = SearchingPlayer(toy, seat, known, opponent(toy, "uniform", 1 - seat))
    for path in ("| AcKc", "x x 2c | AcKc") if seat == 0 else ("x | JcTc", "x x 2c x | JcTc"):
        player.policy(path)


def make_mixed_agent(bot: SearchBot, ground: PlayableGame, game: SpotGame, seat: int, seed: int, draws: int) -> Player:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    greedy = make_search_agent(
        replace(bot, method=CDBR(bot.method.look or LookAhead())), ground, game, seat, seed, draws
    )
    safe = make_fixed_agent(game, Nash(), seat, seed, draws)
    return CoinAgent(greedy, safe, bot.method.trust or 0.0, draws)


def make_computed_agent(bot: ResponseBot, game: SpotGame, seat: int, seed: int, draws: int) -> StrategyPlayer:
    """Any other method of `respond`: its whole strategy, computed before the match."""
    return StrategyPlayer(game, response_of(bot, game, seat, seed), draws, bot.head)


def make_fixed_agent(game: SpotGame, model: Any, seat: int, seed: int, draws: int) -> StrategyPlayer:
    """An opponent's model as an agent."""
    found: Strategy = opponent(game, model, seat, seed)
    return StrategyPlayer(game, found, draws, str(model))
