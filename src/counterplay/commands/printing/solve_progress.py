"""The line of progress of a blueprint's solve: iterations, the round under way, exploitability, and the time left."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from counterplay.display import duration
from counterplay.progress_line import Update

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import BlueprintOptions
    from counterplay.poker.whole_game.sampling.board_split import RoundProgress


class SolveProgress:
    """Tells a line how far a solve is.

    Args:
        line: of progress.
        limits: of the solve.
        where: what the exploitability refers to.
    """

    def __init__(self, line: Update, limits: BlueprintOptions, where: str) -> None:
        self._line, self._limits, self._where = line, limits, where
        self._found, self._round = "", ""
        self._first: tuple[float, int] | None = None

    def watch(self, iterations: int, found: float) -> None:
        """See `blueprint.Watch`."""
        if found == found:
            self._found = f", exploitability {found:.3g} milli-big-blinds{self._where}"
        self._tell(iterations)

    def watch_round(self, progress: RoundProgress) -> None:
        """A round begins, or a share of it is done."""
        self._round = f", {progress.done:,} of {progress.boards:,} boards of this round"
        self._tell(progress.iterations)

    def _tell(self, iterations: int) -> None:
        left = self._left(iterations)
        at_most = "at most " if self._limits.get("exploitability") else ""
        rest = "" if left is None else f", {at_most}{duration(left)} left"
        self._line(f"{iterations:,} iterations{self._round}{self._found}{rest}", None, None)

    def _left(self, iterations: int) -> float | None:
        """Seconds until the first limit of time or iterations; None while unknown. A solve that goes on has done some of
        its iterations before, so the rate is that since the first call."""
        now = monotonic()
        self._first = self._first or (now, iterations)
        spent, done = now - self._first[0], iterations - self._first[1]
        found, most = [self._limits.get("seconds", float("inf")) - spent], self._limits.get("iterations")
        if most is not None and done:
            found.append((most - iterations) * spent / done)
        return max(0.0, min(found)) if min(found) < float("inf") else None
