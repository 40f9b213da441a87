"""Restricted Nash responses by public chance sampling: the solver over all boards is the second witness."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.card_abstraction.moments import Moments
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.street_regrets import WarmStart
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.lines import LineBlueprint, StrategyLines
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, ModelMixture, uniform
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.responses.whole_game import HoldemMatchup, SampledResponses

NINE = Deck(tuple(4 * rank + suit for rank in (10, 11, 12) for suit in range(3)))
EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
SEAT, OTHER = 0, 1


@cache
def game() -> HoldemGame:
    return holdem_game(holdem(9, blinds=(1, 2), last="flop"), "50%, a", deck=EIGHT, dtype=np.float64)


@cache
def model() -> BucketedStrategy:
    """A poor player: three iterations from the start."""
    solver = PublicSampling(SamplingProblem(game(), lossless(game().boards), seed=5))
    solver.sample(3)
    return solver.average()


def objective(play: BlueprintStrategy, p: float) -> float:
    """What a restricted Nash response for p has the most of."""
    guaranteed = -best_response_value(game(), play, OTHER)
    return p * value(game(), play, model()) + (1.0 - p) * guaranteed


@pytest.mark.parametrize(("p", "boards"), [pytest.param(0.3, 2400, marks=pytest.mark.slow), (0.95, 600)])
def test_sampling_finds_what_sweeps_over_all_boards_find(p: float, boards: int) -> None:
    trust, buckets = ModelMixture(OTHER, model(), p), lossless(game().boards)
    swept = VectorCFR(game(), buckets, trust=trust)
    swept.sweep(120)
    sampled = PublicSampling(SamplingProblem(game(), buckets, seed=1), trust=trust)
    sampled.sample(boards)
    best = objective(swept.average(), p)
    assert objective(sampled.average(), p) == pytest.approx(best, abs=0.08)
    assert objective(uniform(game()), p) < best - 0.05


def test_a_full_trust_is_the_best_response_and_a_solve_goes_on_with_another_one() -> None:
    trust = ModelMixture(OTHER, model(), 1.0)
    solver = PublicSampling(SamplingProblem(game(), lossless(game().boards)), trust=trust)
    solver.sample(800)
    most = best_response_value(game(), model(), SEAT)
    assert value(game(), solver.average(), model()) == pytest.approx(most, abs=0.04)
    solver.restart(replace(trust, p=0.0), 400)
    solver.sample(800)
    assert objective(solver.average(), 0.0) > objective(model(), 0.0)
    assert solver.trust is not None
    assert solver.trust.p == 0.0


def regrets_after(trust: ModelMixture | None, iterations: int = 10) -> list[Any]:
    """Regrets and sums of the responder, in few buckets of their own, from regrets that no rounding takes to 0."""
    here, random = game(), np.random.default_rng(0)
    solver = PublicSampling(SamplingProblem(here, make_buckets(here.boards, Moments((4,))), seed=7), trust=trust)
    street = solver.streets[0]
    for player in (0, 1):
        solver.regrets[player][...] = random.normal(size=solver.regrets[player].shape)
        for place in street.bundles.places(player, street.lanes).values():
            street.regrets[player][place] = random.normal(size=street.lanes)
    solver.sample(iterations)
    return [solver.regrets[SEAT], street.regrets[SEAT], solver.sums[SEAT], street.sums[SEAT]]


def test_a_model_is_the_same_in_its_own_lanes_and_in_those_of_the_response() -> None:
    """Asked board by board, a model tells the same hands apart or more; what it plays is the same."""
    here = game()
    own = PublicSampling(SamplingProblem(here, make_buckets(here.boards, Moments((4,))), seed=5))
    own.sample(3)
    known = own.average()
    asked = LineBlueprint(here, StrategyLines(here, known))
    pairs = zip(*(regrets_after(ModelMixture(OTHER, one, 0.5)) for one in (known, asked)), strict=True)
    for fast, by_board in pairs:
        np.testing.assert_allclose(by_board, fast, rtol=1e-9, atol=1e-9)


def test_a_model_trusted_nowhere_leaves_a_free_opponent_and_one_trusted_everywhere_the_model() -> None:
    nowhere, everywhere = (regrets_after(ModelMixture(OTHER, model(), p, by_row=True)) for p in (0.0, 1.0))
    for one, two in zip(nowhere, regrets_after(None), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    for one, two in zip(everywhere, regrets_after(ModelMixture(OTHER, model(), 1.0)), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


def test_a_start_that_counts_in_full_is_gone_on_with_bit_for_bit() -> None:
    one, two = (PublicSampling(SamplingProblem(game(), lossless(game().boards), seed=3)) for _ in range(2))
    one.sample(30)
    two.begin_from({name: table.copy() for name, table in one.state().items()}, 30, 30)
    for solver in (one, two):
        solver.sample(20)
    assert two.iterations == 50
    for name, table in one.state().items():
        np.testing.assert_array_equal(two.state()[name], table)


def test_a_response_begun_from_a_blueprint_gains_more_in_few_iterations() -> None:
    """Of the objective of the restricted Nash response. Each trust begins at the start again, whichever came before."""
    here, p = holdem_game(holdem(9, blinds=(1, 2), last="turn"), "a", deck=NINE, dtype=np.float64), 0.5
    lanes, known = lossless(here.boards), uniform(here)

    def worth(play: BlueprintStrategy) -> float:
        return p * value(here, play, known) - (1.0 - p) * best_response_value(here, play, OTHER)

    trained = PublicSampling(SamplingProblem(here, lanes, seed=3))
    trained.sample(400)
    cold, warm = (
        SampledResponses(here, lanes, OTHER, known, cp.Stop(iterations=100), 0, start)
        for start in (None, WarmStart(trained.state(), 400, 200))
    )
    found = warm.response(p).plan
    assert worth(found) > worth(cold.response(p).plan) + 0.1
    assert worth(found) > worth(trained.average()) + 0.02
    warm.response(0.9)
    for again, first in zip(warm.response(p).plan.preflop, found.preflop, strict=True):
        np.testing.assert_array_equal(again, first)


def test_a_start_is_for_games_whose_streets_have_tables() -> None:
    """A game that ends on the flop has tables of each board instead."""
    solver = PublicSampling(SamplingProblem(game(), lossless(game().boards)))
    solves = SampledResponses(
        game(), lossless(game().boards), OTHER, model(), cp.Stop(iterations=1), 0, WarmStart(solver.state(), 1, 1)
    )
    with pytest.raises(InputError, match="ends on the flop"):
        solves.response(0.5)


def test_a_solve_goes_on_with_its_own_model_only() -> None:
    with pytest.raises(InputError, match="its model only"):
        PublicSampling(SamplingProblem(game(), lossless(game().boards))).restart(ModelMixture(OTHER, model(), 0.5), 1)


@cache
def matchup() -> HoldemMatchup:
    rules = Holdem(holdem(4, blinds=(1, 2), last="turn"), "a", NINE, "toy")
    return HoldemMatchup(rules, cp.opponent(rules, "passive", player=OTHER), stop=cp.Stop(iterations=100))


def test_a_mixture_earns_the_mixture_of_what_both_earn() -> None:
    match = matchup()
    safe, greedy = match.equilibrium().plan, match.best_response().plan
    for weight in (0.25, 1.0):
        mixed = match.mixed_plan(safe, greedy, weight)
        for worth in (match.value_against_model, against_uniform):
            ends = worth(safe), worth(greedy)
            assert worth(mixed) == pytest.approx((1.0 - weight) * ends[0] + weight * ends[1], abs=1e-5)
        most = (1.0 - weight) * match.exploitability(safe) + weight * match.exploitability(greedy)
        assert match.exploitability(mixed) <= most + 1e-5


def against_uniform(play: BlueprintStrategy) -> float:
    here = matchup().game.game
    return value(here, play, uniform(here))


@pytest.mark.parametrize(
    "method",
    [
        *(pytest.param(one(max_exploitability=0.3), marks=pytest.mark.slow) for one in (cp.Mix, cp.RNR)),
        cp.Safe(0.3),
    ],
)
def test_a_response_within_an_exploitability_keeps_within_it_and_gains(method: cp.Method) -> None:
    match = matchup()
    found, _ = method.outcome(match)
    assert match.exploitability(found.plan) <= 0.3 + 1e-6
    assert match.value_against_model(found.plan) > match.value_against_model(match.equilibrium().plan)
