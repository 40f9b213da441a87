"""Files that an earlier version wrote are read for ever, and give the numbers that they gave: trainings, responses, records.

Strategies, spots, agents, networks, archives of Flop Hold'em: `tests/contracts/test_archives.py` and the tests of each."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from tests.support.commands import Runner

FILES = Path(__file__).parents[1] / "files"
GAME = "holdem:deck=20,stack=4bb,bets=a,last=turn,buckets=4"


@pytest.fixture
def old(tmp_path: Path, run: Runner) -> Runner:
    """Runs commands in a folder with the files."""
    for name in ("whole.cpb", "whole.train", "response.cpr", "response.work"):
        copy(FILES / name, tmp_path / name)
    return run


def test_a_training_goes_on(old: Runner) -> None:
    """From 40 iterations to 60, as the code that wrote it did."""
    ended = old(
        "blueprint", GAME, "--iterations", "60", "--seed", "1", "-o", "more.cpb", "--training", "whole.train", "--json"
    )
    assert ended.code == 0, ended.err
    assert ended.json["iterations"] == 60
    assert ended.json["value"] == pytest.approx(-2.0055178940734493, rel=1e-9)
    assert ended.json["exploitability"] == pytest.approx(60.610102387217665, rel=1e-9)


def test_a_response_plays_as_it_did(old: Runner) -> None:
    ended = old("evaluate", GAME, "response.cpr", "--against", "whole.cpb", "--boards", "5", "--seed", "1", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["value"] == pytest.approx(7.172267542142421, rel=1e-9)


def test_a_record_keeps_its_pieces(old: Runner) -> None:
    """Both flops are in it: no piece is computed again."""
    before = Path("response.work").read_bytes()
    words = (
        "--to",
        "whole.cpb",
        "--method",
        "br",
        "--flops",
        "2",
        "--record",
        "response.work",
        "--seed",
        "1",
        "--keep",
    )
    ended = old("respond", GAME, *words, "-o", "new.cpr", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["lower"] == pytest.approx(8.786589296836661, rel=1e-9)
    assert ended.json["upper"] == pytest.approx(23.54376025062437, rel=1e-9)
    assert Path("response.work").read_bytes() == before
