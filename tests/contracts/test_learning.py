"""Learning: it goes on where it was interrupted, to the same bits; without torch it is refused in one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import counterplay as cp
from counterplay.learning.learn_value import learn_value, measure_network
from counterplay.learning.torch_layers import check_torch
from counterplay.learning.value_work import DrawnSamples, ValueSettings
from counterplay.value_functions.solved_value import SolvedValue
from counterplay.work.work_record import WorkRecord

SMALL = ValueSettings("kuhn", "1", samples=600, asked=100, solver="cfr+:50", width=8, layers=1, epochs=3)


def test_samples_are_solutions_scaled_to_ranges_that_sum_to_one() -> None:
    """Every row is an exact solution of its public state, up to the solver's error: both claims cancel."""
    stage = DrawnSamples(SMALL)
    found = stage.compute("samples 1")
    assert found["inputs"].sum(axis=1) == pytest.approx(2.0, abs=1e-5)
    assert (found["inputs"] * found["targets"]).sum(axis=1) == pytest.approx(0.0, abs=1e-3)
    border, rows = stage.borders[0], stage.states.rows(stage.borders[0])
    evaluate = SolvedValue().at(border)
    for inputs, targets in zip(found["inputs"][:20], found["targets"][:20], strict=True):
        held = [rows.collect(i, part) for i, part in enumerate(np.split(inputs[None], [rows.widths[0]], axis=1))]
        claim = held[0] @ evaluate(*held)[0] / rows.chance[0]
        assert inputs[: rows.widths[0]] @ targets[: rows.widths[0]] == pytest.approx(claim, abs=1e-3)


def test_learning_needs_torch_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(cp.InputError, match="training needs torch: pip install"):
        check_torch()


def test_learning_goes_on_from_its_record(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "kuhn.work"
    whole = learn_value(SMALL, record=WorkRecord(path, SMALL.identity()))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    again = learn_value(SMALL, record=WorkRecord(path, SMALL.identity()))
    for one, other in zip(whole.network, again.network, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    about = measure_network(again, cp.load("kuhn")).about
    assert about["errors"]["gap"] < 1e-6
