"""Command-line options for one player's leaks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.options.option_records import given_options
from counterplay.errors import InputError
from counterplay.poker.betting.rake import RISK, check_zero_sum

if TYPE_CHECKING:
    from counterplay.poker.locking.exploit_leak import LeakAnswer
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot


@dataclass(frozen=True)
class LockFlags:
    """The leaks of one player, and the kind of answer: arguments of `exploit_leak.exploit_leak`."""

    lock: Annotated[Path | None, typer.Option("--lock", help="A file with one player's leaks; what to do?")] = None
    p: Annotated[float | None, typer.Option("--p", help="With --lock: how likely the leaks are (surely).")] = None
    max_exploitability: Annotated[
        str | None,
        typer.Option(
            "--max-exploitability", metavar="CHIPS", help="With --lock: most to be won back: chips, 1% or 5mbb."
        ),
    ] = None
    elsewhere: Annotated[
        str | None,
        typer.Option("--elsewhere", help="With --lock: where none is, the player is free or as solved (free)."),
    ] = None

    def dials(self) -> dict[str, Any]:
        """The given dials."""
        return {name: word for name, word in given_options(self).items() if name != "lock"}


@dataclass(frozen=True)
class LeakRequest:
    """What to do against leaks. file: they were read from it. dials: of `exploit_leak.exploit_leak`."""

    file: Path
    leaks: Leaks
    dials: dict[str, Any]

    def check(self, spot: Spot) -> None:
        """Reject leaks and numbers that do not fit the spot."""
        from counterplay.poker.locking.exploit_leak import chips
        from counterplay.poker.locking.leak_match import check_leaks

        if "max_exploitability" in self.dials:
            check_zero_sum(spot.rake, RISK)
            chips(self.dials["max_exploitability"], spot.stakes)
        try:
            check_leaks(self.leaks, spot)
        except InputError as error:
            raise InputError(f"{self.file}: {error}") from None

    def sized(self, spot: Spot) -> dict[str, Any]:
        """Whose leaks are answered, and whether that player is met with and without them at once: for `size_of`."""
        from counterplay.poker.locking.leak_match import opponent_of

        p, most = self.dials.get("p"), self.dials.get("max_exploitability")
        twice = most is not None or (p is not None and 0.0 < p < 1.0)
        return {"opponent": opponent_of(self.leaks, spot.betting), "twice": twice}

    def accuracy(self, spot: Spot) -> float:
        """Default accuracy of a spot for a lock, in per cent of the pot."""
        from counterplay.poker.locking.exploit_leak import ACCURACY

        return ACCURACY[spot.street]

    def answer(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> LeakAnswer:
        """Lock, and answer."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import exploit_leak
        from counterplay.poker.locking.leak_response import MOST_SOLVES
        from counterplay.poker.locking.node_lock import lock_nodes

        locked, most = lock_nodes(solved, self.leaks), MOST_SOLVES if "max_exploitability" in self.dials else 2
        bar = Bar(None, quiet, solved.spot.stakes, most)
        with bar as progress:
            return exploit_leak(locked, **self.dials, accuracy=accuracy or None, progress=progress, phase=bar.phase)


def read_leaks(locked: LockFlags, grid: bool) -> LeakRequest | None:
    """The request about a lock; without one no dial may be given."""
    dials = locked.dials()
    if locked.lock is None:
        if dials or grid:
            name = next(iter(dials), "grid").replace("_", "-")
            raise InputError(f"--{name} needs a --lock")
        return None
    from counterplay.poker.locking.exploit_leak import check_dials
    from counterplay.poker.locking.leak_text import load_leaks

    check_dials(**dials)
    return LeakRequest(locked.lock, load_leaks(locked.lock), dials)
