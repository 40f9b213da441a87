"""The numbers of quick runs that come with the package are those that the commands give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from counterplay_papers import on_page as module
from counterplay_papers.experiment import Cell
from counterplay_papers.on_page import digest_of_cells, packaged_results
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import run

CHEAP = "ses-matrix"
TIMED = ("ses-fhp", "ses-vs-rnr")
"""Some of their rows are solves that end by time."""
LOOSE = 2e-3
"""Solvers that stop at an accuracy end elsewhere on another processor."""


def test_tables_are_of_reproductions_and_one_that_is_cheap_is_current() -> None:
    """Others may be older than their reproduction: then they say so."""
    found = {name: packaged_results(reproduction(name)) for name in REPRODUCTIONS}
    tables = {name: table for name, table in found.items() if table is not None}
    assert set(module._tables()) == set(tables)
    assert all(table.results for table in tables.values())
    assert tables[CHEAP].is_current


@pytest.mark.slow
@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_every_table_is_there_and_current(name: str) -> None:
    found = packaged_results(reproduction(name))
    assert found is not None, f"run benchmarks/quick_results.py out/quick {name}"
    assert found.is_current, f"run benchmarks/quick_results.py out/quick {name}"


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == CHEAP else pytest.mark.slow) for name in REPRODUCTIONS if name not in TIMED]
)  # fmt: skip
def test_packaged_numbers_are_those_of_the_command(name: str, tmp_path: Path) -> None:
    experiment = reproduction(name)
    found = packaged_results(experiment)
    assert found is not None
    exact = run(experiment, tmp_path, quick=True)
    assert [(one.row, one.column, one.reference, one.kind) for one in found.results] == [
        (one.row, one.column, one.reference, one.kind) for one in exact
    ]
    for packaged, computed in zip(found.results, exact, strict=True):
        assert packaged.ours == pytest.approx(computed.ours, rel=LOOSE, abs=LOOSE), (packaged, computed)


def test_a_table_of_another_version_or_of_other_cells_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = reproduction(CHEAP)
    added = replace(experiment, cells=[*experiment.cells, Cell("new", "new", None, False, float)])
    assert digest_of_cells(added) != digest_of_cells(experiment)
    found = packaged_results(added)
    assert found is not None
    assert not found.is_current
    assert len(found.results) == len((packaged_results(experiment) or found).results)
    monkeypatch.setattr(module, "version", lambda: "99")
    found = packaged_results(experiment)
    assert found is not None
    assert not found.is_current
    assert found.version != "99"
    assert packaged_results(replace(experiment, name="unknown")) is None
