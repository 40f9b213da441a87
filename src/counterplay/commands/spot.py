"""The command that solves spots of hold'em. Registered in `cli.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.commands.inputs import check_memory, exploitability_of
from counterplay.commands.options import Json, Memory, Seed
from counterplay.commands.output import show_json
from counterplay.commands.spot_options import SpotOptions, leaks_of, stack_of
from counterplay.commands.spot_output import facts_of, show_answer, show_solution
from counterplay.files import check_writable
from counterplay.poker.betting.stakes import PERCENT

_SOLVED = ".spot"


def spot(
    board: Annotated[str | None, typer.Option("--board", help="3, 4 or 5 cards: 'Qs Jh 2h 8d 3c'.")] = None,
    oop: Annotated[str | None, typer.Option("--oop", metavar="RANGE", help="Out of position: 'QQ+,AKs:0.5'.")] = None,
    ip: Annotated[str | None, typer.Option("--ip", metavar="RANGE", help="In position.")] = None,
    pot: Annotated[float | None, typer.Option("--pot", help="Chips in the middle.")] = None,
    stack: Annotated[
        str | None, typer.Option("--stack", metavar="CHIPS", help="Left in front of both, or OOP,IP.")
    ] = None,
    bets: Annotated[
        str | None,
        typer.Option("--bets", metavar="SIZES", help="'50%, a; river: 33%, 75%; raise: 2.5x' (50%, 100%, a)."),
    ] = None,
    raises: Annotated[int | None, typer.Option("--raises", help="Most bets and raises a street.")] = None,
    rake: Annotated[float | None, typer.Option("--rake", help="Share of the final pot for the house, 0 to 1.")] = None,
    rake_cap: Annotated[float | None, typer.Option("--rake-cap", help="Most chips of rake.")] = None,
    big_blind: Annotated[
        float | None, typer.Option("--bb", metavar="CHIPS", help="The big blind, to show results in bb and bb/100 too.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A TOML file with these, or a solved .spot file to look at.")
    ] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", metavar="PATH", help="Show this node: 'x b100 c Ah'; several times.")
    ] = None,
    method: Annotated[str | None, typer.Option("--method", help="cfr, cfr+, dcfr, pcfr+ or pdcfr+.")] = None,
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability", metavar="PERCENT", help="Stop at so many % of the pot (0.5), or at 0.3chips, 5mbb."
        ),
    ] = None,
    iterations: Annotated[int | None, typer.Option("--iterations", help="Stop after this many iterations.")] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop the solve of the spot after so many seconds.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="double, or single: half the memory, faster (double; on flops single)."),
    ] = None,
    lock: Annotated[Path | None, typer.Option("--lock", help="A file with one player's leaks; what to do?")] = None,
    p: Annotated[float | None, typer.Option("--p", help="With --lock: how likely the leaks are (surely).")] = None,
    max_exploitability: Annotated[
        str | None,
        typer.Option(
            "--max-exploitability", metavar="CHIPS", help="With --lock: most to be won back: chips, 1% or 5mbb."
        ),
    ] = None,
    elsewhere: Annotated[
        str | None,
        typer.Option("--elsewhere", help="With --lock: where none is, the player is free or as solved (free)."),
    ] = None,
    grid: Annotated[bool, typer.Option("--grid", help="With --lock: show changes as 13x13 grids.")] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the solution (.spot).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Solve a river, turn or flop spot of hold'em, and show its strategy, or what to do against a player with leaks. Ctrl-C
    keeps the best so far; with --lock, in the first solve, that is the strategy without the leaks."""
    check_writable(output, _SOLVED)
    check_memory(memory)
    told = {
        "board": board, "oop": oop, "ip": ip, "pot": pot, "stack": stack and stack_of(stack), "bets": bets,
        "raises": raises, "rake": rake, "rake_cap": rake_cap, "big_blind": big_blind,
    }  # fmt: skip
    limits = {
        "exploitability": exploitability_of(exploitability, PERCENT),
        "iterations": iterations,
        "seconds": seconds,
    }
    leaks = leaks_of(lock, _given({"p": p, "max_exploitability": max_exploitability, "elsewhere": elsewhere}), grid)
    question = SpotOptions(_given(told), file, _given(limits), method, precision, memory, node or [], as_json)
    solved = question.solution(leaks)
    found = None
    if leaks and not question.cut_short(solved):
        found = leaks.answer(solved, question.accuracy(solved.spot), as_json)
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


def _given(numbers: dict[str, Any]) -> dict[str, Any]:
    """What the user said."""
    return {name: value for name, value in numbers.items() if value is not None}
