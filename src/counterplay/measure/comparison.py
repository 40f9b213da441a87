"""Comparison of methods in several games against several opponents: the gain of each within limits of exploitability.

The limits are shares of a game's span of payoffs. The exact method `safe` gives the largest gain within each, so that
methods can be compared across games. Contests are checked before any long computation.

Texts of the command line may apply to one game, or to one method: `leduc=s1;s2` applies to Leduc, a text without a game's
name to all games. This holds for opponents and value functions; of these, `abd=portfolio:uniform;nash` applies to one
method, and `leduc=abd=...` to one method in one game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.games import DOORS, GAMES
from counterplay.games.plugin import is_plugin
from counterplay.gametree.compile.compile import GameTree
from counterplay.measure.frontier import FrontierWork, check_points, methods_of
from counterplay.measure.frontier_point import Point
from counterplay.opponents.opponent import check_text, opponent
from counterplay.poker.spots.load import load
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.responses.method import ALPHA, Method
from counterplay.responses.respond import respond_in
from counterplay.responses.whole_tree_methods import LBR, Safe
from counterplay.responses.worlds import world_of
from counterplay.solvers.cfr import Progress
from counterplay.tables import csv_of
from counterplay.texts.grammar import parts
from counterplay.treeplex.strategy import Strategy
from counterplay.value_functions.value_function import value_function
from counterplay.work.run_work import Watch, WorkProgress, run_work
from counterplay.work.work import Executor
from counterplay.work.work_record import WorkRecord


def shares(text: str) -> tuple[float, ...]:
    """Numbers separated by commas."""
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"--within takes numbers split by commas, as in 0.01,0.05,0.2, not {quoted(text)}") from None


def name_of(spec: str) -> str:
    """The game's name without its parameters."""
    return spec.partition(":")[0]


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
    for other in specs:
        for name in (other, name_of(other)):
            if text.startswith(f"{name}="):
                rest = text.removeprefix(f"{name}=")
                return [rest] if name in (spec, name_of(spec)) else []
    return [text]


@dataclass(frozen=True)
class ContestSettings:
    """The settings of a comparison.

    Attributes:
        opponents: texts, for all games or for one (`leduc=s1;s2`), several in one text split by `;`.
        within: limits of exploitability, as shares of the span of payoffs.
        far: options of look-aheads, without value functions.
        values: texts of value functions, for all games and methods or for one; the last that applies counts.
    """

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

    @property
    def facts(self) -> dict[str, str]:
        """For files."""
        return {"game": self.spec, "opponent": self.source}


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
    methods = {spec: _methods(spec, specs, asked) for spec in specs}
    for spec in specs:
        if not sources[spec]:
            raise InputError(
                f"{spec} has no opponent: give one for all games, or one as in --to {name_of(spec)}=uniform"
            )
        if not is_plugin(spec, (*GAMES, *DOORS)):
            for source in sources[spec]:
                check_text(source)
    found = []
    for spec in specs:
        game = bring(spec)
        for number, source in enumerate(sources[spec]):
            model = opponent(game, source, 1 - asked.seat, asked.seed)
            contest = Contest(spec, source, game, model, methods[spec])
            if number == 0:
                _check(contest, asked)
            found.append(contest)
    return found


def _methods(spec: str, specs: Sequence[str], asked: ContestSettings) -> dict[str, Method]:
    """The methods in a game; each text of a value function becomes one object, which caches its results."""
    texts = values_of(spec, specs, asked.methods, asked.values)
    made = {text: value_function(text) for text in texts.values()}
    far = dict(asked.far or {})
    if texts:
        far["value"] = {method: made[text] for method, text in texts.items()}
    return methods_of(asked.methods, far)


def _check(contest: Contest, asked: ContestSettings) -> None:
    """Check what depends on the game: whether it has rounds, and the strategies of a portfolio."""
    match: Any = world_of(contest.game).matchup(contest.game, contest.model, asked.solver)
    FrontierWork(match, contest.methods, asked.points)
    if not match.has_corners:
        if asked.within:
            raise InputError(f"{contest.spec} has no method safe, which says what can be won within limits")
        return
    for method in contest.methods.values():
        look = method.in_game(contest.game).look
        if look:
            match.check_look(look, float(method.DIAL == ALPHA))
        elif method.HEAD == LBR.HEAD:
            match.check_local()


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
    def _pieces(self) -> dict[str, tuple[int, str]]:
        """For each key the number of the contest, and the piece of its frontier."""
        limits = [f"{_MOST}{limit:g}" for limit in self.asked.within]
        return {
            f"{contest.name} | {key}": (number, key)
            for number, contest in enumerate(self.among)
            for key in [*self._frontier(number).keys(), *limits]
        }

    def keys(self) -> list[str]:
        return list(self._pieces)

    def keys_of(self, number: int) -> list[str]:
        """The keys of one contest."""
        return [key for key, (contest, _) in self._pieces.items() if contest == number]

    def compute(self, key: str) -> list[dict[str, Any]] | float:
        """Points as plain data, or the gain of `safe` within a limit."""
        number, piece = self._pieces[key]
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

    def by_contest(self, watch: Watch) -> Watch:
        """A watch of pieces that reports each contest when it begins."""
        seen: set[int] = set()

        def tell(piece: WorkProgress) -> None:
            number = self._pieces[piece.key][0]
            if number not in seen:
                seen.add(number)
                name = self.among[number].name
                watch(WorkProgress(name, number + 1, len(self.among), number, piece.seconds_left))

        return tell

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
    """One contest, as far as it is computed: the points of all methods, and for each limit the gain of `safe` in chips."""

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
    work = ComparisonWork(asked, among, progress)
    found = run_work(work, record=record, executor=executor, watch=work.by_contest(watch) if watch else None)
    return Comparison(asked, _traced(work, found.results), found.interrupted)


def _traced(work: ComparisonWork, results: Mapping[str, Any]) -> list[Traced]:
    """The contests with any result."""
    traced = []
    for number, contest in enumerate(work.among):
        keys = work.keys_of(number)
        done = [key for key in keys if key in results]
        points = [Point.read(point) for key in done if isinstance(results[key], list) for point in results[key]]
        most = [results[key] for key in done if not isinstance(results[key], list)]
        partial = work.partial(number)
        if done or partial:
            traced.append(Traced(contest, [*points, *partial], most, finished=len(done) == len(keys)))
    return traced


def write_csv(comparison: Comparison, path: Path) -> None:
    """All points with their game and opponent as a CSV file, whole or not at all."""
    rows = [{**one.contest.facts, **point.facts()} for one in comparison.traced for point in one.points]
    head = list(dict.fromkeys(name for row in rows for name in row))
    write_whole(path, csv_of(head, (tuple(row.get(name) for name in head) for row in rows)))
