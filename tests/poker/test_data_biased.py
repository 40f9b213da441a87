"""Data-biased responses in whole games: the game that is listed history by history is the second witness."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.strategy import BlueprintStrategy, ModelMixture
from counterplay.responses.matchup import Matchup, trust_of
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.restriction import Restriction
from counterplay_papers.listed_hands import enumerated, random_play
from tests.support.known_rows import knowing, with_counts
from tests.support.whole_games import game, listed, rules

P = 0.7


@cache
def model(last: str) -> Any:
    return knowing(game(last), random_play(game(last), 3))


@cache
def bound(last: str, seat: int) -> tuple[Any, Any, float]:
    """The listed game, the same with an opponent bound to the model by row, and what the responder can be sure of there."""
    tree, here = listed(last), game(last)
    play = enumerated(tree, rules(last), here, random_play(here, 3), 1 - seat)
    counted = with_counts(play, rules(last), model(last))
    problem = tree.subgame.bound(1 - seat, Restriction.local(play.tree, play.behaviour, trust_of(counted, P)))
    plan = Matchup(tree, counted).data_biased(P).plan
    return tree, problem, -best_response(problem, 1 - seat, plan).value


def sure_of(last: str, seat: int, play: BlueprintStrategy) -> float:
    """What a strategy of the responder is sure of against all who follow the model as far as it is trusted."""
    tree, problem, _ = bound(last, seat)
    plan = enumerated(tree, rules(last), game(last), play, seat).plan
    return float(-best_response(problem, 1 - seat, plan).value)


@pytest.mark.parametrize(("last", "seat"), [("flop", 0), pytest.param("flop", 1, marks=pytest.mark.slow)])
def test_sweeps_over_all_boards_find_what_the_listed_game_does(last: str, seat: int) -> None:
    here = game(last)
    solver = VectorCFR(here, lossless(here.boards), trust=ModelMixture(1 - seat, model(last), P, by_row=True))
    solver.sweep(30)
    best = bound(last, seat)[2]
    assert sure_of(last, seat, solver.average()) == pytest.approx(best, abs=0.005)
    assert sure_of(last, seat, random_play(here, 1)) < best - 0.2


@pytest.mark.parametrize("seat", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_public_chance_sampling_finds_it_too(seat: int) -> None:
    here = game("flop")
    trust = ModelMixture(1 - seat, model("flop"), P, by_row=True)
    solver = PublicSampling(SamplingProblem(here, lossless(here.boards), seed=1), trust=trust)
    solver.sample(500)
    assert sure_of("flop", seat, solver.average()) == pytest.approx(bound("flop", seat)[2], abs=0.03)
