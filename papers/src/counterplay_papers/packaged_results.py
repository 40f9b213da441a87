"""Numbers of quick runs that come with the package, so that a table of a paper is there before anything is computed.

The file is JSON: for every reproduction the version that computed it, a digest of what was asked, and our numbers. The
references and the reasons of differences are those of the reproduction itself. `benchmarks/quick_results.py` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterplay.about import version
from counterplay_papers.experiment import Cell, Experiment, Result, results_of
from counterplay_papers.files import DATA
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import stored_results

NAME = "quick-results.json"
_DIGITS = 12


@dataclass(frozen=True)
class PackagedTable:
    """A table of the package.

    Attributes:
        results: in the order of the reproduction; without cells that it no longer has.
        version: of the library that computed them.
        is_current: whether they are of this version, and of the cells that it asks for.
    """

    results: Sequence[Result]
    version: str
    is_current: bool


def packaged_results(experiment: Experiment) -> PackagedTable | None:
    """The numbers of a reproduction that come with the package; None if there are none."""
    found = _tables().get(experiment.name)
    if found is None:
        return None
    ours = {(row, column): float(number) for row, column, number in found["numbers"]}
    current = found["version"] == version() and found["asked"] == digest_of_cells(experiment)
    return PackagedTable(results_of(experiment, ours), str(found["version"]), current)


def pack_results(folder: Path, names: Sequence[str]) -> bytes:
    """The package's file with the tables of quick runs in a folder.

    Args:
        folder: where the runs left their tables, `NAME.csv`.
        names: of the reproductions that are taken from there; others stay as they are.

    Raises:
        InputError: a table is damaged.
    """
    tables = {name: table for name, table in _tables().items() if name in REPRODUCTIONS}
    for name in names:
        experiment = reproduction(name)
        results = stored_results(experiment, folder)
        if results:
            numbers = [[one.row, one.column, float(f"{one.ours:.{_DIGITS}g}")] for one in results]
            tables[name] = {"version": version(), "asked": digest_of_cells(experiment), "numbers": numbers}
    lines = [f"{json.dumps(name)}: {json.dumps(tables[name], separators=(',', ':'))}" for name in sorted(tables)]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def digest_of_cells(experiment: Experiment) -> str:
    """A digest of which numbers a quick run of a reproduction has."""
    asked = [(cell.row, cell.column, isinstance(cell, Cell) and cell.slow) for cell in experiment.cells]
    return blake2b(json.dumps(asked).encode(), digest_size=8).hexdigest()


@cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = json.loads((DATA / NAME).read_bytes())
    return tables
