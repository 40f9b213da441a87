"""A comparison as a record of work: pieces of the frontier of each contest, and the optimum at each limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property, partial
from typing import Any

from counterplay.measure.comparison.contests import Contest, ContestSettings, contests
from counterplay.measure.frontier import frontier_work
from counterplay.measure.frontier_point import Point
from counterplay.measure.frontier_work import FrontierWork
from counterplay.poker.spots.load import load
from counterplay.responses.respond import respond_in
from counterplay.responses.safe import Safe
from counterplay.responses.worlds import world_of
from counterplay.solvers.cfr import Progress
from counterplay.work.run_work import Watch, WorkProgress

_MOST = "most within "
_ANY = 1e9
"""GiB of games that fitted already."""


class ComparisonWork:
    """The pieces of contests. Another process makes the contests again from their settings.

    Args:
        asked: the settings.
        among: from `contests`; by default made on demand.
        progress: of iterative solves.
    """

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
            self._latest = number, frontier_work(match, contest.methods, self.asked.points)
        return self._latest[1]
