"""Warm starts of sampled responses in whole games, and when the blueprint is played instead of a response."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import frontier_on_flops
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.measure.flop_responses import FlopMethods
from counterplay.poker.whole_game.blueprints.blueprint import begin_as
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BucketedStrategy, ModelMixture, uniform
from counterplay.poker.whole_game.values.measure import best_response_value, value
from counterplay.poker.whole_game.walks.response_on_flops import Interval, draw_flops
from counterplay.responses.methods import method_of
from counterplay.responses.whole_game import (
    HoldemMatchup,
    SampledResponses,
    blueprint_of,
    lanes_of,
    start_of,
    trust_of,
    why_blueprint,
)
from tests.support.commands import Runner
from tests.support.whole_games import game, rules

TOY = "holdem:deck=12,stack=2bb,bets=a,last=turn,buckets=4"
TWENTY = "holdem:deck=20,stack=10bb,bets=fcpa,last=turn,buckets=8"
SEAT, OTHER = 0, 1


@pytest.fixture
def _few_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blueprints and responses of few iterations."""
    monkeypatch.setattr("counterplay.poker.whole_game.blueprints.blueprint.ITERATIONS", 60)
    monkeypatch.setattr("counterplay.responses.whole_game.ITERATIONS", 60)


def solver_of(last: str) -> Any:
    here, trust = game(last), ModelMixture(OTHER, uniform(game(last)), 0.5)
    if last == "flop":
        return VectorCFR(here, lossless(here.boards), trust=trust)
    return PublicSampling(SamplingProblem(here, lossless(here.boards), seed=3), trust=trust)


@cache
def trained(last: str) -> BucketedStrategy:
    """A blueprint of few iterations, which plays nothing purely by itself."""
    here = game(last)
    if last == "flop":
        vector = VectorCFR(here, lossless(here.boards))
        vector.sweep(20)
        return vector.average()
    solver = PublicSampling(SamplingProblem(here, lossless(here.boards), seed=3))
    solver.sample(300)
    return solver.average()


@pytest.mark.parametrize("last", ["flop", "turn"])
def test_a_solve_begun_as_a_blueprint_plays_it_and_has_it_for_average(last: str) -> None:
    """At iteration 0, in every row: by its regrets, and by its sums."""
    solver, play = solver_of(last), trained(last)
    begin_as(solver, play, 50)
    found = solver.average()
    for player in (0, 1):
        np.testing.assert_allclose(found.preflop[player], play.preflop[player], atol=1e-6)
        for here, there in zip(found.tables, play.tables, strict=True):
            for one, two in zip(here[player], there[player], strict=True):
                np.testing.assert_allclose(one, two, atol=1e-6)
    for table in solver.start_tables(play):
        for _, _, first, count in table.decisions.tolist():
            rows = np.stack([table.regrets[table.at(row)] for row in range(first, first + count)])
            known = np.stack([table.strategy[table.at(row)] for row in range(first, first + count)])
            assert (rows.sum(axis=0) > 0.0).all()
            np.testing.assert_allclose(rows / rows.sum(axis=0), known / known.sum(axis=0), atol=1e-6)
    assert solver.iterations == 50


@pytest.mark.parametrize(("last", "iterations", "more"), [("flop", 60, -2e-3), ("turn", 60, 0.0), ("turn", 1500, 0.1)])
def test_a_response_begun_as_a_blueprint_is_as_good_at_once_and_better_in_the_end(
    last: str, iterations: int, more: float
) -> None:
    """By the objective of the restricted Nash response."""
    here, p, known = game(last), 0.5, uniform(game(last))

    def worth(play: Any) -> float:
        return p * value(here, play, known) - (1.0 - p) * best_response_value(here, play, OTHER)

    cold, warm = (
        SampledResponses(here, lossless(here.boards), OTHER, known, cp.Stop(iterations=iterations), 0, start).response(
            p
        )
        for start in (None, trained(last))
    )
    assert worth(warm.plan) >= worth(trained(last)) + more
    assert (warm.iterations, warm.cut) == (iterations, None)
    if last == "flop":
        assert worth(warm.plan) > worth(cold.plan) + 0.1


