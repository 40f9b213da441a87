"""Results with their units, as the command line prints them: chips, and what those are worth in spots of hold'em; and the
end of every command that computes a strategy: it is saved, and its facts are shown, as JSON or as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.inputs import save_strategies
from counterplay.commands.options.shared_options import ResultFlags, ShownFlags
from counterplay.commands.printing.output import note_interrupt, number, rounding, show_facts, show_json, show_note
from counterplay.poker.betting.stakes import Stakes, stakes_of

if TYPE_CHECKING:
    from counterplay.treeplex.strategy import Strategy

_RATES = (
    "gain",
    "edge",
    "edge_against_blueprint",
    "risk",
    "rake",
    "exploitability",
    "model_exploitability",
    "nash_conv",
    "before",
    "after",
)
_BEGINNINGS = ("exploitability_", "gain_", "value_before", "value_after", "value_mixing", "equilibria ")
_CHIPS = (
    "continuation",
    "gap",
    "safety delta",
    "safety eta",
    "safety exploitability",
    "safety reward",
    "safety measured",
)
_VALUES = {
    "value": "EV oop",
    "game_value": "EV",
    "blueprint_value": "EV",
    "value_against_model": "EV",
    "worst_case": "EV",
}
_LEFT_OUT = ("percent", "bb_per_100", "ev", "ev_against_model", "pot", "big_blind", "note", "value_gap")
"""Ends of names that stand in another line already, or below the lines."""


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
                shown[name] = f"{net(value)}: {_VALUES[name]} {stakes.amount(0.5 * stakes.pot + value)}"  # type: ignore[operator]
            if name == "game_value" and (gap := facts.get("game_value_gap") or 0.0) > least:
                shown[name] = f"{shown[name]}, known to {number(gap, '.2g')} chips"
    return shown, [name for name in names if not name.endswith(_LEFT_OUT)]


def net(chips: float) -> str:
    """Chips net of half of the pot."""
    return f"{number(chips)} chips net of half of the pot"


def describe_result(chips: float, stakes: Stakes) -> str:
    """The result of a hand: in a spot from its beginning on, and net of half of the pot."""
    if stakes.pot is None:
        return f"{number(chips, '+.6g')} chips"
    return (
        f"{number(chips + 0.5 * stakes.pot, '+.6g')} chips from here on, {number(chips, '+.6g')} net of half of the pot"
    )


def report(
    game: Any, facts: dict[str, Any], names: Sequence[str], result: ShownFlags, *, lines: dict[str, Any] | None = None,
    below: Iterable[Callable[[], None]] = (), strategies: Sequence[Strategy] = (), model: Strategy | None = None,
) -> None:  # fmt: skip
    """Save the strategies of a result, and show its facts.

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
