"""The numbers of an earlier run, read from its table."""

from __future__ import annotations

import csv
import io
from math import isfinite
from pathlib import Path

from counterplay.errors import InputError
from counterplay.experiments.experiment import Result


def stored_results(name: str, folder: Path) -> list[Result] | None:
    """The results in `NAME.csv` of a folder; None if there is none.

    Raises:
        InputError: the table is damaged.
    """
    path = folder / f"{name}.csv"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read") from None
    try:
        return [_result(row) for row in csv.DictReader(io.StringIO(text))]
    except (KeyError, ValueError, TypeError, csv.Error):
        raise InputError(f"{path.name} is damaged") from None


def _result(row: dict[str, str]) -> Result:
    ours, paper = float(row["ours"]), float(row["paper"]) if row["paper"] else None
    if not isfinite(ours) or not isfinite(paper or 0.0):
        raise ValueError
    return Result(row["table"], row["row"], row["column"], ours, paper, row["reason"] or "")
