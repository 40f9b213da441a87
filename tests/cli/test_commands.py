"""The command line: every command, its JSON, its exit codes and its sentences."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from counterplay.responses import matchup


def test_games_lists_every_game(run) -> None:
    from counterplay.games import GAMES

    listed = run("games")
    assert listed.code == 0
    assert all(entry.example in listed.out for entry in GAMES.values())
    assert {row["game"] for row in run("games", "--json").json["games"]} == set(GAMES)


def test_solve_json_has_the_promised_fields(run) -> None:
    facts = run("solve", "kuhn", "--solver", "cfr+", "--iterations", "300", "--seed", "3", "--json").json
    assert {"game", "method", "iterations", "value", "nash_conv", "exploitability", "seconds"} <= set(facts)
    assert facts["iterations"] == 300
    assert facts["seed"] == 3
    assert facts["value"] == pytest.approx(-1 / 18, abs=1e-3)


def test_respond_takes_a_number_of_iterations(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look-ahead over a value function also takes more than its usual number."""
    monkeypatch.setattr(matchup, "ITERATIONS", 100)
    words = ["--method", "cdrnr", "--p", "0.5", "--depth", "1", "--leaf", "cfr:5", "--json"]
    found = [
        run("respond", "kuhn", "--to", "uniform", *words, *more).json
        for more in ((), ("--iterations", "100"), ("--iterations", "150"))
    ]
    first, same, longer = ([one["gain"], one["exploitability"]] for one in found)
    assert first == same != longer
    words = ["--to", "uniform", "--method", "rnr", "--p", "0.5", "--iterations", "9", "--json"]
    assert run("respond", "holdem:deck=8,stack=2bb,bets=a,last=flop", *words).json["iterations"] == 9


