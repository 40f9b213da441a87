"""Agents of spots of hold'em, from the same texts as elsewhere."""

from __future__ import annotations

from dataclasses import replace

from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.agents.factory.search_agents import CoinAgent, alpha_of, look_of, respond_by_options, trust_of
from counterplay.agents.options import Options
from counterplay.agents.player import Player
from counterplay.agents.spot_agents import SearchingPlayer, StrategyPlayer
from counterplay.errors import InputError
from counterplay.leaf_values.portfolio import Portfolio
from counterplay.leaf_values.value_function import value_function
from counterplay.lookahead.search import BY_DECISION, BY_LEVEL, Search
from counterplay.opponents.opponent import opponent
from counterplay.poker.spots.solution import METHOD
from counterplay.poker.spots.spot import Spot
from counterplay.poker.spots.spot_game import SpotGame, as_spot_game
from counterplay.responses import METHODS
from counterplay.responses.abd import ABD
from counterplay.responses.method import risk_in_chips
from counterplay.responses.respond import check_raked
from counterplay.solvers.cfr import Stop
from counterplay.treeplex.strategy import Strategy

_ROUND = "round"
_GADGET = ("gadget", "prior", "epsilon")
_SEARCH = ("depth", *_GADGET, "value", "solver", "seconds", "iterations", "gap")
_TRUST = {"resolve": (), "ses": ("alpha", "to"), "cdbr": ("to",)}


def make_search_agent(
    options: Options, ground: PlayableGame, game: SpotGame, seat: int, seed: int, draws: int
) -> SearchingPlayer:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, each street solved on coming to it.

    Raises:
        InputError: an option that there is none of, or that does not fit.
    """
    head = options.head
    check_raked(METHODS[head], game.rake)
    known = (*_SEARCH, *_TRUST.get(head, ("p", "max_exploitability", "gain", "to")))
    options.allow(tuple(key for key in known if key not in _GADGET or METHODS[head].GADGET))
    source = None if head == "resolve" else options.model()
    asked = Options(head, {"depth": _ROUND, **options.given})
    most = asked.text("max_exploitability", "")
    if most.endswith("%"):
        asked = asked.but(max_exploitability=str(risk_in_chips(most, game)))
    p, p_from = trust_of(asked, ground, seat, seed)
    model = None if source is None else opponent(game, source, 1 - seat, seed)
    search = _search(asked, game, p)
    if "seconds" in asked:
        _warm(search, seat)
    player = SearchingPlayer(game, seat, search, model, seed=draws, name=head)
    player.log.extend((f"p = {p:g}, {p_from}", f"steps: {BY_DECISION if player.chain.by_part else BY_LEVEL}"))
    return player


def _search(options: Options, game: SpotGame, p: float) -> Search:
    """How a street is solved: as exactly as the spot where nobody says otherwise, and in so many seconds at most."""
    value = value_function(options.given.get("value"))
    if options.head == ABD.HEAD and not isinstance(value, Portfolio):
        raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
    seconds, iterations, gap = options.limits()
    stop = Stop(
        game.fine if gap is None else gap,
        1 << 62 if iterations is None else iterations,
        float("inf") if seconds is None else seconds,
    )
    limited = any(key in options for key in ("seconds", "iterations", "gap"))
    solver = options.text("solver", METHOD if limited else game.solver)
    return Search(look_of(options, value, _ROUND), p, alpha_of(options), solver, stop)


def _warm(search: Search, seat: int) -> None:
    """Search a toy, so that what is compiled or read from disk at a first decision does not take its seconds."""
    toy: SpotGame = as_spot_game(Spot("Ks 8h 8d 4c", "AcKc,QhJh", "QdQs,JcTc", 10, 10, "a", raises=1))  # type: ignore[arg-type]
    known = search.looking(leaf=None) if isinstance(search.value, Portfolio) else search
    player = SearchingPlayer(toy, seat, known, opponent(toy, "uniform", 1 - seat))
    for path in ("| AcKc", "x x 2c | AcKc") if seat == 0 else ("x | JcTc", "x x 2c x | JcTc"):
        player.policy(path)


def make_spot_agent(options: Options, ground: PlayableGame, game: SpotGame, seat: int, seed: int, draws: int) -> Player:
    """Any agent that computes, by its head."""
    if options.head == "cdbr-ne":
        greedy = make_search_agent(replace(options.without("p"), head="cdbr"), ground, game, seat, seed, draws)
        return CoinAgent(greedy, make_fixed_agent(game, "nash", seat, seed, draws), options.share("p"), draws)
    if METHODS[options.head].looks_ahead():
        return make_search_agent(options, ground, game, seat, seed, draws)
    return StrategyPlayer(game, respond_by_options(options, game, seat, seed), draws, options.head)


def make_fixed_agent(game: SpotGame, text: str, seat: int, seed: int, draws: int) -> StrategyPlayer:
    """An opponent's text as an agent."""
    found: Strategy = opponent(game, text, seat, seed)
    return StrategyPlayer(game, found, draws, text)
