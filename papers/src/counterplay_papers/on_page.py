"""Tables and figures on Counterplay's page: packaged numbers or those of a run here, and a quick run as a job.

The entry point `reproductions` of the group `counterplay.page`, as `counterplay.page.requests.reproductions` states it.

Numbers of quick runs come with the package, so that a table of a paper is there before anything is computed. Their file is
JSON: for every reproduction the version that computed it, a digest of what was asked, and our numbers. The references and
the reasons of differences are those of the reproduction itself. `benchmarks/quick_results.py` writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from counterplay import InputError, WorkProgress
from counterplay.about import version
from counterplay.display import shell_word
from counterplay.page.tasks import Report, Task
from counterplay_papers.experiment import KINDS, Cell, Experiment, Result, count_by_kind, results_of
from counterplay_papers.files import DATA
from counterplay_papers.picture import draw
from counterplay_papers.registry import REPRODUCTIONS, reproduction
from counterplay_papers.runner import run, stored_results

_DRAWING = Lock()
"""matplotlib draws one picture at a time."""


def _reproduce(report: Report, name: str, folder: Path) -> dict[str, Any]:
    """A quick run of a reproduction; what was computed before is not computed again, and Stop keeps what is done."""
    experiment = reproduction(name)

    def watch(now: WorkProgress) -> None:
        report({"pieces": now.pieces, "done": now.done, "piece": now.key})

    results, note = run(experiment, folder, quick=True, watch=watch), ""
    try:
        draw(experiment, results, folder / f"{name}.png")
    except InputError as error:  # without matplotlib there is no picture
        note = str(error)
    return {"numbers": len(results), "note": note}


def quick_run(name: str, folder: Path) -> Task:
    """The quick part of a reproduction, as a task of the page.

    Raises:
        InputError: there is none of that name.
    """
    reproduction(name)
    return Task(_reproduce, (name, folder))


def list_reproductions(folder: Path) -> list[dict[str, Any]]:
    """All reproductions, and whether numbers of each were computed here."""
    return [{"name": name, "stored": (folder / f"{name}.csv").is_file()} for name in REPRODUCTIONS]


def reproduction_view(name: str, folder: Path) -> dict[str, Any]:
    """A reproduction: title, source, command, and our numbers beside references: those computed here, else those that come
    with the package.

    Raises:
        InputError: there is no such reproduction, or its table is damaged.
    """
    experiment = reproduction(name)
    found, packaged = stored_results(experiment, folder), packaged_results(experiment)
    results = found if found is not None else packaged.results if packaged else ()
    return {
        "name": name, "title": experiment.title, "source": experiment.source, "digits": experiment.digits,
        "note": experiment.note,
        "command": f"counterplay reproduce {name} --quick -o {shell_word(str(folder))}", "stored": found is not None,
        "packaged": None if packaged is None else {"version": packaged.version, "is_current": packaged.is_current},
        "picture": bool(results) and find_spec("matplotlib") is not None,
        "kinds": [
            {"kind": kind, "words": KINDS[kind], "agree": count.agree, "of": count.of}
            for kind, count in count_by_kind(results, experiment.digits).items()
        ],
        "results": [
            {
                "row": one.row, "column": one.column, "ours": one.ours, "reference": one.reference, "kind": one.kind,
                "agrees": one.agrees(experiment.digits), "verdict": one.verdict(experiment.digits),
            }
            for one in results
        ],
    }  # fmt: skip


def picture_of(name: str, folder: Path) -> bytes:
    """The picture of a reproduction, as PNG: that of the run here, else drawn from the numbers of the package.

    Raises:
        InputError: there is no such reproduction, there are no numbers of it, or matplotlib is not installed.
    """
    experiment = reproduction(name)
    path = folder / f"{name}.png"
    if path.is_file():
        return path.read_bytes()
    found, packaged = stored_results(experiment, folder), packaged_results(experiment)
    results = tuple(found if found is not None else packaged.results if packaged else ())
    if not results:
        raise InputError(f"there is no picture of {name} yet")
    with _DRAWING:
        return _drawn(name, results)


@lru_cache(maxsize=len(REPRODUCTIONS))
def _drawn(name: str, results: tuple[Result, ...]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.png"
        draw(reproduction(name), results, path)
        return path.read_bytes()


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
