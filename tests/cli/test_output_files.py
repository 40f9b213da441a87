"""What cannot be written is refused before long work begins: every option that names a file, in every command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

import counterplay as cp
from counterplay.commands.parsing.program import program
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from tests.support.commands import Runner


class Output(NamedTuple):
    """A command with an option that names a file to write.

    Attributes:
        words: the command, with inputs that do not exist or cannot be read: whatever reads them first fails.
        ending: an ending of the file; "" for a folder.
    """

    words: str
    ending: str


OUTPUTS: dict[tuple[str, str], Output] = {
    ("solve", "--output"): Output("solve missing.efg", ".json"),
    ("reproduce", "--output"): Output("reproduce missing", ""),
    ("demo", "--plot"): Output("demo", ".png"),
    ("respond", "--output"): Output("respond missing.efg --to missing.json", ".cps"),
    ("respond", "--record"): Output("respond fhp --to missing.cpb --flops 2 --method br", ".work"),
    ("evaluate", "--record"): Output("evaluate fhp missing.cpb --against missing.cpb --boards 2", ".work"),
    ("frontier", "--output"): Output("frontier missing.efg --to missing.json", ".csv"),
    ("frontier", "--plot"): Output("frontier missing.efg --to missing.json", ".svg"),
    ("frontier", "--record"): Output("frontier missing.efg --to missing.json", ".work"),
    ("export", "--output"): Output("export missing.efg", ".efg"),
    ("resolve", "--output"): Output("resolve missing.efg --blueprint missing.json --at round", ".json"),
    ("resolve", "--record"): Output("resolve missing.efg --blueprint missing.json --at round", ".work"),
    ("match", "--log"): Output("match missing.efg missing.json missing.json", ".jsonl"),
    ("play", "--log"): Output("play missing.efg --against missing.json", ".jsonl"),
    ("hands", "--output"): Output("hands missing.phhs", ".phhs"),
    ("model", "--output"): Output("model missing.efg --hands missing.jsonl --player bob", ".cps"),
    ("villain", "--output"): Output("villain missing.phhs --player bob", ".csv"),
    ("acpc-dealer", "--output"): Output("acpc-dealer holdem:missing", ".log"),
    ("slumbot", "--log"): Output("slumbot holdem:missing missing.cpb", ".jsonl"),
    ("spot", "--output"): Output("spot --file missing.toml", ".spot"),
    ("spot", "--csv"): Output("spot --file missing.toml", ".csv"),
    ("report", "--output"): Output("report --file missing.toml", ".csv"),
    ("report", "--record"): Output("report --file missing.toml", ".work"),
    ("blueprint", "--output"): Output("blueprint holdem:flop --node missing", ".cpb"),
    ("blueprint", "--training"): Output("blueprint holdem:flop --node missing -o blueprint.cpb", ".train"),
    ("blueprint", "--record"): Output("blueprint holdem:flop --file missing.cpb", ".work"),
    ("learn value", "--output"): Output("learn value missing.efg --depth round", ".cpn"),
    ("learn value", "--record"): Output("learn value missing.efg --depth round", ".work"),
    ("learn river", "--output"): Output("learn river --bets missing", ".cpn"),
    ("learn river", "--record"): Output("learn river --bets missing", ".work"),
    ("learn policy", "--output"): Output("learn policy missing.efg", ".cpn"),
    ("learn policy", "--record"): Output("learn policy missing.efg", ".work"),
    ("learn response", "--output"): Output("learn response missing.efg --to missing.json", ".cpn"),
    ("learn response", "--record"): Output("learn response missing.efg --to missing.json", ".work"),
}
WRITTEN = {"--output", "--plot", "--csv", "--log", "--record", "--training"}
"""Options that name a file to write."""
SAID = ("Write ", "Save ", "Draw ", "Log of", "Keep each", "Keep every", "Keep the regrets", "Folder for")
"""Beginnings of their help."""


def outputs_of(command: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The options of a command, and of the commands of a group, that name a file to write."""
    for one, below in getattr(command, "commands", {}).items():
        yield from outputs_of(below, f"{name} {one}".strip())
    for option in command.params:
        yield from ((name, word) for word in option.opts if word in WRITTEN)


