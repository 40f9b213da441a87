"""Comparison of methods in several games against several opponents: the gain of each within limits of exploitability.

The limits are shares of a game's span of payoffs. The exact method `safe` gives the largest gain within each, so that
methods can be compared across games. Contests are checked before any long computation. The result is a table, in chips
and as a share of the largest gain, and a picture with a panel for each game.

Texts of the command line may apply to one game, or to one method: `leduc=s1;s2` applies to Leduc, a text without a
game's name to all games. This holds for opponents and value functions; of these, `abd=portfolio:uniform;nash` applies
to one method, and `leduc=abd=...` to one method in one game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from counterplay.display import aligned, csv_of
from counterplay.errors import InputError, quoted
from counterplay.figures import plotter, save_figure
from counterplay.files import write_whole
from counterplay.games import DOORS, GAMES
from counterplay.games.spec_text import is_plugin
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.frontier import FrontierWork, check_points, methods_of
from counterplay.measure.frontier_point import Point
from counterplay.opponents.opponent import check_text, opponent
from counterplay.poker.spots.load import load
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.method import ALPHA, Method
from counterplay.responses.methods import LBR, Safe
from counterplay.responses.respond import respond_in, world_of
from counterplay.solvers.cfr import Progress
from counterplay.texts.grammar import parts
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.leaf_value import value_function
from counterplay.work.run_work import Executor, Watch, WorkProgress, run_work
from counterplay.work.work_record import WorkRecord


def shares(text: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"--within takes numbers split by commas, as in 0.01,0.05,0.2, not {quoted(text)}") from None


def opponents_of(spec: str, specs: Iterable[str], texts: Sequence[str]) -> list[str]:
    """The opponents in a game, each once."""
    meant = (text for given in texts for text in _meant(given, spec, specs))
    return list(dict.fromkeys(word for text in meant for word in parts(text, ";") if word))


def values_of(spec: str, specs: Iterable[str], methods: Iterable[str], texts: Sequence[str]) -> dict[str, str]:
    """The text of the value function of each method in a game, if it has one."""
    chosen: dict[str, str] = {}
    for given in texts:
        for text in _meant(given, spec, specs):
            head, _, rest = text.partition("=")
            chosen |= {head: rest} if head in methods else dict.fromkeys(methods, text)
    return chosen


def _meant(text: str, spec: str, specs: Iterable[str]) -> list[str]:
    """The text without a game's name in front; nothing if it applies to another game."""
    for name in [name for other in specs for name in (other, _name_of(other))]:
        if text.startswith(f"{name}="):
            return [text.removeprefix(f"{name}=")] if name in (spec, _name_of(spec)) else []
    return [text]


def _name_of(spec: str) -> str:
    """The game's name without its parameters."""
    return spec.partition(":")[0]


@dataclass(frozen=True)
class ContestSettings:
    """The settings of a comparison. opponents: texts, for all games or for one (`leduc=s1;s2`), several in one text
    split by `;`. within: limits of exploitability, as shares of the span of payoffs. far: options of look-aheads,
    without value functions. values: texts of value functions, for all games and methods or for one; the last that
    applies counts."""

    games: Sequence[str]
    opponents: Sequence[str]
    methods: Sequence[str]
    within: Sequence[float] = (0.01, 0.05, 0.2)
    points: int = 7
    seat: int = 0
    seed: int = 0
    far: Mapping[str, Any] | None = None
    values: Sequence[str] = ()
    solver: str = "auto"


@dataclass(frozen=True, eq=False)
class Contest:
    """One opponent in one game, loaded. spec: the game's text. source: the opponent's. methods: by name."""

    spec: str
    source: str
    game: GameTree | SpotGame
    model: Strategy
    methods: Mapping[str, Method]

    @property
    def name(self) -> str:
        """For tables and sentences."""
        return f"{self.spec} against {self.source}"


