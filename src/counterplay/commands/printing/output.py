"""Results as the command line prints them: JSON, facts line by line with their units, rows in columns, notes; and the end of
every command that computes a strategy: it is saved, and its facts are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import counterplay as cp
from counterplay.commands.options.shared_options import ResultFlags, ShownFlags, save_strategies
from counterplay.poker.betting.stakes import Stakes, stakes_of
from counterplay.tables import aligned

_ROUNDING, _MOST_ROUNDING = 1e-10, 1e-3
_ROUNDED = (
    "value", "nash_conv", "exploitability", "gain", "game_value", "value_against_model", "worst_case", "before", "after",
    "model_exploitability", "mean",
)  # fmt: skip
"""Facts in chips whose rounding errors are printed as 0."""
_RATES = (
    "gain", "edge", "edge_against_blueprint", "risk", "rake", "exploitability", "model_exploitability", "nash_conv",
    "before", "after",
)  # fmt: skip
_BEGINNINGS = ("exploitability_", "gain_", "value_before", "value_after", "value_mixing", "equilibria ")
_CHIPS = (
    "continuation", "gap", "safety delta", "safety eta", "safety exploitability", "safety reward", "safety measured",
)  # fmt: skip
_VALUES = {
    "value": "EV oop", "game_value": "EV", "blueprint_value": "EV", "value_against_model": "EV", "worst_case": "EV",
}  # fmt: skip
_LEFT_OUT = ("percent", "bb_per_100", "ev", "ev_against_model", "pot", "big_blind", "note", "value_gap")
"""Ends of names that stand in another line already, or below the lines."""


def show_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(_finite(value), indent=1, allow_nan=False))


def _finite(value: Any) -> Any:
    """A value with null for numbers that JSON lacks."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def rounding(span: float) -> float:
    """Chips up to which a number is rounding, and is printed as 0: a share of the span of payoffs, but no more where some
    payoffs are huge, since they may never be paid."""
    return min(_ROUNDING * span, _MOST_ROUNDING)


def number(value: float, form: str = ".6g", span: float = 0.0) -> str:
    """A printed number: rounding errors at this span of payoffs become 0, and 0 has no sign."""
    shown = f"{0.0 if abs(value) <= rounding(span) else value:{form}}"
    return shown.replace("-", "", 1) if shown.startswith("-") and not float(shown) else shown


def interval(ends: Iterable[float], form: str = ".4g") -> str:
    """The two ends of an interval."""
    return " to ".join(number(end, form) for end in ends)


def percent(share: float | None, form: str = ".0f") -> str:
    """A share as a cell of a table; blank where it is unknown."""
    return "" if share is None else f"{100.0 * share:{form}} %"


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
            shown = number(value, span=span if name in _ROUNDED else 0.0) if isinstance(value, float) else value
            say(f"{name.replace('_', ' '):{width}}  {shown}")


def show_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns, each `<` or `>` and a width; without one a column is two wider than its longest cell."""
    table = list(rows)
    widths = [2 + max(len(str(row[k])) for row in table) if form in "<>" else "" for k, form in enumerate(columns)]
    for line in aligned([f"{form}{width}" for form, width in zip(columns, widths, strict=True)], table):
        print(line)


def show_note(facts: dict[str, Any]) -> None:
    """Print the caveat about the numbers, if there is one."""
    if facts.get("note"):
        say(["", facts["note"]])


def note_interrupt(facts: dict[str, Any]) -> None:
    """Note on stderr that a result was interrupted."""
    if facts.get("interrupted"):
        print("interrupted: this is the best so far", file=sys.stderr)


def with_units(facts: dict[str, Any], names: list[str], game: Any) -> tuple[dict[str, Any], list[str]]:
    """The facts of `show_facts` with units, and the names of those that are lines; in a spot values are both net and EV."""
    stakes = stakes_of(game)
    least = rounding(stakes.pot or stakes.span or 0.0)
    shown = dict(facts)
    for name in names:
        value = facts.get(name)
        if isinstance(value, float):
            value = 0.0 if abs(value) <= least else value
            if name in _RATES or name.startswith(_BEGINNINGS):
                shown[name] = stakes.rate(value)
            elif name in _CHIPS or (name in _VALUES and stakes.pot is None):
                shown[name] = f"{number(value)} chips"
            elif name in _VALUES:
                ev = stakes.amount(0.5 * (stakes.pot or 0.0) + value)
                shown[name] = f"{number(value)} chips net of half of the pot: {_VALUES[name]} {ev}"
            if name == "game_value" and (gap := facts.get("game_value_gap") or 0.0) > least:
                shown[name] = f"{shown[name]}, known to {number(gap, '.2g')} chips"
    return shown, [name for name in names if not name.endswith(_LEFT_OUT)]


def describe_result(chips: float, stakes: Stakes) -> str:
    """The result of a hand: in a spot from its beginning on, and net of half of the pot."""
    if stakes.pot is None:
        return f"{number(chips, '+.6g')} chips"
    return (
        f"{number(chips + 0.5 * stakes.pot, '+.6g')} chips from here on, {number(chips, '+.6g')} net of half of the pot"
    )


def report(
    game: Any, facts: dict[str, Any], names: Sequence[str], result: ShownFlags, *, lines: dict[str, Any] | None = None,
    below: Iterable[Callable[[], None]] = (), strategies: Sequence[cp.Strategy] = (), model: cp.Strategy | None = None,
) -> None:  # fmt: skip
    """Save the strategies of a result, and show its facts as JSON or as lines.

    Args:
        game: in which it was computed; None where the lines have their units already.
        facts: all of it, for JSON.
        names: of the facts that are lines, in their order.
        result: where it goes.
        lines: facts that read otherwise as lines.
        below: print what stands below the lines.
        strategies: what is saved.
        model: of the other player, for files that hold both.
    """
    if strategies and isinstance(result, ResultFlags) and result.output:
        save_strategies(game, strategies, result.output, model)
    if result.as_json:
        show_json(facts)
        return
    if names:
        show_facts(*with_units({**facts, **(lines or {})}, list(names), game), getattr(game, "span", 0.0))
    for show in below:
        show()
    show_note(facts)
    note_interrupt(facts)
