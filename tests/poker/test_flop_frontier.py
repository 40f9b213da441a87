"""Edge against risk on drawn boards and flops: over all of them they are those of the whole game."""

from __future__ import annotations

import pickle
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import FlopMeasure, FlopPoint, InputError, frontier_on_flops
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.measure.flop_measure import LOST, WON
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.walks.response_on_flops import draw_flops
from counterplay.responses.whole_game import HoldemMatchup, blueprint_of
from counterplay.work.work_record import WorkRecord
from tests.support.commands import Runner

TOY = "holdem:deck=12,stack=2bb,bets=a,last=turn,buckets=4"
STOP = cp.Stop(iterations=40)


@cache
def toy() -> Any:
    return cp.load(TOY)


@cache
def model() -> Any:
    return cp.opponent(toy(), "passive", player=1)


def measured(flops: int | str, record: WorkRecord | None = None) -> FlopMeasure:
    return FlopMeasure(toy(), model(), draw_flops(toy().game.boards, flops, 1), record=record)


@cache
def points(flops: int | str, methods: tuple[Any, ...] = (cp.RNR(0.5), "safe", "dbr")) -> list[FlopPoint]:
    return frontier_on_flops(measured(flops), methods, points=2, stop=STOP)


@pytest.mark.parametrize(
    "methods", [(cp.RNR(0.5),), pytest.param((cp.RNR(0.5), "safe", "dbr"), marks=pytest.mark.slow)]
)
def test_over_all_flops_edge_and_risk_are_those_of_the_whole_game(methods: tuple[Any, ...]) -> None:
    exact = HoldemMatchup(toy(), model())
    for point in points("all", methods):
        play = point.strategy.play
        won = exact.value_against_model(play)
        assert point.value == pytest.approx(won, abs=1e-5)
        assert point.edge == pytest.approx(won - exact.value_against_model(exact.base), abs=1e-5)
        assert point.risk == pytest.approx(exact.exploitability(play), abs=1e-5)
        assert point.exploitability == pytest.approx(exact.measures(play)["exploitability"], abs=1e-5)
        assert (point.fitted, point.edge_error, point.risk_error) == (point.risk, 0.0, 0.0)
    alone, first = cp.respond(toy(), model(), cp.RNR(0.5), stop=STOP, seed=0), points("all", methods)[0]
    assert (first.edge, first.risk, first.gap) == pytest.approx((alone.edge, alone.risk, alone.gap), abs=1e-5)
    assert (first.iterations, first.cut, alone.iterations) == (40, None, 40)


@pytest.mark.parametrize("flops", [6, pytest.param("all", marks=pytest.mark.slow)])
def test_a_safe_response_keeps_within_its_risk_on_the_flops_on_which_it_is_measured(flops: int | str) -> None:
    safe = [point for point in points(flops) if point.method == "safe"]
    assert all(point.risk <= (point.dial or 0.0) + 1e-6 for point in safe)
    assert all(point.edge >= -1e-9 for point in safe)
    assert safe[-1].edge > 3.0


def test_the_blueprint_has_no_edge_over_itself_and_no_risk_on_any_board() -> None:
    point = next(point for point in points(6) if (point.method, point.dial) == ("dbr", 0.0))
    assert (point.edge, point.edge_error, point.risk, point.risk_error, point.fitted_error) == (0.0,) * 5
    assert (point.value, point.value_error) == (point.blueprint_value, point.blueprint_value_error)
    assert point.value_error > 0.0
    assert point.why_blueprint is not None
    assert all(point.risk_error > 0.0 for point in points(6) if point.dial == 1.0)


def test_values_on_drawn_boards_are_within_their_interval_of_those_on_all() -> None:
    """Both are paired: the difference is known better than either."""
    (drawn,), (whole,) = (frontier_on_flops(measured(flops), (cp.RNR(0.5),), stop=STOP) for flops in (6, "all"))
    assert abs(drawn.value - whole.value) <= 2.0 * drawn.value_error
    assert abs(drawn.edge - whole.edge) <= 2.0 * drawn.edge_error < 2.0 * drawn.value_error
    assert (drawn.boards, drawn.flops, whole.boards) == (200, 6, "all")


