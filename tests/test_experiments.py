"""Reproductions: the printed digits, going on after an interruption, and records that are damaged or of another version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterplay.experiments.experiment import Cell, Experiment, Result
from counterplay.experiments.reproduce import REPRODUCTIONS, reproduce, reproduction
from counterplay.experiments.runner import run


def _counting(calls: list[str], stop_at: str = "") -> Experiment:
    """Three cells that note when they are computed; one may be interrupted."""

    def cell(name: str, number: float) -> Cell:
        def compute() -> float:
            if name == stop_at:
                raise KeyboardInterrupt
            calls.append(name)
            return number

        return Cell(name, "column", number, name == "c", compute)

    return Experiment("toy", "a title", "nowhere", 1, [cell("a", 1.0), cell("b", 2.0), cell("c", 3.0)])


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    calls: list[str] = []
    assert [r.row for r in run(_counting(calls, stop_at="b"), tmp_path, quick=False)] == ["a"]
    assert [r.row for r in run(_counting(calls), tmp_path, quick=False)] == ["a", "b", "c"]
    assert calls == ["a", "b", "c"]
    assert (tmp_path / "toy.csv").read_text().splitlines()[1:] == [f"toy,{n},column,{x},{x}" for n, x in
                                                                 (("a", 1.0), ("b", 2.0), ("c", 3.0))]  # fmt: skip


def test_quick_leaves_out_the_slow(tmp_path: Path) -> None:
    assert [r.row for r in run(_counting([]), tmp_path, quick=True)] == ["a", "b"]


@pytest.mark.parametrize("damage", ["", "[", "[]", '{"version": "0.0.0", "numbers": {"a | column": 9.0}}'])
def test_a_damaged_or_foreign_record_is_not_believed(tmp_path: Path, damage: str) -> None:
    (tmp_path / "toy.json").write_text(damage)
    calls: list[str] = []
    assert [r.ours for r in run(_counting(calls), tmp_path, quick=False)] == [1.0, 2.0, 3.0]
    assert calls == ["a", "b", "c"]
    assert set(json.loads((tmp_path / "toy.json").read_text())["numbers"]) == {f"{n} | column" for n in "abc"}


def test_agreement_is_to_the_printed_digit() -> None:
    assert Result("t", "r", "c", 74.449, 74.4).agrees(1)
    assert not Result("t", "r", "c", 74.46, 74.4).agrees(1)
    assert Result("t", "r", "c", 74.46, None).agrees(1) is None


def test_cdbr_table_1_agrees_everywhere(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    experiment = reproduction("cdbr-table1")
    results = reproduce(experiment, tmp_path, quick=True)
    assert len(results) == 12
    assert all(result.agrees(experiment.digits) for result in results)
    assert (tmp_path / "cdbr-table1.png").stat().st_size > 1000


def test_every_reproduction_can_be_made() -> None:
    for name in REPRODUCTIONS:
        assert reproduction(name).cells
