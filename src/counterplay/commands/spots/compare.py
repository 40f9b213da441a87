"""The command that compares two solved spots. Registered in `cli.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.output import say, show_json
from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.poker.spots.solution import SolvedSpot

First = Annotated[Path, typer.Argument(metavar="A.spot", help="A solved spot.")]
Second = Annotated[
    str,
    typer.Argument(metavar="B.spot", help="Another, of the same board, chips and bets; or lock:FILE, A with leaks."),
]
_LOCK = "lock:"


@takes_records
def compare(
    *,
    first: First,
    second: Second,
    nodes: Annotated[
        int, typer.Option("--nodes", min=0, help="Nodes shown of each player, by what the change wins.")
    ] = 5,
    shown: ShownFlags,
) -> None:
    """Compare two solutions of a spot: the error of each, what each wins from the other, and where they differ."""
    from counterplay.measure.spots.solution_comparison import compare_solutions, comparison_lines
    from counterplay.poker.spots.solution import load_spot

    one = load_spot(first)
    other = _leaky(one, second) if second.startswith(_LOCK) else load_spot(second)
    try:
        found = compare_solutions(one, other)
    except InputError as error:
        raise InputError(f"{first} and {second} cannot be compared: {error}") from None
    if shown.as_json:
        show_json({**found.facts(), "files": [str(first), second], "seed": shown.seed})
        return
    say(comparison_lines(found, _names(first, second), nodes))


def _leaky(solved: SolvedSpot, text: str) -> SolvedSpot:
    """A solution in which one player has the leaks of a file, as the opponent's text names it.

    Raises:
        InputError: no file, or leaks that do not fit.
    """
    from dataclasses import replace

    from counterplay.opponents.locked import Locked
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.locking.node_lock import lock_nodes

    return replace(solved, plans=lock_nodes(solved, Leaks.from_file(Locked.from_text(text).file)).plans)


def _names(first: Path, second: str) -> tuple[str, str]:
    """Short names of two files; whole ones where short ones are equal. An opponent keeps the whole text."""
    other = second if second.startswith(_LOCK) else Path(second).name
    return (str(first), second) if first.name == other else (first.name, other)
