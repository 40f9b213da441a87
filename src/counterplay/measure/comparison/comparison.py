"""Comparison of methods in several games against several opponents: the gain of each within limits of exploitability.

The limits are shares of a game's span of payoffs. The exact method `safe` gives the largest gain within each, so that
methods can be compared across games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.files import write_whole
from counterplay.measure.comparison.comparison_work import ComparisonWork
from counterplay.measure.comparison.contests import Contest, ContestSettings
from counterplay.measure.frontier_point import Point
from counterplay.solvers.cfr import Progress
from counterplay.tables import csv_of
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, run_work
from counterplay.work.work_record import WorkRecord

SLACK = 1e-9
"""Rounding of a limit, as a share of the span."""


@dataclass(frozen=True)
class Traced:
    """One contest, as far as it is computed.

    Attributes:
        contest: game and opponent.
        points: points of all methods.
        most: for each limit the gain of `safe`, in chips.
        finished: whether all points are there.
    """

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
    """Trace every method in every contest, and the optimum at every limit. Ctrl-C keeps what is there.

    Args:
        asked: the settings.
        among: from `contests`.
        record: results of earlier calls, which is extended.
        executor: computes the points.
        watch: called when a contest begins.
        progress: of iterative solves in this process.
    """
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
