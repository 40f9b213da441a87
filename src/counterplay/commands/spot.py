"""The command that solves and shows spots of hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from counterplay.commands.inputs import check_memory
from counterplay.commands.leak_options import LockFlags, read_leaks
from counterplay.commands.option_records import takes_records
from counterplay.commands.options import Json, Memory, Seed
from counterplay.commands.output import show_json
from counterplay.commands.spot_options import SOLVED, SpotFlags, SpotLimits, SpotRequest
from counterplay.commands.spot_output import facts_of, show_answer, show_solution
from counterplay.files import check_writable


@takes_records
def spot(
    *,
    about: SpotFlags,
    file: Annotated[
        Path | None, typer.Option("--file", help="A TOML file with these, or a solved .spot file to look at.")
    ] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'x b100 c Ah'; several times.")
    ] = None,
    limits: SpotLimits,
    locked: LockFlags,
    grid: Annotated[bool, typer.Option("--grid", help="With --lock: show changes as 13x13 grids.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the solution (.spot).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy, or what to do against a player with leaks. Ctrl-C
    keeps the best so far; with --lock, in the first solve, that is the strategy without the leaks."""
    check_writable(output, SOLVED)
    check_memory(memory)
    limits.check()
    leaks = read_leaks(locked, grid)
    request = SpotRequest(about, file, limits, memory, node or [], as_json)
    solved = request.solution(leaks)
    found = None
    if leaks and not request.cut_short(solved):
        found = leaks.answer(solved, limits.accuracy(solved.spot), as_json)
    shown = found.answered if found else solved
    nodes = [shown.node(path) for path in node or ([] if found else [""])]
    if output:
        shown.save(output)
    if as_json:
        show_json(facts_of(shown, nodes, found) | {"seed": seed})
    elif found:
        show_answer(found, nodes, grid)
    else:
        show_solution(shown, nodes)
        if leaks:
            print("the leaks are not answered: this is the strategy without them", file=sys.stderr)
