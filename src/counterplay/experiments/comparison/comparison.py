"""Which method when: several methods in several games against several opponents, and what each wins within a limit.

The limits are shares of a game's span of payoffs. The exact method `safe` says what could be won within each, so that
methods can be compared across games.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from counterplay.experiments.comparison.contests import Contest, ContestSettings
from counterplay.files import write_whole
from counterplay.measure.frontier import Point, trace
from counterplay.responses.matchup import Matchup
from counterplay.responses.respond import respond_in
from counterplay.responses.safe import Safe
from counterplay.solvers.cfr import Progress
from counterplay.work.run_work import Watch, WorkProgress

SLACK = 1e-9
"""Share of the span that a limit may be passed by rounding."""


@dataclass(frozen=True)
class Traced:
    """One contest as far as it was computed.

    Attributes:
        contest: game and opponent.
        points: of all methods.
        most: for each limit the gain of `safe`, in chips.
        finished: whether nothing was cut short.
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
    """The largest gain among a method's points whose exploitability is within a share of the span; None if none is."""
    allowed = (limit + SLACK) * traced.contest.game.span
    inside = [x.gain for x in traced.points if x.method == method and x.exploitability <= allowed]
    return max(inside, default=None)


def compare(
    asked: ContestSettings, among: Sequence[Contest], watch: Watch | None = None, progress: Progress | None = None
) -> Comparison:
    """Trace every method in every contest, and the optimum at every limit. Ctrl-C keeps what is there.

    Args:
        asked: what for.
        among: from `contests`.
        watch: told of every contest.
        progress: of iterative solves.
    """
    traced: list[Traced] = []
    points: list[Point] = []
    try:
        for number, contest in enumerate(among):
            if watch:
                watch(WorkProgress(contest.name, number + 1, len(among), number, None))
            points = []
            match = Matchup(contest.game, contest.model, asked.solver, progress=progress)
            for point in trace(match, asked.methods, asked.points, contest.far):
                points.append(point)
            traced.append(Traced(contest, points, _most(match, asked.within)))
    except KeyboardInterrupt:
        unfinished = [Traced(among[len(traced)], points, finished=False)] if len(traced) < len(among) else []
        return Comparison(asked, [*traced, *unfinished], interrupted=True)
    return Comparison(asked, traced)


def _most(match: Matchup, within: Sequence[float]) -> list[float]:
    """The optimum at every limit."""
    found = []
    for limit in within:
        answer = respond_in(match, Safe(limit * match.game.span))
        if answer.interrupted:
            raise KeyboardInterrupt
        found.append(answer.gain)
    return found


def write_csv(comparison: Comparison, path: Path) -> None:
    """All points with their game and opponent as a CSV file, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["game", "opponent", *(one.name for one in fields(Point))])
    for one in comparison.traced:
        writer.writerows([(*one.contest.facts.values(), *vars(point).values()) for point in one.points])
    write_whole(path, text.getvalue().encode())
