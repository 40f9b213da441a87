"""The line of progress of a blueprint's solve: iterations, the round under way, exploitability, and the time left."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from counterplay.progress_line import Update
from counterplay.time_left import Left, RecentPace, soonest

if TYPE_CHECKING:
    from counterplay.poker.whole_game.blueprints.blueprint import BlueprintOptions
    from counterplay.poker.whole_game.blueprints.board_split import RoundProgress


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
        self._began, self._pace = monotonic(), RecentPace()

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
        text = f"{iterations:,} iterations{self._round}{self._found}"
        self._line(text, None, None, self._left(iterations))

    def _left(self, iterations: int) -> Left | None:
        """The time until the first limit. A solve that goes on has done some of its iterations before, which are not part of
        its pace."""
        now, limits, ends = monotonic(), self._limits, list[float | None]()
        self._pace.saw(iterations, now)
        if limits.get("exploitability"):
            ends.append(None)
        if (seconds := limits.get("seconds")) is not None:
            ends.append(seconds - (now - self._began))
        if (most := limits.get("iterations")) is not None:
            ends.append(self._pace.seconds(most - iterations))
        return soonest(ends)