def test_a_record_and_another_process_give_the_same(tmp_path: Path) -> None:
    play = points(6)[0].strategy.play
    mixed = HoldemMatchup(toy(), model()).mixed_plan(blueprint_of(toy()).play, play, 0.3)
    for kind in (WON, LOST):
        work = measured(6).work(mixed, kind)
        there = pickle.loads(pickle.dumps(work))
        assert work.identity() == measured(6).identity()
        for key in work.keys():  # noqa: SIM118
            for name, rows in work.compute(key).items():
                np.testing.assert_array_equal(there.compute(key)[name], rows)
    path = tmp_path / "f.work"
    first = measured(6, WorkRecord(path, measured(6).identity()))
    known = first.value(mixed), first.guarantee(mixed)
    again = measured(6, WorkRecord(path, measured(6).identity()))
    again.executor = _Idle()
    assert (again.value(mixed), again.guarantee(mixed)) == known


def test_edge_and_risk_are_counted_from_a_given_blueprint(run: Runner, tmp_path: Path) -> None:
    """From itself it is 0, as is what safe may lose beyond it; other buckets go to a worker as well."""
    path = tmp_path / "base.cpb"
    here = toy().game
    save(
        path,
        here,
        blueprint(here, make_buckets(here.boards, read_abstraction("2", here.last)), iterations=20, method="public"),
    )
    base: Any = cp.opponent(toy(), str(path), player=0)
    match = HoldemMatchup(toy(), model(), values=measured(6), blueprint=base.play)
    assert match.exploitability(base.play) == 0.0
    (own,) = cp.frontier_on_flops(
        cp.FlopMeasure.on_flops(toy(), model(), 6, seed=1), (cp.Safe(0.0),), stop=STOP, blueprint=base
    )
    assert own.risk <= 1e-9
    work = measured(6).work(base.play, WON)
    there, key = pickle.loads(pickle.dumps(work)), work.keys()[0]
    np.testing.assert_array_equal(there.compute(key)["values"], work.compute(key)["values"])
    asked = ("respond", TOY, "--to", "passive", "--blueprint", str(path))
    found = run(*asked, "--max-exploitability", "0", "--flops", "6", "--seed", "1", "--seconds", "0.2", "--json").json
    assert found["risk"] <= 1e-6
    assert "--blueprint goes with --flops" in run(*asked).err
    best = run(*asked, "--flops", "6", "--seed", "1", "--json").json
    walked = measured(6).won(base.play)
    assert best["blueprint_value"] == pytest.approx(measured(6).draw.interval(walked).value)
    assert best["edge"] == pytest.approx(best["lower"] - best["blueprint_value"])
    both = run(*asked, "--flops", "6", "--seed", "1", "--methods", "br,lbr", "--json").json["answers"]
    assert both[0]["edge"] == pytest.approx(best["edge"])
    assert both[1]["edge"] == pytest.approx(both[1]["lower"] - both[1]["blueprint_value"])


class _Idle:
    """An executor that computes nothing."""

    def compute(self, work: Any, keys: Any, begin: Any) -> Any:
        assert not keys
        yield from ()


def test_what_is_no_point_on_flops_is_refused() -> None:
    with pytest.raises(InputError, match="respond --flops"):
        frontier_on_flops(measured(6), ("br",))
    with pytest.raises(InputError, match="has rnr, dbr, mix, safe, bne, and not lbr"):
        frontier_on_flops(measured(6), ("lbr",))


def test_the_commands_print_milli_big_blinds_and_save_the_response(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("counterplay.poker.whole_game.blueprints.blueprint.ITERATIONS", 40)
    monkeypatch.setattr("counterplay.responses.whole_game.ITERATIONS", 40)
    path = tmp_path / "robust.cpb"
    asked = ("respond", TOY, "--to", "passive", "--p", "0.5", "--flops", "5", "--seconds", "0.3", "-o", str(path))
    found = run(*asked, "--json").json
    assert found["edge_mbb"] == pytest.approx(1000.0 * found["edge"] / 100.0)
    assert found["risk_error"] > 0.0
    assert (found["cut"], [name for name in found if "gain" in name]) == ("seconds", [])
    assert path.exists()
    shown = run("frontier", TOY, "--to", "passive", "--methods", "dbr", "--points", "2", "--flops", "5").out
    assert [line.split()[0] for line in shown.splitlines()[:3]] == ["method", "dbr", "dbr"]
    assert "Milli-big-blinds a hand; the blueprint wins" in shown
    assert not re.search(r"\bgain", shown)
    refused = run("frontier", "kuhn", "--to", "uniform", "--flops", "5")
    assert (refused.code, refused.err.strip()) == (2, "counterplay: flops are drawn in whole games of hold'em")
