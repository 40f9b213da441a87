"""Text forms of results: one line each at a prompt, columns and CSV files, HTML tables in notebooks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from shlex import quote
from typing import Any

from counterplay.errors import escaped

_ROUNDING = 1e-12
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}
LONGEST = 120
"""Most characters of a line."""


def brief(thing: Any, name: str, *facts: str) -> str:
    """`<Class name: fact, fact>` in one line, cut at `LONGEST` characters; empty facts are left out."""
    rest = ", ".join(fact for fact in facts if fact)
    line = escaped(f"{type(thing).__name__} {name}{': ' if name and rest else ''}{rest}".strip())
    return f"<{line if len(line) <= LONGEST - 2 else line[: LONGEST - 3] + '…'}>"


def shell_word(text: str) -> str:
    """A word of a shell, in quotes where it needs them; with control characters as `$'a\\nb'`, so that it is one line."""
    if text.isprintable():
        return quote(text)
    signs = (_ESCAPES.get(sign, sign if sign.isprintable() else f"\\U{ord(sign):08x}") for sign in text)
    return f"$'{''.join(signs)}'"


def by_fields(one: Any) -> str:
    """`Class(field=value)` in one line, cut at `LONGEST` characters; fields with default values are left out, and
    values with a text form are shown by it.
    """
    parts = []
    for field in fields(one):
        value = getattr(one, field.name)
        if value != field.default:
            plain = isinstance(value, int | float | str) or "__str__" not in vars(type(value))
            parts.append(f"{field.name}={getattr(value, 'name', None) or (value if plain else str(value))!r}")
    line = f"{type(one).__name__}({', '.join(parts)}"
    return f"{line})" if len(line) < LONGEST else f"{line[: LONGEST - 2]}…)"


def labelled(name: str, value: float | None, form: str = ".4g") -> str:
    """A number with its name, as in "gain 0.2445"; the empty text for None."""
    if value is None:
        return ""
    return f"{name} {0.0 if abs(value) < _ROUNDING else value:{form}}"


def seated(agent: Any) -> str:
    """The line of an agent: its name and seat."""
    return brief(agent, str(getattr(agent, "name", "")), f"seat {agent.seat}")


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table for a notebook; every text is escaped."""
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def duration(seconds: float) -> str:
    """A duration in rounded units: `40 s`, `7 min`, `2 h 5 min`."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


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
