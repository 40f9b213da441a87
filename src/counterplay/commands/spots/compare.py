"""The command that compares two solved spots. Registered in `cli.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.output import say, show_json
from counterplay.errors import InputError

First = Annotated[Path, typer.Argument(metavar="A.spot", help="A solved spot.")]
Second = Annotated[Path, typer.Argument(metavar="B.spot", help="Another, of the same board, chips and bets.")]


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

    both = [load_spot(path) for path in (first, second)]
    try:
        found = compare_solutions(*both)
    except InputError as error:
        raise InputError(f"{first} and {second} cannot be compared: {error}") from None
    if shown.as_json:
        show_json({**found.facts(), "files": [str(first), str(second)], "seed": shown.seed})
        return
    say(comparison_lines(found, _names(first, second), nodes))


def _names(first: Path, second: Path) -> tuple[str, str]:
    """Short names of two files; whole paths where short ones are equal."""
    return (str(first), str(second)) if first.name == second.name else (first.name, second.name)
