"""Numbers of a reproduction as the command line prints them: ours beside references by kind, or in rows and columns."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from counterplay.commands.printing.output import number, say, show_rows
from counterplay_papers.experiment import AIM, KINDS, count_by_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterplay_papers.experiment import Experiment, Result
    from counterplay_papers.reproduce_all import Agreement


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
    first = max(len(row) for row in rows)
    for place, block in enumerate(_blocks(columns, shown, get_terminal_size((120, 24)).columns - first)):
        if place:
            print()
        heads = zip(*(_stacked(column, columns) for column in block), strict=True)
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


def _stacked(column: str, columns: list[str]) -> list[str]:
    """The words of a column's name below each other, all names ending on the same line."""
    words = column.split()
    return [""] * (max(len(name.split()) for name in columns) - len(words)) + words