def contests(asked: ContestSettings, bring: Callable[[str], Any] = load) -> list[Contest]:
    """All contests, game by game; `bring` loads a game from its spec. An error names the first invalid game, opponent,
    method, value function or share."""
    if not asked.games:
        raise InputError("a comparison needs at least one game")
    for share in asked.within:
        if not 0.0 <= share <= 1.0:
            raise InputError(f"--within takes shares of the span of payoffs, from 0 to 1, not {share:g}")
    specs = list(dict.fromkeys(asked.games))
    sources = {spec: opponents_of(spec, specs, asked.opponents) for spec in specs}
    check_points(asked.points)
    methods = dict[str, dict[str, Method]]()
    for spec in specs:
        texts = values_of(spec, specs, asked.methods, asked.values)
        made = {text: value_function(text) for text in texts.values()}  # each caches its results
        values = {"leaf": {method: made[text] for method, text in texts.items()}} if texts else {}
        methods[spec] = methods_of(asked.methods, {**(asked.far or {}), **values})
    for spec in specs:
        if not sources[spec]:
            raise InputError(
                f"{spec} has no opponent: give one for all games, or one as in --to {_name_of(spec)}=uniform"
            )
        if not is_plugin(spec, (*GAMES, *DOORS)):
            for source in sources[spec]:
                check_text(source)
    among = list[Contest]()
    for spec in specs:
        game = bring(spec)
        for number, source in enumerate(sources[spec]):
            model = opponent(game, source, 1 - asked.seat, asked.seed)
            among.append(Contest(spec, source, game, model, methods[spec]))
            if number:
                continue
            # What depends on the game: whether it has rounds, and the strategies of a portfolio.
            match: Any = world_of(game).matchup(game, model, asked.solver)
            FrontierWork(match, methods[spec], asked.points)
            if not match.has_corners and asked.within:
                raise InputError(f"{spec} has no method safe, which says what can be won within limits")
            for method in methods[spec].values() if match.has_corners else ():
                look = method.in_game(game).look
                if look:
                    match.check_look(look, float(method.DIAL == ALPHA))
                elif method.HEAD == LBR.HEAD:
                    match.check_local()
    return among


_MOST = "most within "
_ANY = 1e9
"""GiB of games that fitted already."""


class ComparisonWork:
    """A comparison as work: pieces of the frontier of each contest, and the optimum at each limit. Another process
    makes the contests again from their settings."""

    def __init__(
        self, asked: ContestSettings, among: Sequence[Contest] | None = None, progress: Progress | None = None
    ) -> None:
        self.asked, self._progress = asked, progress
        if among is not None:
            self.among = list(among)
        self._latest: tuple[int, FrontierWork] | None = None

    @cached_property
    def among(self) -> list[Contest]:
        """The contests, in the order of the settings; their games fitted already where the settings come from."""
        return contests(self.asked, partial(load, memory=_ANY, say=lambda _: None))

    def __reduce__(self) -> tuple[Any, ...]:
        return ComparisonWork, (self.asked,)

    def identity(self) -> dict[str, Any]:
        asked = {name: given for name, given in asdict(self.asked).items() if name not in ("methods", "within")}
        far = {word: str(given) for word, given in (self.asked.far or {}).items()}
        models = [self._frontier(number).identity()["model"] for number in range(len(self.among))]
        return {**asked, "far": far, "models": models}

    @cached_property
    def pieces(self) -> dict[str, tuple[int, str]]:
        """For each key the number of the contest, and the piece of its frontier."""
        limits = [f"{_MOST}{limit:g}" for limit in self.asked.within]
        return {
            f"{contest.name} | {key}": (number, key)
            for number, contest in enumerate(self.among)
            for key in [*self._frontier(number).keys(), *limits]
        }

    def keys(self) -> list[str]:
        return list(self.pieces)

    def compute(self, key: str) -> list[dict[str, Any]] | float:
        """Points as plain data, or the gain of `safe` within a limit."""
        number, piece = self.pieces[key]
        work = self._frontier(number)
        if not piece.startswith(_MOST):
            return work.compute(piece)
        limit = next(limit for limit in self.asked.within if piece == f"{_MOST}{limit:g}")
        answer = respond_in(work.match, Safe(limit * work.match.game.span))
        if answer.interrupted:
            raise KeyboardInterrupt
        return answer.gain if answer.edge is None else answer.edge

    def partial(self, number: int) -> list[Point]:
        """Points of a contest's piece that Ctrl-C cut short."""
        return self._latest[1].partial if self._latest and self._latest[0] == number else []

    def _frontier(self, number: int) -> FrontierWork:
        """The frontier of a contest; the last one is cached, since its pieces share equilibria."""
        if self._latest is None or self._latest[0] != number:
            contest = self.among[number]
            make = world_of(contest.game).matchup
            match = make(contest.game, contest.model, self.asked.solver, progress=self._progress)
            self._latest = number, FrontierWork(match, contest.methods, self.asked.points)
        return self._latest[1]


