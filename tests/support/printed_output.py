"""Whether two outputs say the same: equal words, and numbers that are equal within a tolerance.

Numbers with a decimal point may differ by a thousandth of themselves, by 1e-6, or by one unit of a third or later digit
behind the point; percentages by one unit of their last digit. For the last bits of a sum depend on the processor, and
rounding may show it. Whole numbers must be equal. Times are not compared: what stands behind `seconds` or in a column of
that name, and the speeds of a match. A letter of a cell in a grid of hands may differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

_RELATIVE, _ABSOLUTE, _ROUNDED = 1e-3, 1e-6, 1e-3
_NUMBER = re.compile(r"([(\[±]*)([+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)([.,:;%)\]]*)")
_TIMED = re.compile(r"(seconds|decisions per second|slowest decision, in ms) ")
_UNITS = {"s", "ms", "second", "seconds", "minutes"}
_RANKS = set("AKQJT98765432")
_CELL = re.compile(r"[a-z.]+")


def difference(shown: str, printed: str, tolerance: float | None = 0.0) -> str | None:
    """The first difference between what a page shows and what was printed, as a sentence; None if there is none.

    Args:
        shown: in the page.
        printed: by the command.
        tolerance: by which share of itself any number may differ besides; None: by any amount.
    """
    ours, theirs = ([line for line in text.splitlines() if line.strip()] for text in (shown, printed))
    for here, there, same in _lines(ours, theirs, tolerance):
        if here is None or there is None:
            return f"the page has {len(ours)} lines and the output {len(theirs)}: {here or there}"
        if not same:
            return f"the page shows\n  {here}\nand this was printed\n  {there}"
    return None


def updated(shown: str, printed: str, tolerance: float | None = 0.0) -> str:
    """What was printed, but for lines that the page has already, laid out alike; so a busy machine leaves no times in it."""
    lines = list(_lines(shown.splitlines(), printed.splitlines(), tolerance))
    if any(here is None or there is None for here, there, _ in lines):
        return printed
    return "".join(f"{here if same and _column(here) == _column(there) else there}\n" for here, there, same in lines)


def _column(line: str | None) -> int:
    """Where the value begins in a line of a name and a value; 0 in others."""
    gap = re.match(r"\S.*?\s{2,}", line or "")
    return gap.end() if gap else 0


def _lines(
    shown: Sequence[str], printed: Sequence[str], tolerance: float | None
) -> Iterator[tuple[str | None, str | None, bool]]:
    """The lines side by side, and whether they say the same."""
    column: tuple[int, int] | None = None
    for here, there in zip_longest(shown, printed):
        yield here, there, None not in (here, there) and _same(here, there, tolerance, column)
        heading = re.search(r"\bseconds\b(?! +\d)", there or "")
        column = heading.span() if heading else column


def _same(shown: str, printed: str, tolerance: float | None, column: tuple[int, int] | None) -> bool:
    if not shown.strip() or not printed.strip():
        return shown.strip() == printed.strip()
    words, there = list(re.finditer(r"\S+", shown)), list(re.finditer(r"\S+", printed))
    if len(words) != len(there):
        return False
    if words[0][0] in _RANKS and all(_CELL.fullmatch(word[0]) for word in (*words[1:], *there[1:])):
        return words[0][0] == there[0][0] and all(map(_same_cell, words[1:], there[1:]))
    timed = bool(_TIMED.match(printed))
    for place, (mine, theirs) in enumerate(zip(words, there, strict=True)):
        a, b = _NUMBER.fullmatch(mine[0]), _NUMBER.fullmatch(theirs[0])
        if not a or not b:
            if mine[0] != theirs[0]:
                return False
            continue
        after = there[place + 1][0].rstrip(".,;:") if place + 1 < len(there) else ""
        under = column is not None and theirs.start() < column[1] and column[0] < theirs.end()
        if (a[1], a[3]) != (b[1], b[3]):
            return False
        if not (timed or under or after in _UNITS or _close(a[2], b[2], tolerance, percent="%" in (*a[3], *after))):
            return False
    return True


def _same_cell(mine: re.Match[str], theirs: re.Match[str]) -> bool:
    a, b = mine[0], theirs[0]
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) <= 1


def _close(shown: str, printed: str, tolerance: float | None, percent: bool) -> bool:
    if tolerance is None:
        return True
    a, b = (float(text.replace(",", "")) for text in (shown, printed))
    near = tolerance * max(abs(a), abs(b))
    if percent or not all(re.fullmatch(r"[+-]?[\d,]+", text) for text in (shown, printed)):
        unit = min(_unit(shown), _unit(printed))
        near = max(near, _RELATIVE * max(abs(a), abs(b)), _ABSOLUTE, unit if percent or unit <= _ROUNDED else 0.0)
    return abs(a - b) <= near * (1.0 + 1e-9)


def _unit(text: str) -> float:
    """One unit of the last digit."""
    digits, _, power = text.partition("e")
    _, _, fraction = digits.partition(".")
    return 10.0 ** (int(power or 0) - len(fraction))
