"""Comparisons of methods over games and opponents: who meets whom, the table's arithmetic, files, Ctrl-C, mistakes."""

from __future__ import annotations

import csv
import json
import pickle
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import counterplay as cp
from counterplay import Point
from counterplay.measure import comparison as comparing
from counterplay.measure.comparison import (
    OPTIMUM,
    ComparisonWork,
    ContestSettings,
    best_within,
    compare,
    contests,
    draw,
    facts,
    opponents_of,
    rows,
    table,
    values_of,
    write_csv,
)
from counterplay.measure.frontier import FrontierWork
from counterplay.work.processes import Processes
from counterplay.work.run_work import WorkProgress, run_work
from counterplay.work.work_record import ForeignRecordError, WorkRecord
from tests.support.commands import Runner

GAMES = ("kuhn", "liars_dice:1,2")
ASKED = ContestSettings(
    GAMES,
    ("uniform;random:1", "kuhn=cfr:3"),
    ("rnr", "cdrnr", "abd", "br"),
    within=(0.0, 0.05, 1.0),
    points=4,
    far={"depth": 1},
    values=("abd=portfolio:uniform;nash",),
)


@pytest.fixture(scope="module")
def compared() -> comparing.Comparison:
    return compare(ASKED, contests(ASKED))


def test_texts_reach_the_games_and_methods_they_are_meant_for() -> None:
    games = ["leduc:merged=true", "kuhn"]
    assert opponents_of("kuhn", games, ["uniform", "leduc=s1;s2", "kuhn=nash; uniform"]) == ["uniform", "nash"]
    for name in ("leduc", "leduc:merged=true"):
        assert opponents_of(games[0], games, ["uniform", f"{name}=s1;s2"]) == ["uniform", "s1", "s2"]
    assert opponents_of("kuhn", games, ["goofspiel=uniform"]) == ["goofspiel=uniform"]  # and no opponent is called so
    texts = ["cfr:5", "abd=portfolio:nash", "kuhn=abd=portfolio:uniform"]
    assert values_of("kuhn", games, ("abd", "cdbr"), texts) == {"abd": "portfolio:uniform", "cdbr": "cfr:5"}
    assert values_of(games[0], games, ("abd", "cdbr"), texts) == {"abd": "portfolio:nash", "cdbr": "cfr:5"}
    assert values_of("kuhn", games, ("abd",), []) == {}


def test_every_opponent_meets_every_method(compared: comparing.Comparison) -> None:
    met = [(one.contest.spec, one.contest.source) for one in compared.traced]
    first, second = (("kuhn", "uniform"), ("kuhn", "random:1"), ("kuhn", "cfr:3")), ("uniform", "random:1")
    assert met == [*first, *(("liars_dice:1,2", source) for source in second)]
    for one in compared.traced:
        methods = [point.method for point in one.points]
        assert 1 <= methods.count("rnr") <= 4  # as many as it has corners
        assert methods[methods.count("rnr") :] == ["cdrnr"] * 4 + ["abd"] * 4 + ["br"]


def test_the_table_holds_the_best_points_within_the_limits(compared: comparing.Comparison) -> None:
    """Against what a user gets from `frontier` and `respond`."""
    game = cp.load("kuhn")
    best, most = [], []
    for source in ("uniform", "random:1", "cfr:3"):
        model = cp.opponent(game, source)
        points = cp.frontier(game, model, ["rnr"], points=4)
        best.append(max(point.gain for point in points if point.exploitability <= 0.05 * game.span + 1e-9))
        most.append(cp.respond(game, model, max_exploitability=0.05 * game.span).gain)
    found = {(row.game, row.method): row for row in rows(compared)}
    assert found["kuhn", OPTIMUM].gains[1] == pytest.approx(fmean(most), abs=1e-9)
    assert found["kuhn", "rnr"].gains[1] == pytest.approx(fmean(best), abs=1e-9)
    assert found["kuhn", "rnr"].shares[1] == pytest.approx(fmean(best) / fmean(most), abs=1e-9)


def test_no_method_is_above_the_optimum(compared: comparing.Comparison) -> None:
    for one in compared.traced:
        for limit, most in zip(ASKED.within, one.most, strict=True):
            for method in ASKED.methods:
                assert (best_within(one, method, limit) or 0.0) <= most + 1e-7
    for row in rows(compared):
        assert list(row.gains) == sorted(row.gains)
        assert row.missing[-1] == 0


