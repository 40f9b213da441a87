"""Results as the command line prints them: JSON, facts line by line, rows in columns, notes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from math import isfinite
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from counterplay.tables import aligned


def show_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(_finite(value), indent=1, allow_nan=False))


def _finite(value: Any) -> Any:
    """A value with null for numbers that JSON lacks."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


_ROUNDING, _MOST_ROUNDING = 1e-10, 1e-3
_CHIPS = (
    "value", "nash_conv", "exploitability", "gain", "game_value", "value_against_model", "worst_case", "before", "after",
    "model_exploitability", "mean",
)  # fmt: skip
"""Facts that are chips."""


def rounding(span: float) -> float:
    """Chips up to which a number is rounding, and is printed as 0: a share of the span of payoffs, but no more where some
    payoffs are huge, since they may never be paid.
    """
    return min(_ROUNDING * span, _MOST_ROUNDING)


def number(value: float, form: str = ".6g", span: float = 0.0) -> str:
    """A printed number: rounding errors at this span of payoffs become 0, and 0 has no sign."""
    shown = f"{0.0 if abs(value) <= rounding(span) else value:{form}}"
    return shown.replace("-", "", 1) if shown.startswith("-") and not float(shown) else shown


def say(lines: str | Iterable[str]) -> None:
    """Print lines; on a terminal they are wrapped at words, with aligned continuation lines."""
    wide = get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0
    for line in [lines] if isinstance(lines, str) else lines:
        if wide and len(line) > wide:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            line = fill(line, wide, subsequent_indent=indent, break_on_hyphens=False)
        print(line)


def show_facts(facts: dict[str, Any], names: list[str], span: float = 0.0) -> None:
    """Print one line per fact, in the order of `names`, without None. span: that of the game's payoffs, in chips."""
    width = max(len(name) for name in names)
    for name in names:
        value = facts.get(name)
        if value is not None:
            shown = number(value, span=span if name in _CHIPS else 0.0) if isinstance(value, float) else value
            say(f"{name.replace('_', ' '):{width}}  {shown}")


def show_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns (see `tables.aligned`)."""
    for line in aligned(columns, rows):
        print(line)


def show_note(facts: dict[str, Any]) -> None:
    """Print the caveat about the numbers, if there is one."""
    if facts.get("note"):
        say(["", facts["note"]])


def note_interrupt(facts: dict[str, Any]) -> None:
    """Note on stderr that a result was interrupted."""
    if facts.get("interrupted"):
        print("interrupted: this is the best so far", file=sys.stderr)
