"""The commands of every game on spots of hold'em: solve, respond, evaluate, resolve, frontier, match, play."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.cli import main
from counterplay.poker.spot_file import load as load_spot

RIVER = """
board = "Qs Jh 2h 8d 3c"
oop = "QQ,KQs,T9s,76s"
ip = "JJ,AQs,98s,65s"
pot = 100
stack = 200
bets = "75%, a"
raises = 2
"""
TURN = """
board = "Ks 8h 8d 4c"
oop = "AKs,QJs"
ip = "QQ,JTs"
pot = 100
stack = 100
bets = "a"
raises = 1
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """A function that runs `counterplay WORDS` beside river.toml and turn.toml: exit code, output, errors."""
    (tmp_path / "river.toml").write_text(RIVER)
    (tmp_path / "turn.toml").write_text(TURN)
    monkeypatch.chdir(tmp_path)

    def call(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        monkeypatch.setattr(sys, "argv", ["counterplay", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ending:
            main()
        captured = capsys.readouterr()
        return int(ending.value.code or 0), captured.out, captured.err

    return call


def test_solve_and_look(run: Run) -> None:
    code, out, err = run("solve", "river.toml", "-o", "solved.spot", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["value"] == pytest.approx(cp.solve(cp.load("river.toml")).value)
    assert load_spot("solved.spot").node("").means[0] == pytest.approx(50.0 + facts["value"], abs=1e-3)
    assert "EV" in run("spot", "--file", "solved.spot", "--node", "x")[1]
    assert run("evaluate", "solved.spot", "solved.spot", "--against", "solved.spot", "--json")[0] == 0


def test_respond_and_evaluate_agree(run: Run) -> None:
    words = ["respond", "river.toml", "--to", "bias:fold=3:nash", "--max-exploitability", "2%", "--json"]
    code, out, _ = run(*words, "-o", "answer.spot")
    assert code == 0
    facts = json.loads(out)
    assert facts["exploitability"] == pytest.approx(2.0, abs=1e-6)
    assert facts["exploitability_percent"] == pytest.approx(2.0, abs=1e-6)
    found = json.loads(run("evaluate", "river.toml", "answer.spot", "--against", "bias:fold=3:nash", "--json")[1])
    assert found["gain"] == pytest.approx(facts["gain"], abs=1e-4)  # a file holds single precision
    assert found["exploitability"] == pytest.approx(facts["exploitability"], abs=1e-4)
    kept = json.loads(run("evaluate", "river.toml", "answer.spot", "--seat", "1", "--json")[1])
    assert kept["seat"] == 1


def test_strategies_as_text(run: Run) -> None:
    code, _, err = run("respond", "river.toml", "--to", "uniform", "--p", "0.5", "--seat", "1", "-o", "ip.json")
    assert (code, err) == (0, "")
    table = json.loads(Path("ip.json").read_text())
    assert table["seat"] == 1
    assert set(table["strategy"]["check | JdJc"]) == {"check", "bet 75", "all-in 200"}
    code, out, _ = run("evaluate", "river.toml", "ip.json", "--json")
    assert (code, json.loads(out)["seat"]) == (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "cdrnr", "--depth", "round", "--p", "0.5"],
        ["--method", "ses", "--depth", "round", "--alpha", "0.5"],
        ["--method", "abd", "--depth", "round", "--p", "0.5", "--value", "portfolio:nash;uniform"],
        ["--method", "lbr"],
    ],
)
def test_methods_on_a_turn(run: Run, words: list[str]) -> None:
    code, out, err = run("respond", "turn.toml", "--to", "noise:0.5:nash", *words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["exploitability"] >= 0.0


def test_resolve_a_turn(run: Run) -> None:
    words = ["--blueprint", "cfr+:10", "--at", "round", "--gadget", "max-margin", "--only", "x x Ah", "--method", "lp"]
    code, out, err = run("resolve", "turn.toml", *words, "--json", "-o", "better.spot")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["states"] + facts["skipped"] == 1
    assert facts["after"] <= facts["before"] + 1e-6
    assert load_spot("better.spot").facts["method"]


def test_frontier_of_a_river(run: Run) -> None:
    words = ["--to", "uniform", "--methods", "rnr,mix", "--points", "3", "-o", "points.csv", "--json"]
    code, out, err = run("frontier", "river.toml", *words)
    assert (code, err) == (0, "")
    points = json.loads(out)["points"]
    assert len(points) == 6
    assert points[0]["exploitability"] == pytest.approx(0.0, abs=1e-6)
    assert len(Path("points.csv").read_text().splitlines()) == 7


@pytest.mark.parametrize(
    "words",
    [
        ["--methods", "cdrnr,lbr", "--depth", "round"],
        ["--methods", "abd", "--depth", "round", "--value", "portfolio:nash;uniform"],
    ],
)
def test_frontier_of_look_aheads(run: Run, words: list[str]) -> None:
    code, out, err = run("frontier", "turn.toml", "--to", "uniform", "--points", "2", *words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["points"]


def test_a_node_where_nobody_can_be(run: Run) -> None:
    words = ["--board", "Qs Jh 2h 8d", "--oop", "AsAh", "--ip", "KsKh", "--pot", "10", "--stack", "20", "--bets", "a"]
    code, out, _ = run("spot", *words, "--raises", "1", "--node", "x x As")
    assert code == 0
    assert "no two hands of the ranges can come here" in out


def test_a_match_and_a_person(run: Run) -> None:
    code, out, err = run("match", "river.toml", "ses:alpha=0.5,to=uniform", "uniform", "--hands", "200", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["mean"] > 0.0
    code, out, err = run(
        "play", "river.toml", "--against", "cdbr:to=uniform", "--hands", "1", typed="1\n?\n" + "1\n" * 5
    )
    assert (code, err) == (0, "")
    assert "on Qs Jh 2h 8d 3c; the pot is" in out
    assert "1 hand, " in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "none.toml"], "cannot read none.toml"),
        (["solve", "none.spot"], "cannot read none.spot"),
        (["solve", "river.toml", "-o", "x.txt"], "must end in .spot or .json or .cps"),
        (["solve", "river.toml", "--memory", "1e-9"], "is the limit"),
        (["respond", "river.toml", "--to", "s1"], "plays leduc"),
        (["respond", "river.toml", "--to", "uniform", "--max-exploitability", "x%"], "cannot be 'x%'"),
        (["respond", "river.toml", "--to", "uniform", "--max-exploitability", "x"], "of a spot '1%', not 'x'"),
        (["respond", "kuhn", "--to", "uniform", "--max-exploitability", "1%"], "in a spot per cent of the pot"),
        (["respond", "river.toml", "--to", "uniform", "--method", "cdbr", "--depth", "1"], "the depth is 'round'"),
        (["frontier", "turn.toml", "--to", "uniform", "--methods", "cdrnr", "--depth", "1"], "the depth is 'round'"),
        (["spot", "--file", "turn.toml", "--node", "x x 8d", "-o", "x.spot"], "not left in the deck"),
        (["spot", "--file", "river.toml", "--bets", "any", "--stack", "400", "--raises", "9"], "different actions"),
        (["spot", "--file", "turn.toml", "--oop", "AA:1e-300"], "rounding would eat it"),
        (["resolve", "river.toml", "--blueprint", "nash", "--at", "round"], "streets to come"),
        (["match", "river.toml", "nash", "cdrnr:p=0.5"], "needs a model"),
        (["match", "river.toml", "nash", "none"], "there is no agent 'none'"),
    ],
)
def test_mistakes_are_one_sentence(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before