def test_the_table_has_every_output() -> None:
    """Options whose help speaks of writing, saving, drawing or keeping something are in it."""
    commands = typer.main.get_command(program())
    assert set(outputs_of(commands)) == set(OUTPUTS)

    def told(command: Any) -> Iterator[str]:
        for below in getattr(command, "commands", {}).values():
            yield from told(below)
        for option in command.params:
            if (option.help or "").startswith(SAID):
                yield next(word for word in option.opts if word.startswith("--"))

    assert set(told(commands)) == WRITTEN | {"--ranges"}  # which writes to standard output


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; the demo, which reads nothing, fails if it is reached."""

    def reached(*_: Any, **__: Any) -> None:
        raise AssertionError("it is computed")

    monkeypatch.setattr("counterplay.measure.demo.run_demo", reached)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("fault", ["ending", "no ending", "no folder", "a folder", "below a file"])
@pytest.mark.parametrize("at", sorted(OUTPUTS), ids=" ".join)
def test_a_file_that_cannot_be_written_is_refused_first(
    run: Runner, here: Path, at: tuple[str, str], fault: str
) -> None:
    """Before any input is read, so before all work; and nothing is left behind."""
    words, ending = OUTPUTS[at]
    (here / "file").write_text("mine")
    (here / f"folder{ending}").mkdir()
    name, said = {
        "ending": ("result.wrong", "its name must end in"),
        "no ending": ("result", "its name must end in"),
        "no folder": (f"nowhere/result{ending}", "there is no folder 'nowhere'"),
        "a folder": (f"folder{ending}", "it is a folder"),
        "below a file": (f"file/result{ending}", "there is no folder 'file'"),
    }[fault]
    if not ending and fault in ("ending", "no ending", "a folder"):
        name, said = "file", "it is not a folder"
    ended = run(*words.split(), at[1], name)
    assert ended.code == 2
    assert ended.err.startswith("counterplay: cannot write ")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""
    assert sorted(path.name for path in here.iterdir()) == sorted(["file", f"folder{ending}"])
    assert (here / "file").read_text() == "mine"


LARGE = """board = "Qs Jh 2h"
oop = "22+, A2+, K2+, Q2+, J2+, T2+"
ip = "22+, A2+, K2+, Q2+, J2+, T2+"
pot = 20
stack = 100
bets = "33%, 75%, a"
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("solve large.toml -o x.json", "is saved with the other player's, in a .spot file"),
        ("solve large.toml -o x.cps", "is saved with the other player's, in a .spot file"),
        ("respond large.toml --to uniform -o x.json", "is saved with the other player's, in a .spot file"),
        ("resolve large.toml --blueprint nash --at round -o x.cps", "is saved with the other player's, in a .spot file"),
        ("model large.toml --hands missing.jsonl --player bob -o x.json", "the other player's, in a .spot file"),
        ("export large.toml -o x.efg --profile nash", "has no list of histories to write"),
        ("export holdem:flop -o x.efg --profile nash", "has no list of histories to write"),
        ("respond fhp --to uniform --flops 2 --methods br,cdbr -o x.cpb", "-o saves one response"),
        ("resolve fhp --blueprint uniform --at flop --boards 2 -o x.cpb", "no strategy for -o"),
        ("blueprint holdem:deck=20,stack=4bb,bets=a,last=turn -o x.fhp", "must end in .cpb"),
        ("blueprint holdem:stack=4bb,bets=a,buckets=blind -o x.fhp", "must end in .cpb"),
    ],
)  # fmt: skip
def test_a_result_that_its_file_cannot_hold_is_refused_first(
    run: Runner, here: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    """Before anything is solved or made."""

    def reached(*_: Any, **__: Any) -> None:
        raise AssertionError("it is computed")

    for place in (
        "solvers.equilibrium.solve",
        "responses.respond.respond",
        "blueprints.whole_game.resolve.resolve",
        "poker.whole_game.blueprints.blueprint.blueprint",
        "measure.flop_responses.FlopMethods",
        "measure.resolved_boards.resolve_on_boards",
        "solvers.equilibrium.equilibrium_of",
        "opponents.histories.read_hands.read_hands",
    ):
        monkeypatch.setattr(f"counterplay.{place}", reached)
    (here / "large.toml").write_text(LARGE)
    ended = run(*words.split())
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert [path.name for path in here.iterdir()] == ["large.toml"]


@pytest.mark.parametrize(
    "game",
    [
        "holdem:stack=20bb,bets=[50%,100%,200%,a],blinds=5/10,buckets=blind",
        "holdem:limit,buckets=blind",
        "holdem:stack=6bb,bets=a,lowest=6,buckets=blind",
    ],
)
def test_a_blueprint_with_one_bucket_is_written_and_read_back(run: Runner, here: Path, game: str) -> None:
    """On the full deck and on 36 cards, whose boards are too many to list; no-limit and limit."""
    made = run("blueprint", game, "--iterations", "2", "--node", "", "-o", "b.cpb", "--json")
    assert made.code == 0, made.err
    rules = cp.load(game).game  # type: ignore[attr-defined]
    read, blueprint = load(here / "b.cpb", rules)
    assert read.betting.nodes == rules.betting.nodes
    assert blueprint.iterations == 2
    for player in (0, 1):
        for table in (
            blueprint.play.preflop[player],
            *(one for street in blueprint.play.tables for one in street[player]),
        ):
            assert (table >= 0.0).all()
    again = run("blueprint", game, "--file", "b.cpb", "--node", "", "--json")
    for fact in ("value", "exploitability", "nodes"):
        assert again.json[fact] == made.json[fact]
