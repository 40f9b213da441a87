"""The command that traces and compares methods. Registered in `registry.py`."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING

from counterplay.commands.options.comparison_options import (
    ContestFlags,
    DrawFlags,
    PointsFlags,
    ValueFlags,
    settings_of,
)
from counterplay.commands.options.inputs import check_opponents, load_game, opponent_of, progress_bar, solver_in
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import FlopFlags, LookFlags, Precision
from counterplay.commands.options.work_options import check_work, work_tools
from counterplay.commands.printing.output import say
from counterplay.commands.printing.points import known_value, show_points
from counterplay.commands.value_output import report
from counterplay.commands.whole_game_values import check_whole, trace_on_flops
from counterplay.errors import InputError
from counterplay.files import write_together
from counterplay.poker.betting.stakes import NO_BOUND, stakes_of
from counterplay.texts.grammar import parts

if TYPE_CHECKING:
    from counterplay.experiments.comparison.comparison import Comparison

_OLDER = (
    "Points of an older version: gain counts from the blueprint's worst case, exploitability beside the blueprint's."
)


@takes_records
def frontier(
    *,
    who: ContestFlags,
    look: LookFlags,
    by: ValueFlags,
    precision: Precision = "double",
    drawn: DrawFlags,
    result: PointsFlags,
) -> None:
    """Trace gain against exploitability for several methods. Ctrl-C keeps the points so far.

    With several games or opponents, or --within, also a table of each method's gain within limits of exploitability.
    """
    from counterplay.experiments.comparison.comparison import compare
    from counterplay.experiments.comparison.comparison_work import ComparisonWork
    from counterplay.experiments.comparison.contests import contests

    result.check()
    check_work(result)
    by = replace(by, solver=solver_in(by.solver, precision))
    if drawn.flops is not None:
        if precision != "double":
            raise InputError("--precision is for games in memory and spots, not for whole games of hold'em")
        _trace_on_flops(who, drawn.flops, drawn.blueprint, result)
        return
    if drawn.blueprint is not None:
        raise InputError("--blueprint goes with --flops")
    single = who.is_single
    asked = settings_of(who, look, by, result.seed)
    among = contests(asked, lambda spec: load_game(spec, result.memory))
    line = work_tools(ComparisonWork(asked, among), result, single or result.as_json, named=True)
    with line as tools, progress_bar(None, not single or result.as_json, among[0].game if single else None) as progress:
        found = compare(asked, among, progress=progress, **vars(tools))
    (_show_frontier if single else _show_comparison)(found, result)


def _trace_on_flops(who: ContestFlags, flops: str, blueprint: str | None, result: PointsFlags) -> None:
    """A frontier of one whole game of hold'em, on drawn flops."""
    from counterplay.measure.frontier_picture import write_plot
    from counterplay.measure.frontier_point import Point, write_csv

    if not who.is_single:
        raise InputError("--flops are for one game and one opponent, without --within")
    game = load_game(who.game[0], result.memory)
    check_opponents(who.game[0], who.to[0])
    check_whole(game)
    model = opponent_of(game, who.to[0], 1 - int(who.seat), result.seed)
    methods = "rnr,safe" if who.methods == ContestFlags.methods else who.methods
    words = [word for word in parts(methods, ",") if word]
    flags = FlopFlags(flops=flops, blueprint=blueprint, workers=result.workers, record=result.record)
    found = trace_on_flops(game, model, words, flags, who.points, result)
    points = [Point(one.method, one.dial, nan, nan, one.seconds, edge=one.edge, risk=one.risk) for one in found]
    with write_together():
        if result.output:
            write_csv(points, result.output)
        if result.plot:
            write_plot(points, result.plot, f"{game.name}: seat {1 - model.player} against {who.to[0]}, {flops} flops")


def _show_frontier(comparison: Comparison, result: PointsFlags) -> None:
    """One game and opponent: the points themselves."""
    from counterplay.measure.frontier import steps_of
    from counterplay.measure.frontier_picture import write_plot
    from counterplay.measure.frontier_point import is_cut, write_csv
    from counterplay.measure.game_measures import measure_of
    from counterplay.poker.whole_game.game_text import is_whole_game

    if not comparison.traced:
        raise KeyboardInterrupt
    asked, found, contest = comparison.asked, comparison.traced[0].points, comparison.traced[0].contest
    name, to, stakes = contest.game.name, contest.source, stakes_of(contest.game)
    with write_together():
        if result.output:
            write_csv(found, result.output)
        if result.plot:
            write_plot(found, result.plot, f"{name}: seat {asked.seat} against {to}")
    facts = {"game": name, "to": to, "seat": asked.seat, "seed": asked.seed, "cut": is_cut(found)}
    facts["interrupted"] = comparison.interrupted
    facts["points"] = [point.facts() for point in found]
    measure, counts = measure_of(contest.game), list[str]()
    if (gap := measure.value_gap(asked.seat)) is not None:
        value = measure.game_value(asked.seat)
        counts.append(f"Gain counts from the value of the game, {known_value(value, gap, contest.game.span)}.")
        facts |= {"game_value": value, "game_value_gap": gap}
    if stakes.pot is not None:
        facts |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    if getattr(contest.game, "rake", 0.0):
        facts["note"] = NO_BOUND
    steps = [f"{method} looks ahead {steps}." for method, steps in steps_of(contest.methods).items()]
    steps += [f"{name}: {method.BOUND}." for name, method in contest.methods.items() if method.BOUND]
    below = [partial(show_points, list(found), contest.game.span, stakes), partial(say, [*counts, *steps])]
    if is_whole_game(name) and any(point.edge is None for point in found):
        below.append(partial(say, _OLDER))
    report(None, facts, [], result, below=below)
    if is_cut(found) and not result.as_json:
        print(f"rnr may have more corners than these; more than --points {asked.points} shows them", file=sys.stderr)


def _show_comparison(found: Comparison, result: PointsFlags) -> None:
    """Several games or opponents: a table of each method's gain within limits."""
    from counterplay.experiments.comparison.comparison import write_csv
    from counterplay.experiments.comparison.picture import draw
    from counterplay.experiments.comparison.table import facts, table

    with write_together():
        if result.output and found.traced:
            write_csv(found, result.output)
        if found.games and result.plot:
            draw(found, result.plot)
    if not found.games:
        raise KeyboardInterrupt
    report(None, facts(found), [], result, below=[lambda: print(table(found))])