def test_solve_saves_both_seats(run) -> None:
    for name in ("nash.json", "nash.cps"):
        assert run("solve", "kuhn", "-o", name).code == 0
        for seat in ("0", "1"):
            facts = run("evaluate", "kuhn", name, "--seat", seat, "--against", name, "--json").json
            assert facts["exploitability"] == pytest.approx(0.0, abs=1e-9)
            assert facts["nash_conv"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seat", ["0", "1"])
def test_respond_json_and_the_saved_strategy_agree(run, seat: str) -> None:
    facts = run("respond", "kuhn", "--to", "uniform", "--seat", seat, "--p", "0.4", "--json", "-o", "counter.json").json
    wanted = {"game", "seat", "method", "p", "game_value", "value_against_model", "gain", "exploitability", "seconds"}
    assert wanted <= set(facts)
    assert (facts["seat"], facts["method"], facts["p"]) == (int(seat), "rnr", 0.4)
    again = run("evaluate", "kuhn", "counter.json", "--against", "uniform", "--json").json
    for name in ("seat", "gain", "exploitability", "value_against_model"):
        assert again[name] == pytest.approx(facts[name], abs=1e-9)


@pytest.mark.parametrize(
    "words",
    [
        ("--method", "br"),
        ("--method", "bne"),
        ("--method", "dbr", "--p", "0.5"),
        ("--method", "mix", "--max-exploitability", "0.1"),
        ("--max-exploitability", "0.1"),
        ("--method", "rnr", "--max-exploitability", "0.1", "--solver", "pcfr+"),
    ],
)
def test_every_method_responds(run, words: tuple[str, ...]) -> None:
    facts = run("respond", "kuhn", "--to", "random:7", "--json", *words).json
    assert facts["gain"] >= -1e-4
    if "--max-exploitability" in words:
        assert facts["exploitability"] <= 0.1 + 1e-7


def test_frontier_writes_csv_and_picture(run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    shown = run("frontier", "kuhn", "--to", "uniform", "--methods", "rnr,safe,br", "--points", "3", "-o", "f.csv",
                "--plot", "f.png")  # fmt: skip
    assert shown.code == 0
    lines = (tmp_path / "f.csv").read_text().splitlines()
    assert lines[0] == "method,dial,gain,exploitability,seconds,dial_low,dial_high"
    assert len(lines) == 1 + 3 + 3 + 1
    assert (tmp_path / "f.png").read_bytes()[:4] == b"\x89PNG"


def test_tables_for_people(run) -> None:
    assert "exploitability" in run("solve", "kuhn").out
    assert "gain" in run("respond", "kuhn", "--to", "uniform").out
    assert "worst case" in run("evaluate", "kuhn", "uniform").out
    assert "dial" in run("frontier", "kuhn", "--to", "uniform", "--points", "2").out
    held = "[cdrnr:depth=1,gadget=resolving],br"  # a comma in brackets belongs to the method
    shown = run("frontier", "kuhn", "--to", "uniform", "--methods", held, "--points", "2", "--json")
    assert {one["method"] for one in shown.json["points"]} == {"cdrnr", "br"}


def test_a_module_of_the_users(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "def passive(infoset, actions):\n    return {a: float(i == 0) for i, a in enumerate(actions)}\n"
    )
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    assert run("respond", "kuhn", "--to", "mine:passive", "--json").json["gain"] > 0.5
    assert run("respond", "kuhn", "--to", "mine:absent").code == 2


MISTAKES = [
    (("solve", "nonsense"), "nonsense"),
    (("solve", "leduc:bets=x"), "bets"),
    (("solve", "kuhn", "--solver", "magic"), "magic"),
    (("solve", "kuhn", "--iterations", "-1"), "--iterations"),
    (("solve", "kuhn", "--memory", "0"), "--memory"),
    (("solve", "goofspiel:6", "--memory", "0.001"), "memory limit"),
    (("solve", "missing.efg"), "missing.efg"),
    (("solve", "kuhn", "-o", "no/such/folder.json"), "no/such"),
    (("respond", "kuhn", "--to", "nonsense"), "nonsense"),
    (("respond", "kuhn", "--to", "missing.json"), "missing.json"),
    (("respond", "kuhn", "--to", "no_such_module:f"), "no_such_module"),
    (("respond", "kuhn", "--to", "s1"), "Leduc"),
    (("respond", "kuhn", "--to", "uniform", "--p", "2"), "between 0 and 1"),
    (("respond", "kuhn", "--to", "uniform", "--p", "nan"), "between 0 and 1"),
    (("respond", "kuhn", "--to", "uniform", "--method", "rnr"), "p"),
    (("respond", "kuhn", "--to", "uniform", "--max-exploitability", "-1"), "exploitability"),
    (("respond", "kuhn", "--to", "uniform", "--seat", "2"), "--seat"),
    (("respond", "kuhn"), "--to"),
    (("evaluate", "kuhn", "missing.json"), "missing.json"),
    (("frontier", "kuhn", "--to", "uniform", "--methods", "rnr,magic"), "magic"),
    (("reproduce", "nonsense"), "nonsense"),
    (("reproduce", "rps", "--rows", "no such"), "no row with 'no such' in its name"),
    (("reproduce", "--all", "--rows", "rps"), "--all"),
    (("frontier", "kuhn", "--to", "uniform", "--points", "1"), "points"),
    (("frontier", "kuhn", "--to", "uniform", "--points", "2", "--plot", "f.nonsense"), "nonsense"),
]


@pytest.mark.parametrize(("words", "culprit"), MISTAKES, ids=lambda value: " ".join(value) if value else "")
def test_mistakes_end_with_code_2_and_name_the_culprit(
    run, tmp_path: Path, words: tuple[str, ...], culprit: str
) -> None:
    result = run(*words)
    assert result.code == 2
    assert culprit in result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["games", "solve", "respond", "evaluate", "frontier", "reproduce", "demo"])
def test_help_shows_an_example(command: str, helped: Callable[..., str]) -> None:
    shown = helped(command)
    assert f"Example: counterplay {command}" in shown
    assert "--json" in shown
