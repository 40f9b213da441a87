"""The command that solves and shows spots of hold'em. Registered in `registry.py`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from counterplay.commands.options.inputs import check_memory
from counterplay.commands.options.leak_options import LockFlags
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.spot_options import SolutionFlags, SpotFlags, SpotLimits, SpotNodeFlags
from counterplay.commands.options.spot_request import SpotRequest
from counterplay.commands.options.villain_options import VillainFlags, VillainRequest, read_lock
from counterplay.commands.printing.frequencies import show_frequencies
from counterplay.commands.spots.spot_output import (
    SOLUTION_LINES,
    facts_of,
    gain_line,
    is_interrupted,
    show_answer,
    show_columns,
    show_node,
    write_table,
)
from counterplay.commands.value_output import report
from counterplay.endings import SPOT, TABLE
from counterplay.files import check_writable, write_together


@takes_records
def spot(
    *,
    about: SpotFlags,
    file: Annotated[
        Path | None, typer.Option("--file", help="A TOML file with these, or a solved .spot file to look at.")
    ] = None,
    look: SpotNodeFlags,
    limits: SpotLimits,
    locked: LockFlags,
    villain: VillainFlags,
    grid: Annotated[bool, typer.Option("--grid", help="With --lock: show changes as 13x13 grids.")] = False,
    side_by_side: Annotated[
        bool,
        typer.Option("--side-by-side", help="With --lock: equilibrium, safe and full exploitation beside each other."),
    ] = False,
    result: SolutionFlags,
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy, or what to do against a player with leaks or one
    known from hands. Ctrl-C keeps the best so far; with --lock, in the first solve, that is the strategy without them."""
    check_writable(result.output, SPOT)
    check_writable(look.csv, TABLE)
    check_memory(result.memory)
    limits.check()
    look.check(result.as_json)
    leaks = read_lock(locked, villain, grid, side_by_side)
    request = SpotRequest(about, file, limits, result.memory, look.node or [], result.as_json)
    solved = request.solution(leaks)
    found = None
    if leaks and side_by_side and not request.cut_short(solved):
        columns = leaks.columns(solved, limits.accuracy(solved.spot), result.as_json)
        tilt = leaks.tilts[-1] if isinstance(leaks, VillainRequest) else None
        if tilt is not None and not result.as_json:
            show_frequencies(tilt)
        show_columns(columns, look, result, {} if tilt is None else {"villain": tilt.facts()})
        return
    if leaks and not request.cut_short(solved):
        found = leaks.answer(solved, limits.accuracy(solved.spot), result.as_json)
    shown = found.answered if found else solved
    nodes = [shown.node(path) for path in look.node or ([] if found else [""])]
    with write_together():
        if result.output:
            shown.save(result.output)
        if look.csv:
            write_table(look.csv, shown, nodes)
    below = [partial(show_node, shown, one, look.values, look.ranges) for one in nodes]
    facts: dict[str, object] = {"interrupted": is_interrupted(found)} if found else dict(solved.facts)
    if result.as_json:
        facts = facts_of(shown, nodes, found) | {"seed": result.seed}
    if found:
        below.insert(0, partial(show_answer, found, grid))
    if found and isinstance(leaks, VillainRequest):
        facts["villain"] = leaks.tilts[-1].facts()
        below.insert(0, partial(show_frequencies, leaks.tilts[-1]))
    report(shown.spot, facts, [] if found else SOLUTION_LINES, result, lines=gain_line(shown), below=below)
    if leaks and not found and not result.as_json:
        print("the leaks are not answered: this is the strategy without them", file=sys.stderr)
