"""Counter-strategies in two-player zero-sum games: win the most from a modelled opponent without becoming beatable.

    import counterplay as cp
    game = cp.load("leduc")
    model = cp.opponent(game, "cfr+:10", player=1)
    answer = cp.respond(game, model, max_exploitability=0.05)
    print(answer.gain, answer.exploitability)
    answer.strategy.save("counter.json")

Names are resolved on use, so that importing the package is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.agents.agent import Agent
    from counterplay.agents.factory.make_agent import agent
    from counterplay.agents.factory.resume import resume
    from counterplay.agents.response_bot import ResponseBot
    from counterplay.agents.search_agent import ContinualAgent
    from counterplay.agents.search_bot import SearchBot
    from counterplay.agents.strategy_bot import StrategyBot
    from counterplay.blueprints.refinement_check import refinement_gaps
    from counterplay.blueprints.report import Resolution
    from counterplay.blueprints.whole_game.resolve import resolve
    from counterplay.gadgets import FullGadget, Gadget, MaxMargin, PathGadget, ReachMaxMargin, Resolving, Unsafe
    from counterplay.games import GameSpec
    from counterplay.games.game import CHANCE, TERMINAL, Game
    from counterplay.gametree.compile.compile import GameTree
    from counterplay.lookahead.leaf_error import ValueErrors, value_error
    from counterplay.lookahead.search import LookAhead
    from counterplay.measure.board_values import BoardValue, evaluate_on_boards
    from counterplay.measure.evaluate import Evaluation, evaluate
    from counterplay.measure.flops.flop_frontier import FlopPoint, frontier_on_flops
    from counterplay.measure.flops.flop_measure import FlopMeasure
    from counterplay.measure.flops.flop_responses import FlopAnswer, respond_on_flops
    from counterplay.measure.flops.resolved_boards import ResolvedBoards, resolve_on_boards
    from counterplay.measure.frontier import frontier
    from counterplay.measure.frontier_point import Point
    from counterplay.measure.match import match
    from counterplay.measure.match_result import MatchResult
    from counterplay.measure.models.coverage import Coverage, coverage
    from counterplay.measure.models.misread import Misreading, misread
    from counterplay.measure.openspiel_bots import to_openspiel
    from counterplay.opponents.best_response import BestResponseTo
    from counterplay.opponents.bias import Bias
    from counterplay.opponents.checkpoint import Checkpoint
    from counterplay.opponents.counting.observed_hand import ObservedHand
    from counterplay.opponents.counting.posterior import Posterior
    from counterplay.opponents.counts import Counts
    from counterplay.opponents.game_player import GamePlayer
    from counterplay.opponents.hands_model import HandsModel
    from counterplay.opponents.incentive import Incentive
    from counterplay.opponents.learned_player import LearnedPlayer
    from counterplay.opponents.leduc_players import LeducPlayer
    from counterplay.opponents.locked import Locked
    from counterplay.opponents.model import OpponentModel
    from counterplay.opponents.nash import Nash
    from counterplay.opponents.noise import Noise
    from counterplay.opponents.observed import Observed
    from counterplay.opponents.opponent import opponent
    from counterplay.opponents.profile import Profile
    from counterplay.opponents.quantal_response import QuantalResponse
    from counterplay.opponents.random_strategy import Random
    from counterplay.opponents.shuffle import Shuffle
    from counterplay.opponents.strategy_file import StrategyFile
    from counterplay.opponents.trained_blueprint import TrainedBlueprint
    from counterplay.opponents.uniform import Uniform
    from counterplay.opponents.user_code import UserCode
    from counterplay.poker.spots.load import load
    from counterplay.poker.spots.rhode_island import RhodeIsland
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.solve_spot import solve_spot
    from counterplay.poker.spots.spot import Spot
    from counterplay.poker.whole_game.game_text import HoldemSpec
    from counterplay.responses.abd import ABD
    from counterplay.responses.answer import Answer
    from counterplay.responses.bne import BNE
    from counterplay.responses.br import BR
    from counterplay.responses.cdbr import CDBR
    from counterplay.responses.cdbr_ne import CDBRNE
    from counterplay.responses.cdrnr import CDRNR
    from counterplay.responses.dbr import DBR
    from counterplay.responses.lbr import LBR
    from counterplay.responses.mix import Mix
    from counterplay.responses.resolve import Resolve
    from counterplay.responses.respond import respond
    from counterplay.responses.rnr import RNR
    from counterplay.responses.safe import Safe
    from counterplay.responses.ses import SES
    from counterplay.solvers.cfr import Solution, Stop
    from counterplay.solvers.minimiser import Minimiser
    from counterplay.solvers.solve import solve
    from counterplay.treeplex.strategy import Strategy
    from counterplay.value_functions.equity import Equity
    from counterplay.value_functions.exact_leaf import ExactLeaf
    from counterplay.value_functions.network_value import NetworkValue
    from counterplay.value_functions.portfolio import Portfolio
    from counterplay.value_functions.rollouts import Rollouts
    from counterplay.value_functions.sampled_portfolio import SampledPortfolio
    from counterplay.value_functions.solved_value import SolvedValue

    __version__: str

_HOME = {
    "ABD": "responses.abd",
    "Agent": "agents.agent",
    "agent": "agents.factory.make_agent",
    "Answer": "responses.answer",
    "BestResponseTo": "opponents.best_response",
    "Bias": "opponents.bias",
    "HandsModel": "opponents.hands_model",
    "Profile": "opponents.profile",
    "Incentive": "opponents.incentive",
    "Locked": "opponents.locked",
    "BNE": "responses.bne",
    "BR": "responses.br",
    "CDBR": "responses.cdbr",
    "CDBRNE": "responses.cdbr_ne",
    "CDRNR": "responses.cdrnr",
    "CHANCE": "games.game",
    "Checkpoint": "opponents.checkpoint",
    "ContinualAgent": "agents.search_agent",
    "Counts": "opponents.counts",
    "Coverage": "measure.models.coverage",
    "coverage": "measure.models.coverage",
    "DBR": "responses.dbr",
    "Equity": "value_functions.equity",
    "ExactLeaf": "value_functions.exact_leaf",
    "BoardValue": "measure.board_values",
    "evaluate_on_boards": "measure.board_values",
    "PathGadget": "gadgets",
    "ResolvedBoards": "measure.flops.resolved_boards",
    "resolve_on_boards": "measure.flops.resolved_boards",
    "FlopMeasure": "measure.flops.flop_measure",
    "FlopPoint": "measure.flops.flop_frontier",
    "frontier_on_flops": "measure.flops.flop_frontier",
    "FlopAnswer": "measure.flops.flop_responses",
    "respond_on_flops": "measure.flops.flop_responses",
    "evaluate": "measure.evaluate",
    "Evaluation": "measure.evaluate",
    "frontier": "measure.frontier",
    "FullGadget": "gadgets",
    "Gadget": "gadgets",
    "Game": "games.game",
    "GameSpec": "games",
    "GamePlayer": "opponents.game_player",
    "GameTree": "gametree.compile.compile",
    "HoldemSpec": "poker.whole_game.game_text",
    "RhodeIsland": "poker.spots.rhode_island",
    "LBR": "responses.lbr",
    "LearnedPlayer": "opponents.learned_player",
    "LeducPlayer": "opponents.leduc_players",
    "load": "poker.spots.load",
    "LookAhead": "lookahead.search",
    "match": "measure.match",
    "MatchResult": "measure.match_result",
    "MaxMargin": "gadgets",
    "Minimiser": "solvers.minimiser",
    "Misreading": "measure.models.misread",
    "misread": "measure.models.misread",
    "Mix": "responses.mix",
    "Nash": "opponents.nash",
    "NetworkValue": "value_functions.network_value",
    "Noise": "opponents.noise",
    "Observed": "opponents.observed",
    "ObservedHand": "opponents.counting.observed_hand",
    "opponent": "opponents.opponent",
    "OpponentModel": "opponents.model",
    "Point": "measure.frontier_point",
    "Posterior": "opponents.counting.posterior",
    "Portfolio": "value_functions.portfolio",
    "QuantalResponse": "opponents.quantal_response",
    "Random": "opponents.random_strategy",
    "ReachMaxMargin": "gadgets",
    "refinement_gaps": "blueprints.refinement_check",
    "Resolution": "blueprints.report",
    "resolve": "blueprints.whole_game.resolve",
    "Resolve": "responses.resolve",
    "Resolving": "gadgets",
    "respond": "responses.respond",
    "ResponseBot": "agents.response_bot",
    "resume": "agents.factory.resume",
    "RNR": "responses.rnr",
    "Rollouts": "value_functions.rollouts",
    "Safe": "responses.safe",
    "SampledPortfolio": "value_functions.sampled_portfolio",
    "SearchBot": "agents.search_bot",
    "SES": "responses.ses",
    "Shuffle": "opponents.shuffle",
    "Solution": "solvers.cfr",
    "solve": "solvers.solve",
    "solve_spot": "poker.spots.solve_spot",
    "SolvedSpot": "poker.spots.solution",
    "SolvedValue": "value_functions.solved_value",
    "Spot": "poker.spots.spot",
    "Stop": "solvers.cfr",
    "Strategy": "treeplex.strategy",
    "StrategyBot": "agents.strategy_bot",
    "StrategyFile": "opponents.strategy_file",
    "TERMINAL": "games.game",
    "to_openspiel": "measure.openspiel_bots",
    "TrainedBlueprint": "opponents.trained_blueprint",
    "Uniform": "opponents.uniform",
    "Unsafe": "gadgets",
    "UserCode": "opponents.user_code",
    "value_error": "lookahead.leaf_error",
    "ValueErrors": "lookahead.leaf_error",
}

__all__ = [
    "ABD",
    "BNE",
    "BR",
    "CDBR",
    "CDBRNE",
    "CDRNR",
    "CHANCE",
    "DBR",
    "LBR",
    "RNR",
    "SES",
    "TERMINAL",
    "Agent",
    "Answer",
    "BestResponseTo",
    "Bias",
    "BoardValue",
    "Checkpoint",
    "ContinualAgent",
    "Counts",
    "Coverage",
    "Equity",
    "Evaluation",
    "ExactLeaf",
    "FlopAnswer",
    "FlopMeasure",
    "FlopPoint",
    "FullGadget",
    "Gadget",
    "Game",
    "GamePlayer",
    "GameSpec",
    "GameTree",
    "HandsModel",
    "HoldemSpec",
    "Incentive",
    "InputError",
    "LearnedPlayer",
    "LeducPlayer",
    "Locked",
    "LookAhead",
    "MatchResult",
    "MaxMargin",
    "Minimiser",
    "Misreading",
    "Mix",
    "Nash",
    "NetworkValue",
    "Noise",
    "Observed",
    "ObservedHand",
    "OpponentModel",
    "PathGadget",
    "Point",
    "Portfolio",
    "Posterior",
    "Profile",
    "QuantalResponse",
    "Random",
    "ReachMaxMargin",
    "Resolution",
    "Resolve",
    "ResolvedBoards",
    "Resolving",
    "ResponseBot",
    "RhodeIsland",
    "Rollouts",
    "Safe",
    "SampledPortfolio",
    "SearchBot",
    "Shuffle",
    "Solution",
    "SolvedSpot",
    "SolvedValue",
    "Spot",
    "Stop",
    "Strategy",
    "StrategyBot",
    "StrategyFile",
    "TrainedBlueprint",
    "Uniform",
    "Unsafe",
    "UserCode",
    "ValueErrors",
    "agent",
    "coverage",
    "evaluate",
    "evaluate_on_boards",
    "frontier",
    "frontier_on_flops",
    "load",
    "match",
    "misread",
    "opponent",
    "refinement_gaps",
    "resolve",
    "resolve_on_boards",
    "respond",
    "respond_on_flops",
    "resume",
    "solve",
    "solve_spot",
    "to_openspiel",
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
