"""Counter-strategies in two-player zero-sum games: win the most from a modelled opponent without becoming beatable.

    import counterplay as cp
    game = cp.load("leduc")
    model = cp.opponent(game, "cfr+:10", player=1)
    answer = cp.respond(game, model, max_exploitability=0.05)
    print(answer.gain, answer.exploitability)
    answer.strategy.save("counter.json")

Names are looked up when they are used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.agents.agent import Agent
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.factory.resume import resume
    from counterplay.agents.search_agent import ContinualAgent
    from counterplay.blueprints.refinement_check import refinement_gaps
    from counterplay.blueprints.report import Resolution
    from counterplay.blueprints.resolve import resolve
    from counterplay.games.game import CHANCE, TERMINAL, Game
    from counterplay.gametree.compile.compile import GameTree
    from counterplay.lookahead.leaf_error import ValueErrors, value_error
    from counterplay.measure.evaluate import Evaluation, evaluate
    from counterplay.measure.frontier import Point, frontier
    from counterplay.measure.match import MatchResult, match
    from counterplay.opponents.opponent import opponent
    from counterplay.poker.spots.load import load
    from counterplay.poker.spots.solution import SolvedSpot, solve_spot
    from counterplay.poker.spots.spot import Spot
    from counterplay.responses.answer import Answer
    from counterplay.responses.respond import respond
    from counterplay.solvers.cfr import Solution, Stop
    from counterplay.solvers.solve import solve
    from counterplay.subgames.gadgets import (
        FullGadget,
        Gadget,
        MaxMargin,
        ReachMaxMargin,
        Resolving,
        Unsafe,
    )
    from counterplay.treeplex.strategy import Strategy

    __version__: str

_HOME = {
    "Agent": "agents.agent",
    "Answer": "responses.answer",
    "CHANCE": "games.game",
    "ContinualAgent": "agents.search_agent",
    "Evaluation": "measure.evaluate",
    "FullGadget": "subgames.gadgets",
    "Gadget": "subgames.gadgets",
    "Game": "games.game",
    "GameTree": "gametree.compile.compile",
    "MatchResult": "measure.match",
    "MaxMargin": "subgames.gadgets",
    "Point": "measure.frontier",
    "ReachMaxMargin": "subgames.gadgets",
    "Resolution": "blueprints.report",
    "Resolving": "subgames.gadgets",
    "Solution": "solvers.cfr",
    "SolvedSpot": "poker.spots.solution",
    "Spot": "poker.spots.spot",
    "Stop": "solvers.cfr",
    "Strategy": "treeplex.strategy",
    "TERMINAL": "games.game",
    "Unsafe": "subgames.gadgets",
    "ValueErrors": "lookahead.leaf_error",
    "agent": "agents.factory.make_agent",
    "evaluate": "measure.evaluate",
    "frontier": "measure.frontier",
    "load": "poker.spots.load",
    "match": "measure.match",
    "opponent": "opponents.opponent",
    "refinement_gaps": "blueprints.refinement_check",
    "resolve": "blueprints.resolve",
    "respond": "responses.respond",
    "resume": "agents.factory.resume",
    "solve": "solvers.solve",
    "solve_spot": "poker.spots.solution",
    "value_error": "lookahead.leaf_error",
}

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Agent",
    "Answer",
    "ContinualAgent",
    "Evaluation",
    "FullGadget",
    "Gadget",
    "Game",
    "GameTree",
    "InputError",
    "MatchResult",
    "MaxMargin",
    "Point",
    "ReachMaxMargin",
    "Resolution",
    "Resolving",
    "Solution",
    "SolvedSpot",
    "Spot",
    "Stop",
    "Strategy",
    "Unsafe",
    "ValueErrors",
    "agent",
    "evaluate",
    "frontier",
    "load",
    "match",
    "opponent",
    "refinement_gaps",
    "resolve",
    "respond",
    "resume",
    "solve",
    "solve_spot",
    "value_error",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from counterplay.about import version

        return version()
    if name not in _HOME:
        raise AttributeError(f"module 'counterplay' has no attribute '{name}'")
    return getattr(importlib.import_module(f"counterplay.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
