"""The largest gain within an exploitability in whole games: the linear program of the listed game is the second witness."""

from __future__ import annotations

from dataclasses import replace

import pytest

import counterplay as cp
from counterplay.card_abstraction.make_buckets import read_abstraction
from counterplay.responses.matchup import Matchup
from counterplay.responses.whole_game import HoldemMatchup, SampledResponses, lanes_of
from counterplay_papers.listed_hands import enumerated, random_play
from tests.support.whole_games import listed, rules


@pytest.fixture(scope="module", autouse=True)
def quick_blueprints() -> None:
    """None: bounds here are of a blueprint of the usual iterations."""


@pytest.mark.parametrize("epsilon", [pytest.param(0.0, marks=pytest.mark.slow), 0.1])
def test_a_safe_response_keeps_within_its_risk_and_gains_almost_what_the_linear_program_does(epsilon: float) -> None:
    """Relative to a blueprint: a strategy loses as much more in the game itself as the blueprint does."""
    question, tree = replace(rules("flop"), buckets=read_abstraction("lossless", 1)), listed("flop")
    play = random_play(question.game, 3)
    exact = Matchup(tree, enumerated(tree, question, question.game, play, 1))
    found = cp.respond(question, cp.opponent(question, play, player=1), cp.Safe(epsilon), stop=cp.Stop(iterations=220))
    plan = enumerated(tree, question, question.game, found.strategy.play, 0).plan  # type: ignore[attr-defined]
    assert found.risk is not None
    loss = exact.game_value - HoldemMatchup(question, cp.opponent(question, play, player=1)).game_value  # type: ignore[arg-type]
    assert 0.0 <= loss < 0.05, "of the blueprint"
    assert exact.value_against_model(plan) == pytest.approx(found.value_against_model, abs=1e-5)
    assert exact.exploitability(plan) == pytest.approx(found.risk + loss, abs=1e-5)
    assert found.risk <= epsilon + 1e-6
    least, most = (
        exact.value_against_model(exact.guaranteeing(exact.game_value - e).plan) for e in (epsilon, epsilon + loss)
    )
    assert least - 0.08 <= found.value_against_model <= most + 1e-5


def test_the_best_equilibrium_keeps_the_worst_case_of_the_blueprint_and_wins_more_from_the_model() -> None:
    """The listed game measures both, and its linear program wins no less from where the blueprint stands."""
    question, tree = replace(rules("flop"), buckets=read_abstraction("lossless", 1)), listed("flop")
    model = cp.opponent(question, random_play(question.game, 3), player=1)
    base = (
        SampledResponses(question.game, lanes_of(question), 1, model.play, cp.Stop(iterations=60), 1)
        .response(1e-6)
        .plan
    )
    match = HoldemMatchup(question, model, stop=cp.Stop(iterations=250), seed=1, blueprint=base)
    best, exact = cp.BNE().response(match, 0.0), Matchup(tree, enumerated(tree, question, question.game, model.play, 1))
    one, none = (enumerated(tree, question, question.game, play, 0).plan for play in (best.plan, base))
    assert exact.guarantee(one) >= exact.guarantee(none) - 1e-5
    assert exact.value_against_model(one) > exact.value_against_model(none) + 0.02
    most = exact.guaranteeing(exact.guarantee(none) - 1e-5).plan
    assert exact.value_against_model(one) <= exact.value_against_model(most) + 1e-5


def test_points_of_one_dial_go_on_from_each_other_and_the_next_method_begins_anew() -> None:
    question = rules("flop")
    model = cp.opponent(question, random_play(question.game, 3), player=1)
    asked = {"points": 3, "stop": cp.Stop(iterations=12)}
    once = cp.frontier(question, model, ("rnr", "dbr", "safe"), **asked)  # type: ignore[arg-type]
    again = cp.frontier(question, model, ("dbr",), **asked)  # type: ignore[arg-type]
    assert [(point.edge, point.risk) for point in once if point.method == "dbr"] == [
        (point.edge, point.risk) for point in again
    ]
    safe = [point for point in once if point.method == "safe"]
    assert all((point.risk or 0.0) <= (point.dial or 0.0) + 1e-6 for point in safe)
    assert safe[-1].edge == pytest.approx(max(point.edge or 0.0 for point in once))
