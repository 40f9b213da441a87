"""The end of every command that computes a strategy: it is saved, and its facts are shown, as JSON or as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterplay.commands.inputs import save_strategies
from counterplay.commands.output import note_interrupt, show_facts, show_json, show_note
from counterplay.commands.value_output import with_units

if TYPE_CHECKING:
    from counterplay.commands.options import ResultFlags
    from counterplay.treeplex.strategy import Strategy


def report(
    game: Any, facts: dict[str, Any], names: Sequence[str], result: ResultFlags, *, lines: dict[str, Any] | None = None,
    strategies: Sequence[Strategy] = (), model: Strategy | None = None,
) -> None:  # fmt: skip
    """Save the strategies of a result, and show its facts.

    Args:
        game: in which it was computed.
        facts: all of it, for JSON.
        names: of the facts that are lines, in their order.
        result: where it goes.
        lines: facts that read otherwise as lines.
        strategies: what is saved.
        model: of the other player, for files that hold both.
    """
    if result.output:
        save_strategies(game, strategies, result.output, model)
    if result.as_json:
        show_json(facts)
        return
    show_facts(*with_units({**facts, **(lines or {})}, list(names), game), game.span)
    show_note(facts)
    note_interrupt(facts)
