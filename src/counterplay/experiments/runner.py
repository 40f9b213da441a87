"""Runs an experiment cell by cell; what is done is kept, so that an interrupted run goes on where it was."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from counterplay.about import version
from counterplay.experiments.experiment import Experiment, Result
from counterplay.files import write_whole

Watch = Callable[[int, int, str], None]
"""Called before each cell with its number, from 1, how many there are, and its name."""


def run(experiment: Experiment, folder: Path, quick: bool, watch: Watch | None = None) -> list[Result]:
    """All numbers of an experiment; `quick` leaves out the slow ones. Ctrl-C keeps what is done and returns it.

    `folder` gets `NAME.csv` and the record `NAME.json`, from which a later run takes the numbers that this version of the
    library has already computed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / f"{experiment.name}.json"
    known = _read(record)
    cells = [cell for cell in experiment.cells if not (quick and cell.slow)]
    results = []
    try:
        for number, cell in enumerate(cells):
            key = f"{cell.row} | {cell.column}"
            if key not in known:
                if watch:
                    watch(number + 1, len(cells), key)
                known[key] = float(cell.compute())
                _write(record, known)
            results.append(Result(experiment.name, cell.row, cell.column, known[key], cell.paper))
    except KeyboardInterrupt:
        pass
    write_whole(folder / f"{experiment.name}.csv", _csv(results))
    return results


def _read(record: Path) -> dict[str, float]:
    """The numbers of an earlier run of the same version; none if there was none or its record is damaged."""
    try:
        document = json.loads(record.read_text())
        if document["version"] == version():
            return {str(key): float(number) for key, number in document["numbers"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
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
