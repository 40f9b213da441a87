"""All reproductions in one table: what agrees, what differs and why, what lacks an input, and the end by Ctrl-C."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from counterplay import InputError, cli
from counterplay_papers import runner as every
from counterplay_papers.command import show_agreement
from counterplay_papers.experiment import Cell, Derived, Experiment, KindCount, LongPieces, follows, printed
from counterplay_papers.runner import reproduce_all


def _missing() -> float:
    raise InputError("bot.cpb is not there")


def _ended() -> float:
    raise KeyboardInterrupt


def _two(name: str) -> Experiment:
    """A number that agrees, one that differs, and a claim made from both."""
    cells = [
        Cell("one", "x", printed(1.0), False, lambda: 1.04), Cell("two", "x", printed(2.0), False, lambda: 2.5, "a tie"),
    ]  # fmt: skip
    claim = Derived(
        "claim", "share", ("one", "two"), ("x",), lambda found: sum(found["x"]) / 2, follows(9.0), "ours are fewer"
    )
    return Experiment(name, "a title", "a source", 1, [*cells, claim], measure="chips")


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Three experiments; the second lacks an input."""
    pytest.importorskip("matplotlib")
    one = Cell("row", "x", None, False, _missing)
    known = {"a": _two("a"), "b": Experiment("b", "t", "s", 1, [one]), "c": _two("c")}
    monkeypatch.setattr(every, "reproduction", known.__getitem__)
    monkeypatch.setattr(every, "REPRODUCTIONS", tuple(known))
    return tuple(known)


def test_every_reproduction_is_counted(toys: tuple[str, ...], tmp_path: Path) -> None:
    found = list(reproduce_all(tmp_path, quick=True))
    assert [one.name for one in found] == list(toys)
    counts = {"printed": KindCount(1, 2), "text": KindCount(0, 1)}
    assert [(one.numbers, one.references, len(one.differ)) for one in found] == [
        (3, counts, 2),
        (0, {}, 0),
        (3, counts, 2),
    ]
    assert found[1].missing == "bot.cpb is not there"
    assert (tmp_path / "c.png").exists()
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.usefixtures("toys")
def test_the_table_names_what_differs_and_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    show_agreement(list(reproduce_all(tmp_path, quick=True)))
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "numbers printed figure text aim"
    assert lines[1:4] == [
        "a 3 1 of 2 0 of 1 a source",
        "two, x: 2.5, printed 2: a tie",
        "claim, share: 1.77, text 9: ours are fewer",
    ]
    assert lines[4] == "b 0 bot.cpb is not there"
    assert lines[8] == "all 6 2 of 4 0 of 2"
    assert "text: references, following from the text" in lines


def test_ctrl_c_ends_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    known = {
        "a": Experiment(
            "a", "t", "s", 1, [Cell("row", "x", None, False, lambda: 1.0), Cell("r", "y", None, False, _ended)]
        ),
        "b": _two("b"),
    }
    monkeypatch.setattr(every, "reproduction", known.__getitem__)
    assert [(one.name, one.numbers) for one in reproduce_all(tmp_path, quick=True, names=("a", "b"))] == [("a", 1)]


def test_long_work_that_lacks_its_input_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where only the whole run needs it."""
    pytest.importorskip("matplotlib")

    def work() -> object:
        raise InputError("slumbot-class.cpb is not there")

    long = LongPieces(work, lambda *_: None)  # type: ignore[arg-type]
    toy = Experiment(
        "a", "t", "s", 1, [Cell("row", "x", printed(1.0), False, lambda: 1.0)], long_pieces=long, measure="chips"
    )
    monkeypatch.setattr(every, "reproduction", lambda _: toy)
    assert [one.references["printed"].agree for one in reproduce_all(tmp_path, quick=True, names=("a",))] == [1]
    assert [one.missing for one in reproduce_all(tmp_path, quick=False, names=("a",))] == [
        "slumbot-class.cpb is not there"
    ]


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("words", [("--all", "--quick"), (), ("rps", "--all")])
def test_the_command(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It takes a name or --all, and not both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["counterplay", "reproduce", *words, "--json"])
    with pytest.raises(SystemExit) as ending:
        cli.main()
    told = capsys.readouterr()
    if len(words) == 2 and words[0] == "--all":
        counts = {"printed": {"agree": 1, "of": 2}, "text": {"agree": 0, "of": 1}}
        assert [row["references"] for row in json.loads(told.out)["tables"]] == [counts, {}, counts]
    else:
        assert ending.value.code == 2
        assert "or --all" in told.err
