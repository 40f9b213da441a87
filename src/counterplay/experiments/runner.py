"""Runs an experiment cell by cell; what is done is kept, so that an interrupted run goes on where it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from math import isfinite
from pathlib import Path
from statistics import fmean

from counterplay.about import version
from counterplay.experiments.experiment import Average, Cell, Derived, Experiment, Result
from counterplay.files import write_whole
from counterplay.json_text import read_json_file

Watch = Callable[[int, int, str], None]
"""Called before each cell with its number, from 1, how many there are, and its name."""


def run(experiment: Experiment, folder: Path, quick: bool, watch: Watch | None = None) -> list[Result]:
    """All numbers of an experiment; `quick` leaves out the slow ones. Ctrl-C keeps what is done and returns it.

    `folder` gets `NAME.csv` and the record `NAME.json` (or that of the experiment whose record it shares), from which a
    later run takes the numbers that this version of the library has already computed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cells = [cell for cell in experiment.cells if isinstance(cell, Cell) and not (quick and cell.slow)]
    known = _numbers(cells, folder / f"{experiment.record or experiment.name}.json", watch)
    wanted = {(cell.row, cell.column): known.get(_key(cell)) for cell in cells}
    results = []
    for cell in experiment.cells:
        ours = wanted.get((cell.row, cell.column)) if isinstance(cell, Cell) else _made(cell, wanted)
        if ours is not None:
            paper, reason = (cell.paper, cell.reason) if isinstance(cell, Cell) else (None, "")
            results.append(Result(experiment.name, cell.row, cell.column, ours, paper, reason))
    write_whole(folder / f"{experiment.name}.csv", _csv(results))
    return results


def _key(cell: Cell) -> str:
    return f"{cell.row} | {cell.column}"


def _numbers(cells: Sequence[Cell], record: Path, watch: Watch | None) -> dict[str, float]:
    """The numbers of the record, and of the cells as far as Ctrl-C lets them be computed."""
    known = _read(record)
    try:
        for number, cell in enumerate(cells):
            key = _key(cell)
            if key not in known:
                if watch:
                    watch(number + 1, len(cells), key)
                known[key] = float(cell.compute())
                _write(record, known)
    except KeyboardInterrupt:
        pass
    return known


def _made(cell: Average | Derived, wanted: Mapping[tuple[str, str], float | None]) -> float | None:
    """A number made from the wanted rows; None if there are none, or Ctrl-C came before one of them."""
    needs = (cell.column,) if isinstance(cell, Average) else cell.needs
    rows = [row for row in cell.of if all((row, column) in wanted for column in needs)]
    found: dict[str, list[float]] = {}
    for column in needs:
        numbers = [wanted[row, column] for row in rows]
        found[column] = [ours for ours in numbers if ours is not None]
        if not rows or len(found[column]) < len(rows):
            return None
    return fmean(found[cell.column]) if isinstance(cell, Average) else cell.compute(found)


def _read(record: Path) -> dict[str, float]:
    """The numbers of an earlier run of the same version; none if there was none or its record is damaged."""
    try:
        document = read_json_file(record)
        if document["version"] == version():
            known = {str(key): float(number) for key, number in document["numbers"].items()}
            return known if all(map(isfinite, known.values())) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        pass
    return {}


def _write(record: Path, numbers: dict[str, float]) -> None:
    write_whole(record, json.dumps({"version": version(), "numbers": numbers}, indent=1).encode())


def _csv(results: Sequence[Result]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(Result)])
    writer.writerows([tuple(asdict(result).values()) for result in results])
    return text.getvalue().encode()
