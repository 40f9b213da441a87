"""The commands that trace and compare methods, and that show what a wrong model costs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import counterplay as cp
from counterplay.catalogue import MISREAD, MISREAD_WHOLE_GAME
from counterplay.commands.on_flops import check_whole, trace_on_flops
from counterplay.commands.options import shared_options as shared
from counterplay.commands.options.option_records import Help, Without, takes_records
from counterplay.commands.printing import (
    known_value,
    note_interrupt,
    number,
    report,
    say,
    show_json,
    show_note,
    show_points,
    show_rows,
)
from counterplay.errors import InputError
from counterplay.files import TABLE, check_writable, write_together
from counterplay.lookahead.keywords import LookOptions
from counterplay.option import Option
from counterplay.poker.betting.stakes import NO_BOUND, stakes_of
from counterplay.progress_line import progress_line
from counterplay.texts.grammar import parts

if TYPE_CHECKING:
    from counterplay.measure.comparison import Comparison, ContestSettings

_OLDER = (
    "Points of an older version: gain counts from the blueprint's worst case, exploitability beside the blueprint's."
)
_METHODS = "rnr,safe,mix,bne,br"


@dataclass(frozen=True)
class ContestFlags:
    """Games, opponents and methods of a comparison."""

    game: Annotated[
        list[str], Option("One game, or several to compare methods in.", metavar="GAME...", positional=True)
    ]
    to: Annotated[
        list[str], Option("As elsewhere; several times, or A;B. leduc=s1 is for one game.", metavar="OPPONENT")
    ]
    methods: Annotated[str, "Methods, separated by commas."] = _METHODS
    seat: shared.RespondSeat = shared.Seat.FIRST
    points: Annotated[int, "Points of each method; of rnr corners at most."] = 11
    within: Annotated[
        str | None, Option("Table of the gain within these shares of the payoffs' span.", metavar="S,S")
    ] = None

    @property
    def is_single(self) -> bool:
        """Return whether one game and one opponent are asked for, and no table."""
        opponents = [word for text in self.to for word in parts(text, ";") if word]
        return len(set(self.game)) == len(opponents) == 1 and self.within is None

    def settings(self, look: Mapping[str, Any], values: list[str] | None, solver: str, seed: int) -> ContestSettings:
        from counterplay.measure.comparison import ContestSettings, shares

        within = () if self.is_single else tuple(ContestSettings.within)
        return ContestSettings(
            self.game, self.to, list(dict.fromkeys(_words(self.methods, ","))), far=look, values=values or [],
            within=within if self.within is None else shares(self.within), points=self.points, seat=int(self.seat),
            seed=seed, solver=solver,
        )  # fmt: skip


@dataclass(frozen=True)
class PointsFlags(shared.WorkFlags):
    """Output of the points of a frontier, and their computation."""

    plot: Annotated[Path | None, "Draw a picture (.png, .svg, .pdf)."] = None


@takes_records("frontier leduc --to cfr+:10 --methods rnr,safe,mix -o frontier.csv --plot frontier.png")
def frontier(
    *,
    who: ContestFlags,
    look: Annotated[LookOptions, Without("leaf")],
    leaf: Annotated[
        list[str] | None, "As elsewhere; several times: abd=portfolio:A;B is for one method or game."
    ] = None,
    solver: shared.Solver = "auto",
    precision: shared.Precision = "double",
    flops: Annotated[str | None, "In whole games of hold'em: measure on so many drawn flops, or all."] = None,
    blueprint: shared.Blueprint = None,
    result: Annotated[PointsFlags, Help(output="Write the points (.csv).")],
) -> None:
    """Trace gain against exploitability for several methods. Ctrl-C keeps the points so far.

    With several games or opponents, or --within, also a table of each method's gain within limits of exploitability.
    """
    from counterplay.figures import check_picture
    from counterplay.measure.comparison import ComparisonWork, compare, contests, draw, facts, table, write_csv

    check_writable(result.output, TABLE)
    check_picture(result.plot)
    shared.check_work(result)
    solver = shared.solver_in(solver, precision)
    if flops is not None:
        if precision != "double":
            raise InputError("--precision is for games in memory and spots, not for whole games of hold'em")
        _trace_on_flops(who, shared.FlopFlags(flops, blueprint, result.workers, result.record), result)
        return
    if blueprint is not None:
        raise InputError("--blueprint goes with --flops")
    single = who.is_single
    asked = who.settings(look, leaf, solver, result.seed)
    among = contests(asked, lambda spec: shared.load_game(spec, result.memory))
    line = shared.work_tools(ComparisonWork(asked, among), result, single or result.as_json, named=True)
    with (
        line as tools,
        shared.progress_bar(None, not single or result.as_json, among[0].game if single else None) as progress,
    ):
        compared = compare(asked, among, progress=progress, **tools)
    if single:
        _show_frontier(compared, result)
        return
    with write_together():
        if result.output and compared.traced:
            write_csv(compared, result.output)
        if compared.games and result.plot:
            draw(compared, result.plot)
    if not compared.games:
        raise KeyboardInterrupt
    report(None, facts(compared), [], result, below=[lambda: print(table(compared))])


def _trace_on_flops(who: ContestFlags, flops: shared.FlopFlags, result: PointsFlags) -> None:
    """A frontier of one whole game of hold'em, on drawn flops."""
    from counterplay.measure.frontier_point import Point, write_csv, write_plot

    if not who.is_single:
        raise InputError("--flops are for one game and one opponent, without --within")
    game = shared.load_game(who.game[0], result.memory)
    shared.check_opponents(who.game[0], who.to[0])
    check_whole(game)
    model = cp.opponent(game, who.to[0], 1 - int(who.seat), result.seed)
    methods = _words("rnr,safe" if who.methods == _METHODS else who.methods, ",")
    traced = trace_on_flops(game, model, methods, flops, who.points, result)
    points = [Point(one.method, one.dial, nan, nan, one.seconds, edge=one.edge, risk=one.risk) for one in traced]
    with write_together():
        if result.output:
            write_csv(points, result.output)
        if result.plot:
            title = f"{game.name}: seat {1 - model.player} against {who.to[0]}, {flops.flops} flops"
            write_plot(points, result.plot, title)


