"""The command that computes an equilibrium. Registered in `registry.py`."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.catalogue import SOLVERS
from counterplay.commands.options.inputs import (
    chips_of,
    endings_for,
    exploitability_of,
    load_game,
    naming_solver,
    progress_bar,
    solver_in,
    stop_of,
)
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Precision, ResultFlags, Spec
from counterplay.commands.value_output import report
from counterplay.errors import InputError
from counterplay.files import check_writable


@takes_records
def solve(
    *,
    game: Spec,
    method: Annotated[str, typer.Option("--method", help=f"{', '.join(SOLVERS)}.")] = "auto",
    precision: Precision = "double",
    exploitability: Annotated[
        str | None,
        typer.Option(metavar="CHIPS", help="Stop there: chips a hand, or 0.1% of a spot's pot (of the span)."),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after this many iterations.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    result: ResultFlags,
) -> None:
    """Compute an equilibrium. Ctrl-C keeps the best so far."""
    from counterplay.solvers.solve import solve as solve_game

    check_writable(result.output, *endings_for(game))
    method = solver_in(method, precision)
    fine = exploitability_of(exploitability)
    stop = stop_of(None if fine is None else fine.number, iterations, seconds)
    if method == "lp" and stop is not None:
        raise InputError("lp is exact and takes no --exploitability, --iterations or --seconds")
    tree = load_game(game, result.memory, result.output)
    stop = stop_of(chips_of(fine, tree), iterations, seconds)
    with progress_bar(stop, result.as_json, tree) as progress, naming_solver("method"):
        found = solve_game(tree, method=method, stop=stop, progress=progress)
    names = ["game", "method", "iterations", "value", "nash_conv", "exploitability", "seconds"]
    report(tree, {**found.facts(), "seed": result.seed}, names, result, strategies=found.strategies)
