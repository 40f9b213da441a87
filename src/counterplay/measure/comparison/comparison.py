"""Comparison of methods in several games against several opponents: the gain of each within limits of exploitability.

The limits are shares of a game's span of payoffs. The exact method `safe` gives the largest gain within each, so that
methods can be compared across games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from counterplay.files import write_whole
from counterplay.measure.comparison.contests import Contest, ContestSettings, contests
from counterplay.measure.frontier import FrontierWork
from counterplay.measure.frontier_point import Point
from counterplay.poker.spots.load import load
from counterplay.responses.respond import respond_in
from counterplay.responses.safe import Safe
from counterplay.responses.worlds import world_of
from counterplay.solvers.cfr import Progress
from counterplay.tables import csv_of
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, WorkProgress, run_work
from counterplay.work.work_record import WorkRecord

SLACK = 1e-9
"""Rounding of a limit, as a share of the span."""
_MOST = "most within "
_ANY = 1e9
"""GiB of games that fitted already."""


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
    done = run_work(work, record=record, executor=executor, watch=work.by_contest(watch) if watch else None)
    traced = []
    for number, contest in enumerate(work.among):
        keys = work.keys_of(number)
        results = [done.results[key] for key in keys if key in done.results]
        points = [Point.read(point) for result in results if isinstance(result, list) for point in result]
        most, partial_points = [result for result in results if not isinstance(result, list)], work.partial(number)
        if results or partial_points:
            traced.append(Traced(contest, [*points, *partial_points], most, finished=len(results) == len(keys)))
    return Comparison(asked, traced, done.interrupted)


def write_csv(comparison: Comparison, path: Path) -> None:
    """All points with their game and opponent as a CSV file, whole or not at all."""
    rows = [{**one.contest.facts, **point.facts()} for one in comparison.traced for point in one.points]
    head = list(dict.fromkeys(name for row in rows for name in row))
    write_whole(path, csv_of(head, (tuple(row.get(name) for name in head) for row in rows)))


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