def _show_frontier(comparison: Comparison, result: PointsFlags) -> None:
    from counterplay.measure.frontier import steps_of
    from counterplay.measure.frontier_point import is_cut, write_csv, write_plot
    from counterplay.responses.respond import world_of

    if not comparison.traced:
        raise KeyboardInterrupt
    asked, points, contest = comparison.asked, comparison.traced[0].points, comparison.traced[0].contest
    name, to, stakes = contest.game.name, contest.source, stakes_of(contest.game)
    with write_together():
        if result.output:
            write_csv(points, result.output)
        if result.plot:
            write_plot(points, result.plot, f"{name}: seat {asked.seat} against {to}")
    facts = {"game": name, "to": to, "seat": asked.seat, "seed": asked.seed, "cut": is_cut(points)}
    facts["interrupted"] = comparison.interrupted
    facts["points"] = [point.facts for point in points]
    match, notes = world_of(contest.game).matchup(contest.game, contest.model), list[str]()
    if (gap := match.value_gap) is not None:
        value = match.game_value
        notes.append(f"Gain counts from the value of the game, {known_value(value, gap, contest.game.span)}.")
        facts |= {"game_value": value, "game_value_gap": gap}
    if stakes.pot is not None:
        facts |= {"pot": stakes.pot, "big_blind": stakes.big_blind}
    if getattr(contest.game, "rake", 0.0):
        facts["note"] = NO_BOUND
    notes += [f"{method} looks ahead {steps}." for method, steps in steps_of(contest.methods).items()]
    notes += [f"{name}: {method.BOUND}." for name, method in contest.methods.items() if method.BOUND]
    if shared.is_whole_game(name) and any(point.edge is None for point in points):
        notes.append(_OLDER)
    below = [partial(show_points, list(points), contest.game.span, stakes), partial(say, notes)]
    report(None, facts, [], result, below=below)
    if is_cut(points) and not result.as_json:
        print(f"rnr may have more corners than these; more than --points {asked.points} shows them", file=sys.stderr)


@takes_records("misread leduc --models 'passive;aggressive;cfr+:10'")
def misread(
    *,
    game: shared.Spec,
    models: Annotated[str, Option("Two or more models, separated by semicolons.", metavar="A;B")],
    methods: Annotated[
        str | None,
        f"Methods with their dials, separated by semicolons (usually {';'.join(MISREAD)}; whole hold'em: "
        f"{';'.join(MISREAD_WHOLE_GAME)}).",
    ] = None,
    seat: shared.RespondSeat = shared.Seat.FIRST,
    run: shared.RunFlags,
) -> None:
    """Show the gain of each response when the opponent is another one than its model."""
    from counterplay.measure.evaluate import misread as misread_models
    from counterplay.responses.method import METHOD

    names = _words(models, ";")
    chosen = [METHOD.parse(word) for word in _words(methods, ";")] if methods else None
    if len(names) < 2:
        raise InputError("--models needs two or more models, as in 'uniform;passive'")
    shared.check_opponents(game, *names)
    tree = shared.load_game(game, run.memory)
    with progress_line("responding", run.as_json) as line:
        watch = shared.counter(line, "{} of {} responses")
        found = misread_models(tree, names, chosen, player=int(seat), seed=run.seed, watch=watch)
    if found.interrupted and not found:
        raise KeyboardInterrupt
    facts: dict[str, Any] = {"game": game, "models": names, "seed": run.seed, "interrupted": found.interrupted}
    if found.game_value_gap is not None:
        facts |= {"game_value": found.game_value, "game_value_gap": found.game_value_gap}
    if found.note is not None:
        facts["note"] = found.note
    note_interrupt(facts)
    if run.as_json:
        show_json(facts | {"responses": [one.facts for one in found]})
        return
    letters = [chr(ord("A") + i) for i in range(len(names))]
    say([f"{letter}  {name}" for letter, name in zip(letters, names, strict=True)] + [""])
    rows = [["method", "made for", *(f"if {letter}" for letter in letters), "worst"]]
    for place, one in enumerate(found):
        won = [number(chips, ".4f") for chips in (*(one.gains or one.edges), one.worst)]
        rows.append([str(one.method), letters[place % len(names)], *won])
    width = 1 + max(8, *(len(text) for row in rows[1:] for text in row[2:]))
    show_rows(("<", "<8", *[f">{width}"] * (len(names) + 1)), rows)
    edges = "Edges over a blueprint in chips a hand; worst: the risk, with a minus."
    gains = "Gains in chips a hand; worst: against a best responder."
    say(["", edges if any(one.edges for one in found) else gains])
    if found.game_value_gap is not None:
        value = known_value(found.game_value, found.game_value_gap, tree.span)
        say(f"Gains count from the value of the game, {value}.")
    show_note(facts)


def _words(text: str, separator: str) -> list[str]:
    return [word for word in parts(text, separator) if word]