SLACK = 1e-9
"""Rounding of a limit, as a share of the span."""


@dataclass(frozen=True)
class Traced:
    """One contest, as far as it is computed: the points of all methods, and for each limit the gain of `safe` in
    chips."""

    contest: Contest
    points: Sequence[Point]
    most: Sequence[float] = ()
    finished: bool = True


@dataclass(frozen=True)
class Comparison:
    """All contests that were begun, and whether Ctrl-C ended them early."""

    asked: ContestSettings
    traced: Sequence[Traced]
    interrupted: bool = False

    @property
    def points(self) -> list[dict[str, Any]]:
        """All points as plain data, with their game and opponent."""
        named = [({"game": one.contest.spec, "opponent": one.contest.source}, one.points) for one in self.traced]
        return [{**names, **point.facts} for names, points in named for point in points]

    @property
    def games(self) -> dict[str, list[Traced]]:
        """The finished contests of each game."""
        found: dict[str, list[Traced]] = {}
        for one in self.traced:
            if one.finished:
                found.setdefault(one.contest.spec, []).append(one)
        return found


def best_within(traced: Traced, method: str, limit: float) -> float | None:
    """The largest gain among a method's points whose exploitability is within a share of the span; in a whole game of
    hold'em the largest edge by the risk; None if none is."""
    allowed = (limit + SLACK) * traced.contest.game.span
    places = [x.axes for x in traced.points if x.method == method]
    return max((gain for (_, gain), (_, risk) in places if risk <= allowed), default=None)


