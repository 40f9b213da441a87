"""The command that compares two solved spots. Registered in `registry.py`."""

from __future__ import annotations

from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import ShownFlags
from counterplay.commands.printing.output import say, show_json
from counterplay.errors import InputError

if TYPE_CHECKING:
    from counterplay.opponents.model import OpponentModel

First = Annotated[Path, typer.Argument(metavar="A.spot", help="A solved spot.")]
Second = Annotated[
    str,
    typer.Argument(
        metavar="B.spot", help="Another, of the same board, chips and bets; or an opponent in A, such as lock:FILE."
    ),
]


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
    from counterplay.measure.spots.solution_comparison import compare_solutions, comparison_lines, played_by
    from counterplay.poker.spots.solution import load_spot

    one = load_spot(first)
    model = _model(second)
    other = load_spot(second) if model is None else played_by(one, model, shown.seed)
    try:
        found = compare_solutions(one, other)
    except InputError as error:
        raise InputError(f"{first} and {second} cannot be compared: {error}") from None
    if shown.as_json:
        show_json({**found.facts(), "files": [str(first), second], "seed": shown.seed})
        return
    say(comparison_lines(found, _names(first, second if model else Path(second)), nodes))


def _model(text: str) -> OpponentModel | None:
    """The opponent of a text, or None for a file of a solved spot."""
    from counterplay.opponents.given_strategy import StrategyFile
    from counterplay.opponents.model import MODELS

    if exists(text):
        return None
    model = MODELS.parse(text)
    return None if isinstance(model, StrategyFile) else model


def _names(first: Path, second: Path | str) -> tuple[str, str]:
    """Short names of two files; whole ones where short ones are equal. An opponent keeps the whole text."""
    other = second.name if isinstance(second, Path) else second
    return (str(first), str(second)) if first.name == other else (first.name, other)
