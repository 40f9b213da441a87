"""Results as the command line prints them: facts line by line, tables, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from math import isfinite
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterplay.experiments.experiment import Experiment, Result
    from counterplay.measure.match import CorrectedMean, MatchResult
    from counterplay.poker.betting.stakes import Stakes


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


ROUNDING = 1e-10
"""Share of a game's span of payoffs that is rounding, and is printed as 0."""
_CHIPS = (
    "value", "nash_conv", "exploitability", "gain", "game_value", "value_against_model", "worst_case", "before", "after",
    "model_exploitability", "mean",
)  # fmt: skip
"""Facts that are chips."""


def number(value: float, form: str = ".6g", span: float = 0.0) -> str:
    """A printed number: rounding errors at this span of payoffs become 0, and 0 has no sign."""
    shown = f"{0.0 if abs(value) <= ROUNDING * span else value:{form}}"
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


def show_note(facts: dict[str, Any]) -> None:
    """Print the caveat about the numbers, if there is one."""
    if facts.get("note"):
        say(["", facts["note"]])


def show_results(experiment: Experiment, results: list[Result]) -> None:
    """Printed numbers one line a number, ours beside the paper's; all others as rows and columns."""
    print(f"{experiment.source}: {experiment.title}\n")
    printed = [result for result in results if result.paper is not None]
    ours = [result for result in results if result.paper is None]
    if printed:
        _show_beside(printed, experiment)
    if printed and ours:
        print()
    if ours:
        _show_grid(ours, experiment.digits)


def _show_beside(results: list[Result], experiment: Experiment) -> None:
    """Print one line per number: ours, the paper's, and whether they agree to the printed digit, or why not."""
    first, second = (
        2 + max(len(name) for name in names) for names in zip(*((x.row, x.column) for x in results), strict=True)
    )
    print(f"{'':{first}}{'':{second}}{'ours':>10}{'paper':>10}")
    for result in results:
        ours, paper = number(result.ours, f".{max(3, experiment.digits)}f"), f"{result.paper:.{experiment.digits}f}"
        print(f"{result.row:{first}}{result.column:{second}}{ours:>10}{paper:>10}  {result.verdict(experiment.digits)}")


def _show_grid(results: list[Result], digits: int) -> None:
    """Rows and columns; columns that do not fit the terminal follow below, with the names of the rows again."""
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((x.row, x.column) for x in results), strict=True))
    shown = {(x.row, x.column): number(x.ours, f".{digits}f") for x in results}
    first = max(len(row) for row in rows)
    for place, block in enumerate(_blocks(columns, shown, get_terminal_size((120, 24)).columns - first)):
        if place:
            print()
        for line in zip(*(_stacked(column, columns) for column in block), strict=True):
            words = "".join(f"{word:>{width}}" for word, width in zip(line, block.values(), strict=True))
            print(f"{'':{first}}{words}".rstrip())
        for row in rows:
            numbers = "".join(f"{shown.get((row, column), ''):>{width}}" for column, width in block.items())
            if numbers.strip():
                print(f"{row:{first}}{numbers}")


def _blocks(columns: list[str], shown: dict[tuple[str, str], str], space: int) -> list[dict[str, int]]:
    """The columns with their widths, in blocks that fit the space (or are a single column)."""
    blocks: list[dict[str, int]] = []
    for column in columns:
        words = [*column.split(), *(text for (_, name), text in shown.items() if name == column)]
        width = 2 + max(len(word) for word in words)
        if not blocks or sum(blocks[-1].values()) + width > space:
            blocks.append({})
        blocks[-1][column] = width
    return blocks


def _stacked(column: str, columns: list[str]) -> list[str]:
    """The words of a column's name below each other, all names ending on the same line."""
    words = column.split()
    return [""] * (max(len(name.split()) for name in columns) - len(words)) + words


def note_interrupt(facts: dict[str, Any]) -> None:
    """Note on stderr that a result was interrupted."""
    if facts.get("interrupted"):
        print("interrupted: this is the best so far", file=sys.stderr)


def show_points(points: list[Any], span: float = 0.0, stakes: Stakes | None = None) -> None:
    """A table of the points of a frontier; the unit, and what a chip is worth, stand below."""
    print(f"{'method':8}{'dial':>14}{'gain':>12}{'exploitability':>16}{'seconds':>9}")
    for point in points:
        gain, risk = (number(chips, ".6f", span) for chips in (point.gain, point.exploitability))
        print(f"{point.method:8}{point.dial_text:>14}{gain:>12}{risk:>16}{point.seconds:9.3f}")
    worth = ", ".join(stakes.others(1.0)) if stakes is not None else ""
    say(f"Gain and exploitability are chips a hand{f'; a chip is {worth}' if worth else ''}.")


def _show_aivat(result: MatchResult, found: CorrectedMean) -> None:
    """Mean and interval with the luck taken out, and how much of the variance is left."""
    worth = ", ".join(result.stakes.others(found.mean))
    print(f"{f'AIVAT, {found.known} known':26}{number(found.mean, '.4g')}{f' ({worth})' if worth else ''}")
    if found.interval is not None:
        print(f"{'95 % interval':26}{' to '.join(number(end, '.4g') for end in found.interval)}")
    if found.variance is not None:
        print(f"{'variance left':26}{100 * found.variance:.3g} %")


def show_match(result: MatchResult, names: tuple[str, str]) -> None:
    """Mean and interval of a match, and both sides' speed; `names` as the user wrote them."""
    mean, interval = number(result.mean, ".4g"), "unknown: it takes two pairs of hands"
    if result.interval is not None:
        interval = " to ".join(number(end, ".4g") for end in result.interval)
    worth = ", ".join(result.stakes.others(result.mean))
    print(f"{result.game}: {names[0]} (A) against {names[1]} (B)\n")
    print(f"{'hands':26}{result.hands}")
    print(f"{'chips per hand of A':26}{mean}{f' ({worth})' if worth else ''}")
    print(f"{'95 % interval':26}{interval}")
    if result.aivat is not None:
        _show_aivat(result, result.aivat)
    if result.rake:
        print(f"{'chips per hand of B':26}{number(-result.mean - result.rake, '.4g')}")
        print(f"{'rake per hand':26}{number(result.rake, '.4g')}")
    print(f"{'seconds':26}{result.seconds:.3g}\n")
    print(f"{'':26}{'A':>10}{'B':>10}")
    speeds = [f"{speed:.0f}" if speed >= 100 else f"{speed:.3g}" for speed in result.decisions_per_second]
    print(f"{'decisions':26}{result.decisions[0]:>10}{result.decisions[1]:>10}")
    print(f"{'decisions per second':26}{speeds[0]:>10}{speeds[1]:>10}")
    print(f"{'slowest decision, in ms':26}{result.slowest_ms[0]:>10.3g}{result.slowest_ms[1]:>10.3g}")