def compare(
    asked: ContestSettings,
    among: Sequence[Contest],
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Trace every method in every contest of `contests`, and the optimum at every limit. Ctrl-C keeps what is there.
    `watch` is called when a contest begins; `progress` is of iterative solves in this process."""
    work, begun = ComparisonWork(asked, among, progress), set[int]()

    def by_contest(piece: WorkProgress) -> None:
        number = work.pieces[piece.key][0]
        if watch and number not in begun:
            begun.add(number)
            watch(WorkProgress(among[number].name, number + 1, len(among), number, piece.seconds_left))

    done = run_work(work, record=record, executor=executor, watch=by_contest if watch else None)
    traced = list[Traced]()
    for number, contest in enumerate(among):
        keys = [key for key, (of, _) in work.pieces.items() if of == number]
        results, partial = [done.results[key] for key in keys if key in done.results], work.partial(number)
        points = [Point.read(point) for result in results if isinstance(result, list) for point in result]
        most = [result for result in results if not isinstance(result, list)]
        if results or partial:
            traced.append(Traced(contest, [*points, *partial], most, finished=len(results) == len(keys)))
    return Comparison(asked, traced, done.interrupted)


def write_csv(comparison: Comparison, path: Path) -> None:
    """All points with their game and opponent as a CSV file, whole or not at all."""
    points = comparison.points
    head = list(dict.fromkeys(name for row in points for name in row))
    write_whole(path, csv_of(head, (tuple(row.get(name) for name in head) for row in points)))


OPTIMUM = "(most)"
"""The row of `safe` with exactly the limit allowed."""
_ALL = "all games"
_CHIPS, _PERCENT, _LACK, _SECONDS = ">9", ">7", ">5", ">9"
"""Columns of one limit, and of the seconds."""


@dataclass(frozen=True)
class Row:
    """A method in a game. gains: for each limit the gain of its best point within it, mean over opponents, 0 without
    one; chips. shares: these over the mean gains of `safe`; None if that is 0. missing: for each limit the number of
    opponents without a point. seconds: mean time of a response; None for the optimum."""

    game: str
    method: str
    gains: Sequence[float]
    shares: Sequence[float | None]
    missing: Sequence[int]
    seconds: float | None


def rows(comparison: Comparison) -> list[Row]:
    """The optimum of each game, then a row for each method."""
    table, within = list[Row](), comparison.asked.within
    for spec, traced in comparison.games.items():
        most = [fmean(limit) for limit in zip(*(one.most for one in traced), strict=True)]
        table.append(Row(spec, OPTIMUM, most, [1.0] * len(most), [0] * len(most), None))
        least = SLACK * traced[0].contest.game.span
        for method in comparison.asked.methods:
            best = [[best_within(one, method, limit) for one in traced] for limit in within]
            gains = [fmean(gain or 0.0 for gain in limit) for limit in best]
            shares = [gain / top if top > least else None for gain, top in zip(gains, most, strict=True)]
            seconds = fmean(point.seconds for one in traced for point in one.points if point.method == method)
            table.append(Row(spec, method, gains, shares, [limit.count(None) for limit in best], seconds))
    return table


def facts(comparison: Comparison) -> dict[str, Any]:
    """Everything, for JSON: limits and shares of the span, spans and gains in chips."""
    asked = comparison.asked
    return {
        "seat": asked.seat,
        "seed": asked.seed,
        "within": list(asked.within),
        "spans": {spec: traced[0].contest.game.span for spec, traced in comparison.games.items()},
        "values": {spec: {"game_value": value, "game_value_gap": gap} for spec, value, gap in _values(comparison)},
        "table": [vars(row) for row in rows(comparison)],
        "points": comparison.points,
        "interrupted": comparison.interrupted,
    }


def _values(comparison: Comparison) -> Iterator[tuple[str, float, float]]:
    """The games with a value that is known, that value, from which gains count, and its gap."""
    for spec, traced in comparison.games.items():
        contest = traced[0].contest
        match = world_of(contest.game).matchup(contest.game, contest.model)
        if match.value_gap is not None:
            yield spec, match.game_value, match.value_gap


def table(comparison: Comparison) -> str:
    """A block of lines for each game, then the mean of the shares over several games."""
    every, asked = rows(comparison), comparison.asked
    wide = max(9, *(len(row.method) + 2 for row in every))
    columns = [f"<{wide}", *(_CHIPS, _PERCENT, _LACK) * len(asked.within), _SECONDS]
    head = ["", *(cell for limit in asked.within for cell in (f"{limit:g}", "", "")), "seconds"]
    lines = [
        "gain with an exploitability within these shares of the span of payoffs: chips, mean over the opponents,",
        "and per cent of the most that can be won there",
        "",
        *aligned(columns, [head]),
    ]
    for spec, traced in comparison.games.items():
        lines += [f"{spec}: {len(traced)} opponent{'s' * (len(traced) > 1)}, span {traced[0].contest.game.span:g}"]
        lines += aligned(columns, (_cells(row) for row in every if row.game == spec))
    if len(comparison.games) > 1:  # over the games where a share is defined
        lines += [f"{_ALL}: mean of the per cent"]
        for method in asked.methods:
            same = [row for row in every if row.method == method]
            known = [[x for x in column if x is not None] for column in zip(*(row.shares for row in same), strict=True)]
            shares = [fmean(column) if column else None for column in known]
            missing = [sum(column) for column in zip(*(row.missing for row in same), strict=True)]
            seconds = fmean(row.seconds for row in same if row.seconds is not None)
            lines += aligned(columns, [_cells(Row(_ALL, method, [0.0] * len(shares), shares, missing, seconds))])
    if any(number for row in every for number in row.missing):
        lines += ["", "-N: against N of the opponents no point is within the limit, which counts as a gain of 0"]
    if any(point.edge is not None for one in comparison.traced for point in one.points):
        lines += ["", "in whole games of hold'em: edge over a blueprint, with a risk within the shares"]
    inexact = [
        f"gains in {spec} count from a value known to {gap:.2g} chips" for spec, _, gap in _values(comparison) if gap
    ]
    return "\n".join([*lines, *(["", *inexact] if inexact else [])])


def _cells(row: Row) -> list[str]:
    words = [row.method]
    for gain, share, missing in zip(row.gains, row.shares, row.missing, strict=True):
        chips = "" if row.game == _ALL else f"{round(gain, 3) + 0.0:.3f}"  # + 0.0 makes -0.0 plain
        part = "" if share is None or row.method == OPTIMUM else f"{round(100.0 * share) + 0} %"
        words += [chips, part, f"-{missing}" if missing else ""]
    return [*words, "" if row.seconds is None else f"{row.seconds:.3f}"]


_GRID, _BEYOND, _LEAST = 101, 1.2, 0.05
"""Number of limits at which a line is drawn; how far it goes beyond the table's largest limit, and its least extent."""
_WIDTH, _HEIGHT, _FOOT = 4.4, 3.3, 0.8
"""Inches of a panel, and of the legend."""
_ACROSS = 2
_DASHES = ("-", "--", "-.")


def draw(comparison: Comparison, path: Path) -> None:
    """Write the picture; the format follows the file's ending. A line is a staircase: within a limit, the best point
    against each opponent, or 0 without one. Crosses are the largest possible gains within the limits of the table."""
    pyplot, games, within = plotter(), comparison.games, comparison.asked.within
    across = min(_ACROSS, len(games))
    down = -(-len(games) // across)
    size = (_WIDTH * max(across, 1.4), _HEIGHT * down + _FOOT)
    figure, places = pyplot.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    end = _BEYOND * max(_LEAST, *within)
    limits = end * np.linspace(0.0, 1.0, _GRID) ** 2  # finer near 0, as the axis is
    for axes, (spec, traced) in zip(places.flat, games.items(), strict=False):
        for method, dashes in zip(comparison.asked.methods, cycle(_DASHES), strict=False):
            gains = [fmean(best_within(one, method, float(limit)) or 0.0 for one in traced) for limit in limits]
            axes.plot(limits, gains, dashes, label=method, linewidth=1.4, drawstyle="steps-post")
        most = [fmean(limit) for limit in zip(*(one.most for one in traced), strict=True)]
        axes.plot(within, most, "kx", markersize=7, label="most that can be won")
        axes.set_xscale("function", functions=(np.sqrt, np.square))
        axes.set_xlim(0.0, end)
        axes.set_xticks([0.0, *within], ["0", *(f"{limit:g}" for limit in within)])
        axes.set_xlabel(f"exploitability allowed (share of the span, {traced[0].contest.game.span:g} chips)")
        axes.set_ylabel("gain (chips)")
        axes.set_title(f"{spec}, {len(traced)} opponent{'s' * (len(traced) > 1)}", fontsize="medium")
        axes.grid(alpha=0.3)
    for axes in places.flat[len(games) :]:
        axes.set_axis_off()
    handles, labels = places.flat[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4 if across > 1 else 3, len(labels)), fontsize="small"
    )
    save_figure(figure, path, pyplot, dpi=100)
