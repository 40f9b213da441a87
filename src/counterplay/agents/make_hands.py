"""Agents of spots of hold'em, from the same texts as elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.agents.agent import Agent
from counterplay.agents.hands import SearchingPlayer, StrategyPlayer
from counterplay.agents.make import CoinAgent, answered, tremble_of, trust_of
from counterplay.agents.words import Options, only, read_number, read_probability, read_whole
from counterplay.errors import InputError
from counterplay.opponents.opponent import opponent
from counterplay.poker.ranged import Ranged
from counterplay.resolving.portfolio import Portfolio
from counterplay.resolving.search import Search, value_function
from counterplay.responses.methods import ABD, METHODS
from counterplay.solvers.cfr import Stop
from counterplay.subgames.levels import Depth
from counterplay.treeplex.strategy import Strategy

if TYPE_CHECKING:
    from counterplay.agents.table import Ground

_ROUND = "round"
_MINIMISER = "dcfr:1.5,0,4"
_GADGET = ("gadget", "prior", "epsilon")
_SEARCH = ("depth", *_GADGET, "value", "solver", "seconds", "iterations", "gap")
_TRUST = {"resolve": (), "ses": ("alpha", "to"), "cdbr": ("to",)}


def searching(
    head: str, ground: Ground, game: Ranged, seat: int, options: Options, seed: int, draws: int
) -> SearchingPlayer:
    """`cdbr`, `cdrnr`, `abd`, `resolve` or `ses`, each street solved on coming to it.

    Raises:
        InputError: an option that there is none of, or that does not fit.
    """
    known = (*_SEARCH, *_TRUST.get(head, ("p", "max_exploitability", "gain", "to")))
    only(head, options, tuple(key for key in known if key not in _GADGET or METHODS[head].gadget))
    if head != "resolve" and "to" not in options:
        raise InputError(f"{head} needs a model of the opponent, as in {head}:to=uniform")
    asked = {"depth": _ROUND, **options}
    most = asked.get("max_exploitability", "")
    if most.endswith("%"):
        asked["max_exploitability"] = str(0.01 * read_number(head, "max_exploitability", most[:-1]) * game.pot)
    p, p_from = trust_of(head, ground, seat, asked, seed)
    model = opponent(game, asked["to"], 1 - seat, seed) if "to" in asked else None
    player = SearchingPlayer(game, seat, _search(head, game, asked, p), model, seed=draws, name=head)
    player.log.append(f"p = {p:g}, {p_from}")
    return player


def _search(head: str, game: Ranged, options: Options, p: float) -> Search:
    """How a street is solved: as exactly as the spot where nobody says otherwise, and in so many seconds at most."""
    value = value_function(options.get("value"))
    if head == ABD and not isinstance(value, Portfolio):
        raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
    limits = [key for key in ("seconds", "iterations", "gap") if key in options]
    numbers = {key: read_number(head, key, options[key]) for key in limits if key != "iterations"}
    if numbers.get("seconds") == 0.0:
        raise InputError(f"{head}: seconds must be above 0")
    most = read_whole(head, "iterations", options["iterations"]) if "iterations" in limits else 1 << 62
    stop = Stop(numbers.get("gap", game.fine), most, numbers.get("seconds", float("inf")))
    solver = options.get("solver") or (_MINIMISER if limits else game.solver)
    gadget = options.get("gadget", METHODS[head].gadget or "full")
    return Search(Depth.of(options["depth"]), p, gadget, value, solver, stop, tremble=tremble_of(head, options))


def coin(head: str, ground: Ground, game: Ranged, seat: int, options: Options, seed: int, draws: int) -> CoinAgent:
    """`cdbr-ne`: cdbr with probability p, else an equilibrium."""
    if "p" not in options:
        raise InputError(f"{head} needs p, as in {head}:p=0.5,to=uniform")
    rest = {key: text for key, text in options.items() if key != "p"}
    greedy = searching("cdbr", ground, game, seat, rest, seed, draws)
    safe = StrategyPlayer(game, opponent(game, "nash", seat), draws, "nash")
    return CoinAgent(greedy, safe, read_probability(head, options["p"]), draws)


def made(head: str, ground: Ground, game: Ranged, seat: int, options: Options, seed: int, draws: int) -> Agent:
    """Any agent that computes, by its head."""
    if head == "cdbr-ne":
        return coin(head, ground, game, seat, options, seed, draws)
    if METHODS[head].limited:
        return searching(head, ground, game, seat, options, seed, draws)
    return StrategyPlayer(game, answered(head, game, seat, options, seed), draws, head)


def fixed(game: Ranged, text: str, seat: int, seed: int, draws: int) -> StrategyPlayer:
    """An opponent's text as an agent."""
    found: Strategy = opponent(game, text, seat, seed)
    return StrategyPlayer(game, found, draws, text)
