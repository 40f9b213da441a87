"""Gain against exploitability on drawn flops: over all of them it is that of the whole game."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.card_abstraction.make_buckets import make_buckets, read_abstraction
from counterplay.errors import InputError
from counterplay.measure.flops.flop_frontier import FlopPoint, frontier_on_flops
from counterplay.measure.flops.flop_measure import LOST, WON, FlopMeasure, FlopStrategy
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.walks.flop_draw import draw_flops
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
def test_over_all_flops_gain_and_exploitability_are_those_of_the_whole_game(methods: tuple[Any, ...]) -> None:
    exact = HoldemMatchup(toy(), model())
    for point in points("all", methods):
        play = point.strategy.play
        assert point.gain == pytest.approx(exact.value_against_model(play) - exact.game_value, abs=1e-5)
        assert point.exploitability == pytest.approx(exact.exploitability(play), abs=1e-5)
        assert (point.fitted, point.gain_error, point.exploitability_error) == (point.exploitability, 0.0, 0.0)
    alone = cp.respond(toy(), model(), cp.RNR(0.5), stop=STOP, seed=0)
    assert points("all", methods)[0].gain == pytest.approx(alone.gain, abs=1e-5)


@pytest.mark.parametrize("flops", [6, pytest.param("all", marks=pytest.mark.slow)])
def test_a_safe_response_keeps_within_its_risk_on_the_flops_on_which_it_is_measured(flops: int | str) -> None:
    safe = [point for point in points(flops) if point.method == "safe"]
    assert all(point.exploitability <= (point.dial or 0.0) + 1e-6 for point in safe)
    blueprint = next(point for point in points(flops) if (point.method, point.dial) == ("dbr", 0.0))
    assert all(point.gain >= blueprint.gain - 1e-9 for point in safe)
    assert safe[-1].gain > blueprint.gain + 3.0


def test_the_blueprint_is_no_more_exploitable_than_itself_on_any_flop() -> None:
    point = next(point for point in points(6) if (point.method, point.dial) == ("dbr", 0.0))
    assert (point.exploitability, point.exploitability_error, point.fitted_error) == (0.0, 0.0, 0.0)
    assert point.gain_error > 0.0
    assert all(point.exploitability_error > 0.0 for point in points(6) if point.dial == 1.0)


def test_a_record_and_another_process_give_the_same(tmp_path: Path) -> None:
    play = points(6)[0].strategy.play
    mixed = HoldemMatchup(toy(), model()).mixed_plan(blueprint_of(toy()).play, play, 0.3)
    for kind in (WON, LOST):
        work = FlopStrategy(toy(), model(), mixed, kind, measured(6).draw)
        there, key = pickle.loads(pickle.dumps(work)), work.keys()[0]
        assert (there.keys(), there.identity()) == (work.keys(), work.identity())
        for name, rows in work.compute(key).items():
            np.testing.assert_array_equal(there.compute(key)[name], rows)
    path = tmp_path / "f.work"
    first = measured(6, WorkRecord(path, measured(6).identity()))
    known = first.value(mixed), first.guarantee(mixed)
    again = measured(6, WorkRecord(path, measured(6).identity()))
    again.executor = _Idle()
    assert (again.value(mixed), again.guarantee(mixed)) == known


def test_gain_and_exploitability_are_counted_from_a_given_blueprint(run: Runner, tmp_path: Path) -> None:
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
    assert own.exploitability <= 1e-9
    work = FlopStrategy(toy(), model(), base.play, WON, measured(6).draw)
    there, key = pickle.loads(pickle.dumps(work)), work.keys()[0]
    np.testing.assert_array_equal(there.compute(key)["values"], work.compute(key)["values"])
    asked = ("respond", TOY, "--to", "passive", "--blueprint", str(path))
    found = run(*asked, "--max-exploitability", "0", "--flops", "6", "--seed", "1", "--seconds", "0.2", "--json").json
    assert found["exploitability"] <= 1e-6
    assert "--blueprint goes with --flops" in run(*asked).err
    assert "and not br" in run(*asked, "--flops", "6").err


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
    monkeypatch.setattr("counterplay.poker.whole_game.blueprints.usual_blueprint.ITERATIONS", 40)
    monkeypatch.setattr("counterplay.responses.matchup.sampled_responses.ITERATIONS", 40)
    path = tmp_path / "robust.cpb"
    asked = ("respond", TOY, "--to", "passive", "--p", "0.5", "--flops", "5", "--seconds", "0.3", "-o", str(path))
    found = run(*asked, "--json").json
    assert found["gain_mbb"] == pytest.approx(1000.0 * found["gain"] / 100.0)
    assert found["exploitability_error"] > 0.0
    assert path.exists()
    shown = run("frontier", TOY, "--to", "passive", "--methods", "dbr", "--points", "2", "--flops", "5").out
    assert [line.split()[0] for line in shown.splitlines()[:3]] == ["method", "dbr", "dbr"]
    assert "Milli-big-blinds a hand." in shown
    refused = run("frontier", "kuhn", "--to", "uniform", "--flops", "5")
    assert (refused.code, refused.err.strip()) == (2, "counterplay: flops are drawn in whole games of hold'em")
