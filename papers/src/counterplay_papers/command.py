"""The command that computes tables and figures of the papers again. Registered in `registry.py`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from counterplay import InputError
from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags, Workers
from counterplay.commands.printing.output import show_json
from counterplay.files import check_folder
from counterplay.work.executor import Executor
from counterplay_papers.printed_tables import show_agreement, show_results
from counterplay_papers.registry import REPRODUCTIONS


@takes_records
def reproduce(
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help=f"{', '.join(REPRODUCTIONS[:-1])} or {REPRODUCTIONS[-1]}.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them, in one table of what agrees.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for CSV, PNG and record.")] = Path("out"),
    quick: Annotated[bool, typer.Option("--quick", help="Only a part of the numbers, in seconds.")] = False,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", metavar="WORDS", help="Only rows that have these words in their names; several times."),
    ] = None,
    workers: Workers = 1,
    shown: Annotated[ShownFlags, Without("seed")],
) -> None:
    """Reproduce a table or figure of a paper, our numbers beside references of each kind. An interrupted run can be
    resumed."""
    from counterplay.work.processes import executor_of
    from counterplay.work.progress import work_line
    from counterplay_papers.experiment import part_of
    from counterplay_papers.registry import reproduction
    from counterplay_papers.reproduce import reproduce as reproduce_it

    if (name is None) != every:
        raise InputError(f"reproduce takes the name of a table or figure, such as {REPRODUCTIONS[0]}, or --all")
    if every and rows:
        raise InputError("--rows chooses rows of one table or figure, not of --all")
    check_folder(output)
    executor = executor_of(workers)
    if name is None:
        _reproduce_all(output, quick, executor, shown.as_json)
        return
    experiment = reproduction(name) if not rows else part_of(reproduction(name), rows)
    with work_line("computed", shown.as_json, named=True) as watch:
        results = reproduce_it(experiment, output, quick, executor=executor, watch=watch, say=_say)
    if shown.as_json:
        show_json([vars(result) for result in results])
        return
    show_results(experiment, results)
    print(f"\nAlso in {output}: {name}.csv, {name}.png")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _reproduce_all(output: Path, quick: bool, executor: Executor, as_json: bool) -> None:
    from counterplay.work.progress import work_line
    from counterplay_papers.reproduce_all import reproduce_all

    with work_line("computed", as_json, named=True) as watch:
        found = list(reproduce_all(output, quick, executor=executor, watch=watch, say=_say))
    if as_json:
        show_json([asdict(one) for one in found])
        return
    show_agreement(found)
    print(f"\nAlso in {output}: a .csv and a .png of each")