def test_a_method_without_a_point_within_a_limit_counts_as_nothing_won(compared: comparing.Comparison) -> None:
    row = next(row for row in rows(compared) if (row.game, row.method) == ("kuhn", "br"))
    assert (row.gains[0], row.shares[0], row.missing[0]) == (0.0, 0.0, 3)
    assert "-3" in table(compared)
    assert "-N: against N" in table(compared)


def test_what_cannot_be_won_has_no_share() -> None:
    asked = ContestSettings(("kuhn",), ("nash",), ("rnr",), within=(0.0,), points=2)
    (optimum, row) = rows(compare(asked, contests(asked)))
    assert optimum.gains[0] == pytest.approx(0.0, abs=1e-9)
    assert row.shares == [None]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two points: the table has the finished contests, the file all points."""
    told: list[WorkProgress] = []
    points = FrontierWork.compute

    def cut_short(work: FrontierWork, key: str) -> list[dict[str, Any]]:
        if len(told) == 2 and key == work.keys()[3]:
            raise KeyboardInterrupt
        return points(work, key)

    monkeypatch.setattr(FrontierWork, "compute", cut_short)
    found = compare(ASKED, contests(ASKED), watch=told.append)
    assert [(one.number, one.pieces, one.key) for one in told] == [
        (1, 5, "kuhn against uniform"),
        (2, 5, "kuhn against random:1"),
    ]
    assert found.interrupted
    whole, part = (len(one.points) for one in found.traced)
    assert whole > part > 2
    assert [one.contest.source for one in found.games["kuhn"]] == ["uniform"]
    assert "1 opponent," in table(found)
    write_csv(found, tmp_path / "points.csv")
    assert len((tmp_path / "points.csv").read_text().splitlines()) == 1 + whole + part


def test_a_comparison_goes_on_from_its_record_in_another_process(
    tmp_path: Path, compared: comparing.Comparison
) -> None:
    """All points and optima are those of one process, but for the seconds."""
    among, path = contests(ASKED), tmp_path / "comparison.work"
    identity = ComparisonWork(ASKED, among).identity()
    whole = run_work(ComparisonWork(ASKED, among)).results
    record, keys = WorkRecord(path, identity), list(whole)
    for key in keys[: len(keys) // 2]:
        record.keep(key, whole[key])
    told: list[WorkProgress] = []
    found = compare(ASKED, among, record=WorkRecord(path, identity), executor=Processes(1), watch=told.append)
    assert len(told) < len(among)
    assert len(WorkRecord(path, identity).results) == len(keys)
    for one, other in zip(found.traced, compared.traced, strict=True):
        assert one.most == pytest.approx(other.most, abs=1e-9)
        for x, y in zip(one.points, other.points, strict=True):
            assert (x.method, x.dial) == (y.method, pytest.approx(y.dial))
            assert (x.gain, x.exploitability) == pytest.approx((y.gain, y.exploitability), abs=1e-9)
    with pytest.raises(ForeignRecordError, match="its points is"):
        WorkRecord(path, ComparisonWork(replace(ASKED, points=5), among).identity())


RIVER = 'board = "Qs Jh 2h 8d 3c"\noop = "QQ,76s"\nip = "JJ,65s"\npot = 100\nstack = 100\nbets = "a"\n'


@pytest.mark.parametrize(
    ("spec", "kind"), [("river.toml", "gain"), ("holdem:deck=8,stack=2bb,bets=a,last=flop", "edge")]
)
def test_another_process_makes_spots_and_whole_games_again(spec: str, kind: str, tmp_path: Path) -> None:
    """It has nothing but the settings."""
    (tmp_path / "river.toml").write_text(RIVER)
    spec = str(tmp_path / spec) if spec.endswith(".toml") else spec
    asked = ContestSettings((spec,), ("uniform",), ("br", "mix"), within=(), points=3)
    here = ComparisonWork(asked, contests(asked))
    there = pickle.loads(pickle.dumps(here))
    for key in list(here.keys()):
        points = zip(here.compute(key), there.compute(key), strict=True)
        assert all(Point.read(x).axes[0] == (kind, pytest.approx(y[kind], abs=1e-9)) for x, y in points)


def test_files_and_facts(compared: comparing.Comparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_csv(compared, tmp_path / "points.csv")
    with (tmp_path / "points.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    columns = ["game", "opponent", "method", "dial", "gain", "exploitability", "seconds", "dial_low", "dial_high"]
    assert list(lines[0]) == columns
    assert len(lines) == sum(len(one.points) for one in compared.traced)
    assert float(lines[0]["gain"]) == compared.traced[0].points[0].gain
    draw(compared, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    known = json.loads(json.dumps(facts(compared)))
    assert (len(known["points"]), len(known["table"])) == (len(lines), 2 * 5)
    assert known["spans"]["kuhn"] == 4.0


def test_one_command(run: Runner, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = run("frontier", "kuhn", "liars_dice:1,2", "--to", "uniform", "--to", "kuhn=random:1", "--methods", "rnr,br",
                      "--points", "3", "-o", "all.csv", "--plot", "all.png")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "kuhn: 2 opponents, span 4" in ran.out
    assert "liars_dice:1,2: 1 opponent, span 2" in ran.out
    assert {path.name for path in tmp_path.iterdir()} == {"all.csv", "all.png"}
    assert len((tmp_path / "all.csv").read_text().splitlines()) > 1 + 3 * 2


def test_one_game_and_opponent_within_limits(run: Runner) -> None:
    ran = run("frontier", "kuhn", "--to", "uniform", "--methods", "rnr", "--points", "3", "--within", "0.1", "--json")
    known = ran.json
    assert known["within"] == [0.1]
    assert [row["method"] for row in known["table"]] == [OPTIMUM, "rnr"]
    assert known["table"][1]["gains"] == [pytest.approx(5 / 9)]  # a best response that risks 5/18, less than 0.4


MISTAKES = [
    (ContestSettings(GAMES, ("kuhn=uniform",), ("rnr",)), "liars_dice:1,2 has no opponent"),
    (ContestSettings(GAMES, ("uniform", "s1"), ("rnr",)), "play Leduc poker, not kuhn"),
    (ContestSettings((*GAMES, "nonsense"), ("uniform",), ("rnr",)), "no game 'nonsense'"),
    (ContestSettings(GAMES, ("uniform",), ("rnr", "magic")), "no method 'magic'"),
    (ContestSettings(GAMES, ("uniform",), ("rnr",), within=(1.5,)), "not 1.5"),
    (ContestSettings(GAMES, ("uniform",), ("rnr",), points=1), "at least 2 points"),
    (ContestSettings(GAMES, ("uniform",), ("cdrnr",), far={"depth": "round"}), "has no rounds"),
    (ContestSettings(GAMES, ("uniform",), ("abd",), far={"depth": 1}), "abd needs a portfolio"),
    (
        ContestSettings(GAMES, ("uniform",), ("abd",), far={"depth": 1}, values=("portfolio:passive",)),
        "play Leduc poker",
    ),
    (ContestSettings(GAMES, ("uniform",), ("ses",), far={"depth": 1, "gadget": "unsafe"}), "unsafe gadget"),
    (ContestSettings(("kuhn", "leduc", "goofspiel:3"), ("uniform",), ("lbr",)), "lbr plays poker"),
    (ContestSettings((), ("uniform",), ("rnr",)), "at least one game"),
]


@pytest.mark.parametrize(("asked", "culprit"), MISTAKES, ids=lambda value: value if isinstance(value, str) else "")
def test_what_does_not_fit_is_refused_before_anything_is_computed(asked: ContestSettings, culprit: str) -> None:
    with pytest.raises(cp.InputError, match=culprit):
        contests(asked)


def test_a_mistake_is_one_sentence_and_code_2(run: Runner) -> None:
    for words, culprit in (
        (("kuhn", "leduc", "--to", "leduc=s1"), "kuhn has no opponent"),
        (("kuhn", "--to", "uniform", "--within", "a lot"), "a lot"),
    ):
        ran = run("frontier", *words)
        assert ran.code == 2
        assert culprit in ran.err
        assert ran.out == ""
        assert ran.err.count("\n") == 1
