"""Records of measures on boards that version 0.1.0 wrote: later versions take every piece from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import counterplay as cp
from counterplay.about import version
from counterplay.work.work_record import WorkRecord
from tests.support.commands import Runner

FILES = Path(__file__).parents[1] / "files"
GAME = "holdem:deck=12,stack=2bb,bets=a,last=turn"
FLOPS = f"respond {GAME} --to passive --flops 6 --seed 3 --blueprint toy.cpb"
COMMANDS: dict[str, tuple[str, Any]] = {
    "boards": (
        f"evaluate {GAME} toy.cpb --against passive --boards 25 --seed 3",
        {"value": 4.613330151482314, "value_error": 3.136520630646351, "both_seats": 2.4067788050038312},
    ),
    "flops": (FLOPS, {"lower": 29.126984126984127, "lower_error": 1.052733068531737, "edge": 28.406132596967463}),
    "methods": (f"{FLOPS} --methods br,lbr", {"lower": 25.264550264550266, "upper": 12.645502645502646}),
    "resolve": (
        f"resolve {GAME} --blueprint toy.cpb --at turn --iterations 5 --boards 3 --to passive --p 1 --gadget unsafe",
        {"edge": 9.244559312960893, "least": 5.161805364820693, "most": 7.717376536414737},
    ),
    "measure": (
        f"blueprint {GAME} --file toy.cpb", {"value": -1.4441817008360043, "exploitability": 79.71026428007299}
    ),
}  # fmt: skip
"""By file: the command that wrote it, and numbers that it printed."""


def placed(name: str) -> Path:
    """A record in the current folder, as if this version had written it."""
    head, _, results = (FILES / f"{name}.work").read_text().partition("\n")
    path = Path(f"{name}.work")
    path.write_text(f"{json.dumps({**json.loads(head), 'version': version()})}\n{results}")
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_all_pieces_from_an_old_record(name: str, run: Runner) -> None:
    words, known = COMMANDS[name]
    path = placed(name)
    before = path.read_bytes()
    shutil.copy(FILES / "toy.cpb", "toy.cpb")
    ended = run(*words.split(), "--record", str(path), "--json")
    assert ended.code == 0, ended.err
    found = ended.json["differences"][0] if name == "methods" else ended.json
    assert {one: found[one] for one in known} == pytest.approx(known, rel=1e-12)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["boards", "methods"])
def test_a_command_goes_on_from_a_part_of_an_old_record(name: str, run: Runner) -> None:
    words, known = COMMANDS[name]
    path = placed(name)
    whole = path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in whole[:-1]))
    shutil.copy(FILES / "toy.cpb", "toy.cpb")
    ended = run(*words.split(), "--record", str(path), "--json")
    found = ended.json["differences"][0] if name == "methods" else ended.json
    assert {one: found[one] for one in known} == pytest.approx(known, rel=1e-9)
    assert len(path.read_text().splitlines()) == len(whole)


class NoExecutor:
    """An executor without pieces to compute."""

    def compute(self, work: Any, keys: Any, begin: Any) -> Any:
        assert not keys
        yield from ()


def test_strategies_are_measured_from_an_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here, shown = cp.load(GAME), shutil.copy(FILES / "toy.cpb", "toy.cpb")
    model: Any = cp.opponent(here, "passive", player=1)
    mine, uniform = (cp.opponent(here, text, player=0) for text in (shown, "uniform"))
    measure: Any = cp.FlopMeasure.on_flops(here, model, 5, seed=1)  # type: ignore[arg-type]
    measure.boards, measure.executor = 40, NoExecutor()
    measure.record = WorkRecord(placed("strategies"), measure.identity())
    found = measure.beside(mine.play, uniform.play)  # type: ignore[attr-defined]
    known = {
        "edge": (5.187599441114862, 2.937105431569957),
        "risk": (-35.28760104569095, 8.575641943800736),
        "fitted": (-37.31051833064755, 6.612424304570354),
        "exploitability": (50.818283738018536, 16.551603873744956),
    }
    for name, (value, error) in known.items():
        one = getattr(found, name)
        assert (one.value, one.error) == pytest.approx((value, error), rel=1e-12)
