"""Rows of results as text: columns of a width for people, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def aligned(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A line of text for each row, without spaces at its end. columns: for each a width, after `<` or `>` for the side on
    which its texts begin or end.
    """
    return ["".join(f"{cell!s:{column}}" for cell, column in zip(row, columns, strict=False)).rstrip() for row in rows]


def csv_of(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A CSV file: a line of names, and a line for each row; None is empty, and floats have all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()
