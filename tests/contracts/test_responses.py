"""Responses: which arguments go together, both seats, what an answer says of itself, and which solver computed it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

import counterplay as cp
from counterplay import Minimiser, Stop
from counterplay.measure.frontier_point import write_csv, write_plot
from counterplay.responses import METHODS
from counterplay.responses.matchup import ENOUGH, trust_of
from counterplay.solvers import equilibrium
from counterplay.solvers.lp import solve_lp
from tests.support import witness
from tests.support.commands import Runner
from tests.support.random_games import Knobs, RandomGame
from tests.support.theorems import GameOf

WHOLE = ("br", "bne", "rnr", "safe", "dbr", "mix")
ALL: list[dict[str, Any]] = [
    {},
    {"method": "br"},
    {"method": "bne"},
    {"p": 0.4},
    {"method": "rnr", "p": 0.4},
    {"method": "rnr", "max_exploitability": 0.05},
    {"max_exploitability": 0.05},
    {"method": "safe", "max_exploitability": 0.05},
    {"method": "dbr", "p": 0.4},
    {"method": "dbr", "max_exploitability": 0.05},
    {"method": "mix", "p": 0.4},
    {"method": "mix", "max_exploitability": 0.05},
]
IDS = [" ".join(f"{k}={v}" for k, v in call.items()) or "default" for call in ALL]


@pytest.mark.parametrize("call", ALL, ids=IDS)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("solver", ["auto", "cfr+"])
def test_an_answer_says_the_truth_about_its_strategy(
    kuhn: cp.GameTree, call: dict[str, Any], seat: int, solver: str
) -> None:
    model = cp.opponent(kuhn, "random:3", player=1 - seat)
    answer = cp.respond(kuhn, model, solver=solver, seed=12, **call)
    table = answer.strategy.table()
    tables = (table, model.table()) if seat == 0 else (model.table(), table)
    sign = 1.0 if seat == 0 else -1.0
    value, worst = -sign / 18, -witness.best_response(kuhn.rules, 1 - seat, table)[0]
    assert answer.seat == answer.strategy.player == seat
    assert answer.game == "kuhn"
    assert answer.game_value == pytest.approx(value)
    assert answer.game_value_gap == 0.0  # by linear program
    assert answer.value_against_model == pytest.approx(sign * witness.expected(kuhn.rules, *tables))
    assert answer.gain == pytest.approx(answer.value_against_model - value)
    assert answer.exploitability == pytest.approx(value - worst, abs=1e-9)
    assert answer.exploitability >= 0.0
    if "max_exploitability" in call:
        assert answer.exploitability <= call["max_exploitability"] + 1e-8
    assert answer.seed == 12
    assert answer.version == cp.__version__
    assert 0.0 <= answer.seconds < 60.0
    assert not answer.interrupted
    by_default = "safe" if "max_exploitability" in call else "rnr" if "p" in call else "br"
    assert answer.method == call.get("method", by_default)
    assert answer.facts.keys() == answer.strategy.facts.keys()
    if "p" in call:
        assert answer.p == call["p"]


@pytest.mark.parametrize(
    ("call", "solver", "named"),
    [
        ({}, "cfr+", "sweep"),
        ({"method": "bne"}, "cfr+", "lp"),
        ({"p": 0.4}, "auto", "lp"),
        ({"p": 0.4}, "cfr+", "cfr+"),
        ({"p": 1.0}, "cfr+", "sweep"),
        ({"max_exploitability": 0.02}, "auto", "lp"),
        ({"max_exploitability": 0.02}, "dcfr", "dcfr"),
        ({"method": "dbr", "p": 0.4}, "pcfr+", "pcfr+"),
        ({"method": "mix", "p": 0.4}, "auto", "lp"),
    ],
)
def test_an_answer_names_what_computed_it(kuhn: cp.GameTree, call: dict[str, Any], solver: str, named: str) -> None:
    answer = cp.respond(kuhn, cp.opponent(kuhn, "random:3"), solver=solver, **call)
    assert answer.solver == named
    assert (answer.gap > 1e-12) == (named in ("cfr+", "dcfr", "pcfr+"))


def test_a_larger_dial_finds_the_largest_p_within_it(leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "uniform")
    for method in ("rnr", "mix"):
        answer = cp.respond(leduc, model, method=method, max_exploitability=0.2)
        assert answer.p is not None
        assert 0.0 < answer.p < 1.0
        assert answer.exploitability <= 0.2 + 1e-8
        beyond = cp.respond(leduc, model, method=method, p=answer.p + 2e-3)
        assert beyond.exploitability > 0.2
        enough = cp.respond(leduc, model, method=method, max_exploitability=100.0)
        assert enough.p == 1.0
        assert enough.gain == pytest.approx(cp.respond(leduc, model).gain)


def test_allowing_nothing_still_takes_what_is_free(kuhn: cp.GameTree) -> None:
    """At exploitability 0 a small p costs nothing in Kuhn poker: rounding must not turn it into an arbitrary answer."""
    model = cp.opponent(kuhn, "random:3")
    best = cp.respond(kuhn, model, method="bne")
    for method in ("rnr", "safe"):
        answer = cp.respond(kuhn, model, method=method, max_exploitability=0.0)
        assert answer.exploitability <= 1e-9
        assert answer.gain == pytest.approx(best.gain, abs=1e-6)
    for solver in ("cfr+", "dcfr"):
        assert cp.respond(kuhn, model, max_exploitability=0.0, solver=solver).exploitability <= 1e-8


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown method": ({"method": "best"}, "'best'"),
    "p below 0": ({"p": -0.1}, "-0.1"),
    "p above 1": ({"p": 1.1}, "1.1"),
    "p NaN": ({"p": math.nan}, "nan"),
    "epsilon below 0": ({"max_exploitability": -1e-3}, "-0.001"),
    "epsilon infinite": ({"max_exploitability": math.inf}, "inf"),
    "epsilon NaN": ({"max_exploitability": math.nan}, "nan"),
    "br with p": ({"method": "br", "p": 0.5}, "no p"),
    "br with epsilon": ({"method": "br", "max_exploitability": 0.5}, "no largest"),
    "bne with p": ({"method": "bne", "p": 0.5}, "no p"),
    "bne with epsilon": ({"method": "bne", "max_exploitability": 0.5}, "no largest"),
    "safe alone": ({"method": "safe"}, "needs"),
    "safe with p": ({"method": "safe", "p": 0.5, "max_exploitability": 0.5}, "no p"),
    "epsilon and p": ({"p": 0.5, "max_exploitability": 0.5}, "no p"),
    "rnr alone": ({"method": "rnr"}, "needs"),
    "rnr with both": ({"method": "rnr", "p": 0.5, "max_exploitability": 0.5}, "either"),
    "dbr alone": ({"method": "dbr"}, "needs"),
    "mix alone": ({"method": "mix"}, "needs"),
    "solver": ({"solver": "simplex"}, "'simplex'"),
    "solver for p": ({"p": 0.5, "solver": "simplex"}, "'simplex'"),
}


@pytest.mark.parametrize(("call", "culprit"), REFUSED.values(), ids=REFUSED)
def test_arguments_that_do_not_fit_are_refused(kuhn: cp.GameTree, call: dict[str, Any], culprit: str) -> None:
    with pytest.raises(cp.InputError) as caught:
        cp.respond(kuhn, cp.opponent(kuhn, "uniform"), **call)
    assert culprit in str(caught.value)
    assert "\n" not in str(caught.value)


def test_models_of_other_games_are_refused(game_of: GameOf, kuhn: cp.GameTree) -> None:
    other = cp.opponent(game_of("leduc"), "uniform")
    with pytest.raises(cp.InputError, match="kuhn"):
        cp.respond(kuhn, other)
    with pytest.raises(cp.InputError, match="kuhn"):
        cp.evaluate(kuhn, other)
    with pytest.raises(cp.InputError, match="kuhn"):
        cp.evaluate(kuhn, cp.opponent(kuhn, "uniform", player=0), other)
    mine = cp.opponent(kuhn, "uniform", player=0)
    with pytest.raises(cp.InputError, match="both strategies are of seat 0"):
        cp.evaluate(kuhn, mine, cp.opponent(kuhn, "random:1", player=0))


def test_every_method_on_the_whole_game_is_tested_here() -> None:
    assert set(WHOLE) == {call["method"] for call in ALL if "method" in call}
    assert set(WHOLE) <= set(METHODS)


# --- trust from data --------------------------------------------------------------------------------------------------


def test_trust_grows_linearly_up_to_ten_observations(kuhn: cp.GameTree) -> None:
    tree = kuhn.trees[1]
    counts = np.zeros(tree.lanes)
    counts[: tree.infosets] = [0, 1, 5, 9, 10, 1000]
    model = cp.Strategy(tree, tree.uniform(), counts=counts)
    assert ENOUGH == 10
    assert trust_of(model, 0.8)[: tree.infosets] == pytest.approx([0.0, 0.08, 0.4, 0.72, 0.8, 0.8])
    assert set(trust_of(cp.Strategy.uniform(tree), 0.8)) == {0.8}
    for p in (-0.1, 1.1, math.nan):
        with pytest.raises(cp.InputError, match="between 0 and 1"):
            trust_of(model, p)


def test_data_biased_response_is_safer_than_trusting_few_hands(leduc: cp.GameTree) -> None:
    """Models of 100 hands: a best response loses to the real player, DBR does not (Johanson and Bowling 2009)."""
    real = cp.opponent(leduc, "cfr+:20", player=1)
    greedy, biased = [], []
    for seed in range(5):
        model = cp.opponent(leduc, f"observed:100,{seed}:cfr+:20", player=1)
        for found, call in ((greedy, {}), (biased, {"method": "dbr", "p": 0.9})):
            answer = cp.respond(leduc, model, **call)
            found.append(cp.evaluate(leduc, answer.strategy, real).gain or 0.0)
            if call:
                assert answer.exploitability < cp.respond(leduc, model).exploitability
    assert np.mean(biased) > np.mean(greedy) + 0.5
    assert np.mean(biased) > -0.2


def test_the_largest_exploitability_as_a_share_of_the_span(leduc: cp.GameTree) -> None:
    model = cp.opponent(leduc, "uniform")
    share, chips = (cp.respond(leduc, model, max_exploitability=most) for most in ("0.5%", 0.13))
    assert leduc.span == 26.0
    assert share.exploitability == pytest.approx(0.13, abs=1e-6)
    assert share.gain == pytest.approx(chips.gain, abs=1e-9)
    for text in ("0.13 apples", "x%", "%"):
        with pytest.raises(cp.InputError, match="exploitability"):
            cp.respond(leduc, model, max_exploitability=text)


# --- frontier files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_a_frontier_as_csv_and_picture(kuhn: cp.GameTree, tmp_path: Path, seat: int) -> None:
    model = cp.opponent(kuhn, "random:2", player=1 - seat)
    seen: list[cp.Point] = []
    points = cp.frontier(kuhn, model, WHOLE, points=3, done=seen.append)
    assert points == seen
    assert {point.method for point in points} == set(WHOLE)
    assert min(point.exploitability for point in points) >= 0.0
    write_csv(points, tmp_path / "points.csv")
    lines = (tmp_path / "points.csv").read_text().splitlines()
    assert lines[0] == "method,dial,gain,exploitability,seconds,dial_low,dial_high"
    assert len(lines) == 1 + len(points)
    first = lines[1].split(",")
    assert float(first[2]) == points[0].gain
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        write_plot(points, tmp_path / f"picture{ending}", "Kuhn poker")
        assert (tmp_path / f"picture{ending}").read_bytes().startswith(start)
    with pytest.raises(cp.InputError, match=r"\.xyz"):
        write_plot(points, tmp_path / "picture.xyz", "Kuhn poker")


def test_frontiers_that_are_refused(kuhn: cp.GameTree) -> None:
    model = cp.opponent(kuhn, "uniform")
    with pytest.raises(cp.InputError, match="'best'"):
        cp.frontier(kuhn, model, ("rnr", "best"))
    for points in (1, 0, -3):
        with pytest.raises(cp.InputError, match="at least 2"):
            cp.frontier(kuhn, model, points=points)


def test_a_frontier_of_records_is_that_of_their_names(kuhn: cp.GameTree) -> None:
    """Names take the options of look-aheads, records hold them; a record whose dial is set is one point."""
    model, stop = cp.opponent(kuhn, "random:2"), cp.Stop(iterations=50)
    look = cp.LookAhead(depth=1, leaf="rollout:5")
    named = cp.frontier(kuhn, model, ("cdrnr", "safe"), points=3, stop=stop, depth=1, leaf="rollout:5")
    given = cp.frontier(kuhn, model, (cp.CDRNR(look=look), cp.Safe()), points=3, stop=stop)
    numbers = [[(x.method, x.dial, x.gain, x.exploitability) for x in points] for points in (named, given)]
    assert numbers[0] == numbers[1]
    fixed = cp.frontier(kuhn, model, (cp.RNR(0.5), "rnr:p=0.25", cp.Safe("1%"), cp.BR(), cp.BR()), points=3)
    assert [(x.method, x.dial) for x in fixed] == [
        ("rnr:p=0.5", 0.5),
        ("rnr:p=0.25", 0.25),
        ("safe", 0.04),
        ("br", None),
    ]
    alone = cp.respond(kuhn, model, cp.RNR(0.5))
    assert (fixed[0].gain, fixed[0].exploitability) == (alone.gain, alone.exploitability)


def test_evaluate_without_a_model_leaves_out_what_it_cannot_know(kuhn: cp.GameTree) -> None:
    measured = cp.evaluate(kuhn, cp.opponent(kuhn, "uniform", player=0))
    assert measured.facts.keys() == {
        "game", "seat", "game_value", "game_value_gap", "worst_case", "exploitability",
    }  # fmt: skip
    assert measured.worst_case == pytest.approx(-5 / 12)
    uniform = cp.opponent(kuhn, "uniform", player=1)
    both = cp.evaluate(kuhn, cp.opponent(kuhn, "uniform", player=0), uniform)
    assert both.nash_conv == pytest.approx(11 / 12)  # OpenSpiel prints 0.916667 for the uniform profile
    assert both.value_against_model == pytest.approx(0.125)


@pytest.mark.parametrize("seed", [10, 25, 40])
def test_a_frontier_where_the_best_response_costs_nothing(seed: int) -> None:
    """In these games rounding puts its exploitability below 0, which is no number of chips to allow."""
    game = cp.load(RandomGame(Knobs(depth=3, seed=seed, lonely=2, named=False, utilities="decimal")))
    for seat in (0, 1):
        points = cp.frontier(game, cp.opponent(game, "uniform", player=1 - seat), ("safe", "rnr"), points=3)
        assert [point.method for point in points] == ["safe"] * 3 + ["rnr"]
        assert (points[-1].dial_low, points[-1].dial_high) == (0.0, 1.0)


def test_a_model_that_is_no_strategy_is_refused_by_its_type(leduc: cp.GameTree) -> None:
    with pytest.raises(cp.InputError, match=r"an opponent must be a text, a path, .*, not 3"):
        cp.respond(leduc, 3, p=0.5)


def test_a_minimiser_of_ones_own_solves_a_game_and_other_things_are_refused(kuhn: cp.GameTree) -> None:
    own = Minimiser("linear", alpha=1.0, beta=1.0, gamma=1.0)
    found = cp.solve(kuhn, solver=own, stop=Stop(iterations=200))
    assert found.solution.method == "linear"
    assert found.exploitability < 0.01
    with pytest.raises(cp.InputError, match="a solver must be a text or a Minimiser, not 3"):
        cp.solve(kuhn, solver=3)  # type: ignore[arg-type]
    with pytest.raises(
        cp.InputError, match="a gadget must be a text or an object with an entry, not builtin_function_or_method"
    ):
        cp.resolve(kuhn, "uniform", "moves:1", gadget=len)  # type: ignore[arg-type]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_value_that_a_gain_counts_from_is_told_with_its_gap(
    seat: int, monkeypatch: pytest.MonkeyPatch, run: Runner
) -> None:
    """Where the equilibrium is iterated, the value lies between the told one and the gap below it."""
    monkeypatch.setattr(equilibrium, "LP_UP_TO", 0)
    monkeypatch.setattr(equilibrium, "_FINE", 0.01)
    monkeypatch.setattr(equilibrium, "_KNOWN", WeakKeyDictionary())
    game = cp.load("kuhn")
    value = (1 - 2 * seat) * solve_lp(game.subgame).value
    model = cp.opponent(game, "uniform", player=1 - seat)
    answer = cp.respond(game, model, "br", solver="cfr+")
    curve = cp.frontier(game, model, ["br", "rnr"], points=2, solver="cfr+")
    measured = cp.evaluate(game, answer.strategy, model)
    for told in (answer, measured, curve):
        gap = told.game_value_gap
        assert gap is not None
        assert 0.0 < gap < 0.2
        assert told.game_value is not None
        assert told.game_value - gap - 1e-9 <= value <= told.game_value + 1e-9
    assert answer.gain <= answer.value_against_model - value + 1e-9
    assert "known to" in curve._repr_html_()
    words = ("kuhn", "--to", "uniform", "--seat", str(seat))
    assert "chips, known to " in run("respond", *words, "--method", "br", "--solver", "cfr+").out
    assert "Gain counts from the value of the game, " in run("frontier", *words, "--methods", "br").out
    assert run("frontier", *words, "--methods", "br", "--json").json["game_value_gap"] > 0.0