def test_solves_begin_at_the_regrets_of_the_own_blueprint_and_as_any_other_in_its_buckets() -> None:
    here = rules("turn")
    made = blueprint_of(here)
    start: Any = start_of(here, made.play)
    assert (start.iterations, start.keep) == (made.iterations, made.iterations // 2)
    other = PublicSampling(SamplingProblem(here.game, lanes_of(here), seed=3)).average()
    assert start_of(here, other) is other
    few = make_buckets(here.game.boards, read_abstraction("2", here.game.last))
    assert start_of(here, PublicSampling(SamplingProblem(here.game, few)).average()) is None


@pytest.mark.parametrize(
    ("edge", "risk", "p", "known", "culprit"),
    [
        ((2.0, 1.0), (3.0, 9.0), 0.75, None, ""),
        ((2.0, 2.0), (0.0, 0.0), None, None, "not above 0"),
        ((float("nan"), 0.0), (0.0, 0.0), None, None, "not above 0"),
        ((2.0, 1.0), (7.0, 0.0), 0.75, None, "below"),
        ((2.0, 1.0), (7.0, 0.0), 1.0, None, ""),
        ((2.0, 1.0), (-1.0, 0.0), 0.0, None, ""),
        ((2.0, 1.0), (1.0, 0.0), 0.0, None, "below"),
        ((2.0, 1.0), (7.0, 0.0), None, None, ""),
        ((2.0, 1.0), (0.0, 0.0), 0.5, (-2.0, 1.0), "the model is of hands"),
        ((2.0, 1.0), (0.0, 0.0), 0.5, (2.0, 2.0), "the model is of hands"),
        ((2.0, 1.0), (0.0, 0.0), 0.5, (2.0, 1.0), ""),
        ((2.0, 1.0), (0.0, 0.0), 0.5, (float("nan"), 0.0), ""),
    ],
)
def test_the_answer_is_the_blueprint_where_the_response_is_not_measured_to_be_better(
    edge: tuple[float, float], risk: tuple[float, float], p: float | None, known: Any, culprit: str
) -> None:
    why = why_blueprint(Interval(*edge), Interval(*risk), p, None if known is None else Interval(*known))
    assert (why or "").startswith("The answer is the blueprint:" if culprit else "")
    assert culprit in (why or "") if culprit else why is None


def test_weights_of_mixtures_are_no_trust() -> None:
    assert [trust_of(one, 0.3) for one in (cp.RNR(0.3), cp.DBR(0.3), cp.CDRNR(0.3))] == [0.3] * 3
    assert [trust_of(one, 0.3) for one in (cp.Mix(0.3), cp.CDBRNE(0.3), cp.Safe(0.1))] == [None] * 3


@pytest.mark.usefixtures("_few_iterations")
def test_of_nearly_an_equilibrium_against_itself_no_gain_is_claimed(run: Runner) -> None:
    """The blueprint's worst case is far below its value: a gain of 226.5 mbb/h was counted from there."""
    asked = ("respond", TWENTY, "--to", "nash", "--method", "rnr", "--p", "0.01", "--flops", "6", "--iterations", "30")
    found = run(*asked, "--json").json
    assert abs(found["edge_mbb"]) < 20.0
    assert found["value"] == pytest.approx(found["blueprint_value"] + found["edge"])
    assert (found["iterations"], found.get("cut"), found["boards"], found["flops"]) == (30, None, 200, 6)
    assert not re.search(r"\bgain", str(found))
    shown = run(*asked).out
    assert not re.search(r"\bgain", shown)
    assert f"edge             {found['edge_mbb']:.5g} ±" in shown
    assert ("The answer is the blueprint:" in shown) == (found["why_blueprint"] is not None)


def test_the_blueprint_has_no_edge_and_no_risk_of_its_own() -> None:
    here = rules("turn")
    model = cp.opponent(here, "uniform", player=OTHER)
    own = HoldemMatchup(here, model).measures(blueprint_of(here).play)  # type: ignore[arg-type]
    assert (own["edge"], own["risk"]) == (0.0, 0.0)
    answer: Any = cp.respond(here, model, cp.RNR(0.0))
    assert (answer.edge, answer.risk) == (0.0, 0.0)
    assert answer.why_blueprint
    assert answer.strategy.play is blueprint_of(here).play


def test_a_model_of_hands_is_answered_by_what_beats_the_blueprint_as_well() -> None:
    """The same strategy as a model is answered; as one of hands its response loses to a player like the blueprint."""
    here = rules("turn")
    play = uniform(here.game)
    plain, learned = (cp.opponent(here, one, player=OTHER) for one in (play, ObservedStrategy(play, play)))
    first, second, kept = (
        cp.respond(here, model, cp.RNR(0.9), stop=cp.Stop(iterations=100), seed=1, keep=keep)
        for model, keep in ((plain, False), (learned, False), (learned, True))
    )
    assert first.why_blueprint is None
    assert np.isnan(first.edge_against_blueprint)
    assert second.edge_against_blueprint < 0.0
    assert "the model is of hands" in str(second.why_blueprint)
    answers: Any = (first.strategy, second.strategy, kept.strategy)
    base = blueprint_of(here).play
    assert [one.play is base for one in answers] == [False, True, False]
    one, two = (value(here.game, side.play, base) for side in (answers[2], answers[1]))
    assert second.edge_against_blueprint == pytest.approx(one - two, abs=1e-6)
    measure: Any = cp.FlopMeasure.on_flops(here, learned, "all")  # type: ignore[arg-type]
    (point,) = frontier_on_flops(measure, (cp.RNR(0.9),), stop=cp.Stop(iterations=100), seed=1)
    assert point.edge_against_blueprint == pytest.approx(second.edge_against_blueprint, abs=1e-5)
    assert point.answer.play is base is not point.strategy.play


@pytest.mark.usefixtures("_few_iterations")
def test_the_command_saves_the_blueprint_and_with_keep_the_response(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the response is not better: here, whatever was measured."""
    why = "The answer is the blueprint: it is Sunday."
    monkeypatch.setattr("counterplay.measure.flop_measure.why_blueprint", lambda *_: why)
    files = [tmp_path / f"{name}.cpb" for name in ("answer", "kept")]
    asked = ["respond", TOY, "--to", "passive", "--p", "0.9", "--flops", "5", "--iterations", "30", "-o"]
    assert f"\n{why}\n" in run(*asked, str(files[0])).out
    assert "\nKept although: it is Sunday.\n" in run(*asked, str(files[1]), "--keep").out
    toy: Any = cp.load(TOY)
    base = blueprint_of(toy).play
    for path, same in zip(files, (True, False), strict=True):
        play: Any = cp.opponent(toy, str(path), player=SEAT)
        assert np.allclose(play.play.preflop[SEAT], base.preflop[SEAT], atol=1e-6) == same
    assert run(*asked[:-1], "--keep", "--json").json["why_blueprint"] == "Kept although: it is Sunday."
    assert "--keep is for whole games" in run("respond", "kuhn", "--to", "uniform", "--keep").err


@pytest.mark.usefixtures("_few_iterations")
def test_iterations_are_taken_and_limits_that_cut_are_said(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("respond", TOY, "--to", "passive", "--p", "0.5")
    whole = run(*asked, "--iterations", "25", "--json").json
    assert (whole["iterations"], whole.get("cut"), whole["gap"] >= 0.0) == (25, None, True)
    assert not re.search(r"\bgain", str(whole))
    short = run(*asked, "--iterations", "25", "--seconds", "0.000001", "--json").json
    assert (short["iterations"], short["cut"]) == (1, "seconds")
    assert re.search(r"\niterations +1, cut by seconds\n", run(*asked, "--seconds", "0.000001").out)
    steps = iter(range(3))

    def sample(self: Any, count: int) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        real(self, count)

    real = PublicSampling.sample
    monkeypatch.setattr(PublicSampling, "sample", sample)
    for more in ((), ("--flops", "5")):
        steps = iter(range(3))
        cut = run(*asked, *more, "--iterations", "25", "--json").json
        assert (cut["iterations"], cut["cut"], cut["interrupted"]) == (3, "Ctrl-C", True)
    refused = run("respond", TOY, "--to", "passive", "--method", "lbr", "--flops", "5", "--iterations", "9")
    assert (refused.code, "lbr takes none" in refused.err) == (2, True)


@pytest.mark.usefixtures("_few_iterations")
def test_over_all_boards_a_response_that_is_kept_is_said_to_be_no_better(run: Runner) -> None:
    """The response at p = 0 is the blueprint, which has no edge."""
    asked = ("respond", TOY, "--to", "passive", "--p", "0")
    plain, kept = (run(*asked, *more) for more in ((), ("--keep",)))
    why = "the edge of the response is not above 0 by its interval."
    assert f"\nThe answer is the blueprint: {why}\n" in plain.out
    assert f"\nKept although: {why}\n" in kept.out
    assert run(*asked, "--keep", "--json").json["why_blueprint"] == f"Kept although: {why}"


@pytest.mark.parametrize("method", ["br", "cdbr", "lbr"])
def test_a_method_on_flops_stands_beside_the_blueprint_of_the_game(method: str) -> None:
    """Over all flops its edge is the difference of two values; a model of hands asks for an edge over its blueprint, too."""
    here = rules("turn")
    base, play = blueprint_of(here).play, uniform(here.game)
    plain, learned = (cp.opponent(here, one, player=OTHER) for one in (play, ObservedStrategy(play, play)))
    first, second = (cp.respond_on_flops(here, model, method, "all") for model in (plain, learned))  # type: ignore[arg-type]
    mine: Any = first.strategy
    won, before = value(here.game, mine.play, play), value(here.game, base, play)
    assert (first.blueprint_value, first.edge) == pytest.approx((before, won - before), abs=1e-5)
    assert (first.why_blueprint, first.edge_against_blueprint, first.answer) == (None, None, mine)
    assert second.edge == pytest.approx(first.edge)
    against = value(here.game, mine.play, base) - value(here.game, base, base)
    assert second.edge_against_blueprint == pytest.approx(against, abs=1e-5)
    answer: Any = second.answer
    assert ("the model is of hands" in str(second.why_blueprint)) == (against <= 0.0) == (answer.play is base)
    match = HoldemMatchup(here, plain, blueprint=play)  # type: ignore[arg-type]
    (named,) = FlopMethods(match, [method_of(method)], draw_flops(here.game.boards, "all")).compare().answers
    assert named.edge == pytest.approx(won - value(here.game, play, play), abs=1e-5)


@pytest.mark.usefixtures("_few_iterations")
def test_a_response_on_flops_that_is_not_better_is_saved_as_the_blueprint(run: Runner) -> None:
    """In a file of its kind; `--keep` saves the response."""
    toy: Any = cp.load(TOY)
    base = blueprint_of(toy).play
    for more, same in (((), True), (("--keep",), False)):
        shown = run("respond", TOY, "--to", "nash", "--method", "lbr", "--flops", "5", "-o", "answer.cpr", *more)
        assert ("The answer is the blueprint:" in shown.out, "Kept although:" in shown.out) == (same, not same)
        play: Any = cp.opponent(toy, "answer.cpr", player=SEAT)
        assert np.allclose(play.play.preflop[SEAT], base.preflop[SEAT], atol=1e-6) == same
        found = run("evaluate", TOY, "answer.cpr", "--against", "nash", "--json").json
        assert (found["seat"], abs(found["edge"]) < 1e-6) == (SEAT, same)
