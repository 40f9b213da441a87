"""The numbers of an earlier run, read from its table."""

from __future__ import annotations

import csv
import io
from math import isfinite
from pathlib import Path

from counterplay import InputError
from counterplay_papers.experiment import Experiment, Result, results_of


def stored_results(experiment: Experiment, folder: Path) -> list[Result] | None:
    """The results in `NAME.csv` of a folder; None if there is none. Our numbers are read, also from tables of earlier
    versions; references are those of the experiment.

    Raises:
        InputError: the table is damaged.
    """
    path = folder / f"{experiment.name}.csv"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read") from None
    try:
        ours = {(row["row"], row["column"]): float(row["ours"]) for row in csv.DictReader(io.StringIO(text))}
    except (KeyError, ValueError, TypeError, csv.Error):
        raise InputError(f"{path.name} is damaged") from None
    if not all(map(isfinite, ours.values())):
        raise InputError(f"{path.name} is damaged")
    return results_of(experiment, ours)
