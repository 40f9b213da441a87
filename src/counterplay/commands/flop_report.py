"""The command that reports a spot over many flops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import AnyOf, Without, takes_records
from counterplay.commands.options.spot_options import FREE, LockFlags, SpotLimits, read_lock, table_with
from counterplay.commands.printing.output import say, show_json
from counterplay.endings import TABLE
from counterplay.errors import InputError
from counterplay.files import check_writable, write_whole
from counterplay.option import Option
from counterplay.poker.spots.spot_fields import SpotFields

if TYPE_CHECKING:
    from counterplay.poker.reports.flop_report import FlopReport
    from counterplay.poker.reports.report_table import Results

_EXAMPLES = ("7s 5h 2d", "As Kh Qd", "Js Th 9d", "6s 4h 3d")
"""Flops without a common rank: ranges that meet on none of them meet nowhere."""


@dataclass(frozen=True)
class ReportFlags(shared.RunFlags):
    """Output and computation of a report."""

    workers: shared.Workers = 1
    record: shared.Record = None
    output: Annotated[Path | None, shared.output_option("Write a row for each flop (.csv).")] = None


@takes_records("report --file flop.toml --flops 23 --record flops.work -o flops.csv")
def report_flops(
    *,
    fields: Annotated[dict[str, Any], AnyOf(SpotFields), Without("board")],
    file: Annotated[Path | None, "A TOML file with these; a board in it counts for nothing."] = None,
    flops: Annotated[str, "23, 49 or 95 that stand for all; all; or 'Qs Jh 2h, 8d 5c 3c'."] = "23",
    node: Annotated[
        list[str] | None, Option("Frequencies at this node; several times (the root).", metavar="PATH")
    ] = None,
    limits: Annotated[SpotLimits, Without("method", "iterations", "seconds")],
    locked: Annotated[LockFlags, Without("villain", "opponent")],
    result: ReportFlags,
) -> None:
    """Solve one spot on many flops: average frequencies and EVs, and with --lock what a leak is worth there. Ctrl-C shows
    the averages so far; --record keeps every flop, and a larger report goes on from it."""
    from counterplay.memory_limit import default_memory
    from counterplay.poker.locking.leak_match import LeakLineError
    from counterplay.poker.reports.flop_choice import choose_flops
    from counterplay.poker.reports.flop_report import FlopReport, LeakQuestion
    from counterplay.work.processes import processes_here
    from counterplay.work.run_work import run_work

    check_writable(result.output, TABLE)
    shared.check_memory(result.memory)
    shared.check_work(result)
    limits.check_solve()
    spot, leaks, leak = _spot(fields, file), read_lock(locked), None
    if leaks is not None:
        leak = LeakQuestion(str(leaks.leaks), locked.p, locked.max_exploitability, locked.elsewhere or FREE)
    memory = default_memory() if result.memory is None else result.memory * 2**30
    work = FlopReport(
        spot, choose_flops(flops, spot.deck), tuple(node or [""]), leak, limits.accuracy(spot), limits.precision,
        memory / processes_here(result.workers),
    )  # fmt: skip
    try:
        work.check()
    except LeakLineError as error:
        raise InputError(f"{locked.lock}: {error}") from None
    with shared.work_tools(work, result, result.as_json, what="solved", named=True) as tools:
        reported = run_work(work, **tools)
    if not reported.results:
        raise KeyboardInterrupt
    _show(work, reported.results, reported.interrupted, result)


def _spot(fields: Mapping[str, Any], file: Path | None) -> cp.Spot:
    """The spot, on some flop that leaves both players a hand."""
    from counterplay.poker.spots.spot import read_table

    table = table_with(fields, {} if file is None else read_table(file))
    problem: InputError | None = None
    for flop in _EXAMPLES:
        try:
            return cp.Spot.from_table({**table, "board": flop})
        except InputError as error:
            problem = problem or error
    assert problem
    raise problem if file is None or fields else InputError(f"{file}: {problem}")


def _show(work: FlopReport, results: Results, interrupted: bool, result: ReportFlags) -> None:
    """The averages as lines or JSON, and the table of all flops as a file."""
    from counterplay.poker.reports.report_table import average, report_lines, write_csv

    if result.output:
        write_whole(result.output, write_csv(work, results))
    if result.as_json:
        averages = average(work, results)
        flops = {}
        for flop, row in results.items():
            plain = {
                path: {key: x for key, x in node.items() if key != "classes"} for path, node in row["nodes"].items()
            }
            flops[flop] = {**row, "nodes": plain, "weight": work.weight(flop)}
        facts = averages._asdict() | {"nodes": [node._asdict() for node in averages.nodes], "results": flops}
        show_json({**facts, "interrupted": interrupted, "seed": result.seed})
        return
    say(report_lines(work, results))
    if interrupted:
        say(["", "Ctrl-C ended the work early."])
