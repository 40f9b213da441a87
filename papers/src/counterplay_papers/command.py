"""The command `reproduce`: an entry point of the group `counterplay.commands`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay import InputError
from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.shared_options import ShownFlags, Workers
from counterplay.commands.printing import number, say, show_json, show_rows
from counterplay.files import check_folder
from counterplay_papers.experiment import AIM, KINDS, Experiment, Result, count_by_kind, part_of
from counterplay_papers.registry import REPRODUCTIONS, reproduction

if TYPE_CHECKING:
    from counterplay_papers.runner import Agreement


@takes_records("reproduce cdbr-table1 --quick")
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
    from counterplay.work.run_work import work_line
    from counterplay_papers.runner import reproduce as reproduce_it
    from counterplay_papers.runner import reproduce_all

    if (name is None) != every:
        raise InputError(f"reproduce takes the name of a table or figure, such as {REPRODUCTIONS[0]}, or --all")
    if every and rows:
        raise InputError("--rows chooses rows of one table or figure, not of --all")
    check_folder(output)
    executor = executor_of(workers)
    with work_line("computed", shown.as_json, named=True) as watch:
        if name is None:
            every_one = list(reproduce_all(output, quick, executor=executor, watch=watch, say=_say))
        else:
            experiment = reproduction(name) if not rows else part_of(reproduction(name), rows)
            results = reproduce_it(experiment, output, quick, executor=executor, watch=watch, say=_say)
    if shown.as_json:
        named = "results" if name else "tables"
        show_json({named: list(map(vars, results)) if name else list(map(asdict, every_one))})
    elif name is None:
        show_agreement(every_one)
        print(f"\nAlso in {output}: a .csv and a .png of each")
    else:
        show_results(experiment, results)
        print(f"\nAlso in {output}: {name}.csv, {name}.png")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def show_results(experiment: Experiment, results: list[Result]) -> None:
    """Numbers with a reference one line each, by kind of reference; all others as rows and columns."""
    print(f"{experiment.source}: {experiment.title}")
    if experiment.note:
        say(f"Note: {experiment.note}")
    for kind, count in count_by_kind(results, experiment.digits).items():
        print(f"\nReferences, {KINDS[kind]}: {count.agree} of {count.of} {'reached' if kind == AIM else 'agree'}")
        _show_beside([result for result in results if result.kind == kind], experiment)
    ours = [result for result in results if result.reference is None]
    if ours:
        print()
        _show_grid(ours, experiment.digits)


def show_agreement(found: Sequence[Agreement]) -> None:
    """One line for each reproduction, with the share of references of each kind that agree, the sum of all, and below each
    one line for each number that differs, with the reason."""
    wide = 2 + max(len(one.name) for one in found)
    form = (f"<{wide}", ">7", *(">9" for _ in KINDS), "<2")
    show_rows(form, [("", "numbers", *KINDS, "")])
    for one in found:
        show_rows(form, [(one.name, one.numbers, *_shares([one]), f"  {one.missing or one.source}")])
        if one.note:
            say(f"  note: {one.note}")
        for result in one.differ:
            ours, reference = number(result.ours, ".4g"), number(result.reference or 0.0, ".4g")
            reason = result.reason or ("missed" if result.kind == AIM else "for no known reason")
            print(f"  {result.row}, {result.column}: {ours}, {result.kind} {reference}: {reason}")
    show_rows(form, [("all", sum(one.numbers for one in found), *_shares(found), "")])
    say([f"{kind}: references, {words}" for kind, words in KINDS.items()])


def _shares(found: Sequence[Agreement]) -> list[str]:
    """For each kind, the number of references that agree and of all; blank without any."""
    counts = [[one.references[kind] for one in found if kind in one.references] for kind in KINDS]
    return [f"{sum(one.agree for one in kind)} of {sum(one.of for one in kind)}" if kind else "" for kind in counts]


def _show_beside(results: list[Result], experiment: Experiment) -> None:
    """Print one line per number: ours, the reference, and whether they agree, or why not."""
    first, second = (
        2 + max(len(name) for name in names) for names in zip(*((x.row, x.column) for x in results), strict=True)
    )
    rows: list[tuple[str, ...]] = [("", "", "ours", "reference")]
    for result in results:
        ours = number(result.ours, f".{max(3, experiment.digits)}f")
        reference = f"{result.reference:.{experiment.digits}f}"
        rows.append((result.row, result.column, ours, reference, f"  {result.verdict(experiment.digits)}"))
    show_rows((f"<{first}", f"<{second}", ">10", ">11", "<2"), rows)


def _show_grid(results: list[Result], digits: int) -> None:
    """Rows and columns; columns that do not fit the terminal follow below, with the names of the rows again."""
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((x.row, x.column) for x in results), strict=True))
    shown = {(x.row, x.column): number(x.ours, f".{digits}f") for x in results}
    first, high = max(len(row) for row in rows), max(len(column.split()) for column in columns)
    for place, block in enumerate(_blocks(columns, shown, get_terminal_size((120, 24)).columns - first)):
        if place:
            print()
        words = [column.split() for column in block]  # below each other, all names ending on one line
        heads = zip(*([""] * (high - len(each)) + each for each in words), strict=True)
        known = [row for row in rows if any((row, column) in shown for column in block)]
        numbers = ([row, *(shown.get((row, column), "") for column in block)] for row in known)
        show_rows(
            [f"<{first}", *(f">{width}" for width in block.values())], [*(("", *line) for line in heads), *numbers]
        )


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
