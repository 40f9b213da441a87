"""The command that traces and compares methods. Registered in `cli.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.inputs import RespondSeat, check_solver, load_game, progress_bar
from counterplay.commands.options.option_records import given_options, takes_records
from counterplay.commands.options.shared_options import (
    PICTURES,
    RECORDS,
    Json,
    LookFlags,
    Memory,
    Record,
    Seat,
    Seed,
    Solver,
    Workers,
)
from counterplay.commands.output import announce, note_interrupt, say, show_json, show_note, show_points
from counterplay.files import check_writable
from counterplay.poker.betting.rake import NO_BOUND
from counterplay.poker.betting.stakes import stakes_of

if TYPE_CHECKING:
    from counterplay.experiments.comparison.comparison import Comparison


@takes_records
def frontier(
    *,
    game: Annotated[list[str], typer.Argument(metavar="GAME...", help="One game, or several to compare methods in.")],
    to: Annotated[
        list[str],
        typer.Option("--to", metavar="OPPONENT", help="As elsewhere; several times, or A;B. leduc=s1 is for one game."),
    ],
    methods: Annotated[str, typer.Option("--methods", help="Methods, separated by commas.")] = "rnr,safe,mix,bne,br",
    seat: RespondSeat = Seat.FIRST,
    points: Annotated[int, typer.Option("--points", help="Points of each method; of rnr corners at most.")] = 11,
    within: Annotated[
        str | None,
        typer.Option("--within", metavar="S,S", help="Table of the gain within these shares of the payoffs' span."),
    ] = None,
    look: LookFlags,
    value: Annotated[
        list[str] | None,
        typer.Option("--value", help="As elsewhere; several times: abd=portfolio:A;B is for one method or game."),
    ] = None,
    solver: Solver = "auto",
    workers: Workers = 1,
    record: Record = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the points as CSV.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw a picture (.png, .svg, .pdf).")] = None,
    memory: Memory = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Trace gain against exploitability for several methods. Ctrl-C keeps the points so far.

    With several games or opponents, or --within, also a table of each method's gain within limits of exploitability.
    """
    from counterplay.experiments.comparison.comparison import compare
    from counterplay.experiments.comparison.comparison_work import ComparisonWork
    from counterplay.experiments.comparison.contests import ContestSettings, contests
    from counterplay.experiments.comparison.per_game_text import shares
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    _check_files(output, plot)
    check_writable(record, *RECORDS)
    check_solver(solver)
    executor = executor_of(workers)
    opponents = [word for text in to for word in text.split(";") if word.strip()]
    single = len(set(game)) == len(opponents) == 1 and within is None
    limits = {"within": ()} if single else {} if within is None else {"within": shares(within)}
    asked = ContestSettings(
        game, to, _words(methods), points=points, seat=int(seat), seed=seed, far=given_options(look), values=value or [],
        solver=solver, **limits,
    )  # fmt: skip
    among = contests(asked, lambda spec: load_game(spec, memory))
    kept = WorkRecord(record, ComparisonWork(asked, among).identity())
    watch = None if as_json or single else announce
    with progress_bar(None, as_json, among[0].game if single else None) as progress:
        found = compare(asked, among, record=kept, executor=executor, watch=watch, progress=progress)
    if single:
        _show_frontier(found, output, plot, as_json)
    else:
        _show_comparison(found, output, plot, as_json)


def _check_files(output: Path | None, plot: Path | None) -> None:
    """Check, before any computation, that the output can be written and drawn."""
    from counterplay.measure.figures import plotter

    check_writable(output)
    check_writable(plot, *PICTURES)
    if plot:
        plotter()


def _words(text: str) -> list[str]:
    """The words between commas, each once."""
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _show_frontier(comparison: Comparison, output: Path | None, plot: Path | None, as_json: bool) -> None:
    """One game and opponent: the points themselves."""
    from counterplay.measure.frontier import steps_of
    from counterplay.measure.frontier_picture import write_plot
    from counterplay.measure.frontier_point import is_cut, write_csv

    if not comparison.traced:
        raise KeyboardInterrupt
    asked, found, contest = comparison.asked, comparison.traced[0].points, comparison.traced[0].contest
    name, to = contest.game.name, contest.source
    if output:
        write_csv(found, output)
    if plot:
        write_plot(found, plot, f"{name}: seat {asked.seat} against {to}")
    stakes = stakes_of(contest.game)
    note = {"note": NO_BOUND} if getattr(contest.game, "rake", 0.0) else {}
    if as_json:
        facts = {"game": name, "to": to, "seat": asked.seat, "seed": asked.seed, "cut": is_cut(found)}
        told = {**facts, "points": [vars(x) for x in found]}
        show_json(told if stakes.pot is None else {**told, "pot": stakes.pot, "big_blind": stakes.big_blind, **note})
        return
    show_points(list(found), contest.game.span, stakes)
    say([f"{method} looks ahead {steps}." for method, steps in steps_of(contest.methods).items()])
    show_note(note)
    if is_cut(found):
        print(f"rnr may have more corners than these; more than --points {asked.points} shows them", file=sys.stderr)


def _show_comparison(found: Comparison, output: Path | None, plot: Path | None, as_json: bool) -> None:
    """Several games or opponents: a table of each method's gain within limits."""
    from counterplay.experiments.comparison.comparison import write_csv
    from counterplay.experiments.comparison.picture import draw
    from counterplay.experiments.comparison.table import facts, table

    if output and found.traced:
        write_csv(found, output)
    if not found.games:
        raise KeyboardInterrupt
    if plot:
        draw(found, plot)
    if as_json:
        show_json(facts(found))
        return
    print(table(found))
    note_interrupt({"interrupted": found.interrupted})
