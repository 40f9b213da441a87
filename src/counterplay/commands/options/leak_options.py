"""Command-line options for one player's leaks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.option_records import given_options
from counterplay.errors import InputError
from counterplay.poker.betting.stakes import RISK, check_zero_sum

if TYPE_CHECKING:
    from counterplay.poker.locking.exploit_leak import LeakAnswer, SideBySide
    from counterplay.poker.locking.leak_text import Leaks
    from counterplay.poker.locking.node_lock import NodeLock
    from counterplay.poker.public_tree.size_estimate import Leaky
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot

FREE = "free"
"""Where no leak is, the player plays as well as they can."""


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

    @property
    def limited(self) -> bool:
        """Whether exploitability is limited."""
        return self.max_exploitability is not None

    def check(self, *more: str, locked: bool = False) -> None:
        """Reject invalid dials; without a lock there are none.

        Args:
            more: other options that need a lock, as given.
            locked: whether something else than --lock names the opponent.

        Raises:
            InputError: naming the first that does not fit.
        """
        given = [name for name in given_options(self) if name != "lock"] + list(more)
        if self.lock is None and given and not locked:
            raise InputError(f"--{given[0].replace('_', '-')} needs a --lock")
        from counterplay.poker.locking.exploit_leak import check_dials

        check_dials(self.p, self.max_exploitability, self.elsewhere or FREE)


@dataclass(frozen=True)
class LockRequest:
    """A question about one player of a spot, who plays otherwise than in equilibrium. `lock`, `opponent` and `fits` say how.

    Attributes:
        how: the kind of answer.
    """

    how: LockFlags

    def opponent(self, spot: Spot) -> int:
        """The player."""
        raise NotImplementedError

    def fits(self, spot: Spot) -> None:
        """Reject a player that does not fit the spot."""
        raise NotImplementedError

    def lock(self, solved: SolvedSpot) -> NodeLock:
        """The player in a solved spot."""
        raise NotImplementedError

    def check(self, spot: Spot) -> None:
        """Reject a player and numbers that do not fit the spot."""
        from counterplay.poker.locking.exploit_leak import chips

        if self.how.max_exploitability is not None:
            check_zero_sum(spot.rake, RISK)
            chips(self.how.max_exploitability, spot.stakes)
        self.fits(spot)

    @property
    def twice(self) -> bool:
        """Whether the answer meets that player with and without the leaks at once."""
        return self.how.limited or (self.how.p is not None and 0.0 < self.how.p < 1.0)

    def leaky(self, spot: Spot) -> Leaky:
        """That player, for an estimate of the memory."""
        from counterplay.poker.public_tree.size_estimate import Leaky

        return Leaky(self.opponent(spot), self.twice, self.how.limited, self.nodes(spot))

    def nodes(self, spot: Spot) -> tuple[int, ...] | None:  # noqa: ARG002 - those who know ask the spot
        """The betting nodes at which hands are locked; None if any may be."""
        return None

    def accuracy(self, spot: Spot) -> float:
        """Accuracy of a spot that the answer needs, in per cent of the pot, so that it is not solved twice."""
        from counterplay.poker.locking.exploit_leak import needed_accuracy

        return needed_accuracy(spot, self.how.max_exploitability)

    def answer(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> LeakAnswer:
        """Lock, and answer."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import exploit_leak
        from counterplay.poker.locking.leak_response import MOST_SOLVES

        locked, how = self.lock(solved), self.how
        bar = Bar(None, quiet, solved.spot.stakes, MOST_SOLVES if how.limited else 2)
        with bar as progress:
            return exploit_leak(
                locked, p=how.p, max_exploitability=how.max_exploitability, elsewhere=how.elsewhere or FREE,
                accuracy=accuracy or None, progress=progress, phase=bar.phase,
            )  # fmt: skip

    def columns(self, solved: SolvedSpot, accuracy: float | None, quiet: bool) -> SideBySide:
        """Lock, and answer in three ways."""
        from counterplay.measure.progress import Bar
        from counterplay.poker.locking.exploit_leak import compare_answers
        from counterplay.poker.locking.leak_response import MOST_SOLVES

        locked, how = self.lock(solved), self.how
        bar = Bar(None, quiet, solved.spot.stakes, MOST_SOLVES if how.p is None else 3)
        with bar as progress:
            return compare_answers(
                locked, p=how.p, max_exploitability=how.max_exploitability, elsewhere=how.elsewhere or FREE,
                accuracy=accuracy or None, progress=progress, phase=bar.phase,
            )  # fmt: skip


@dataclass(frozen=True)
class LeakRequest(LockRequest):
    """A question about leaks, which were read from a file."""

    file: Path
    leaks: Leaks

    def fits(self, spot: Spot) -> None:
        from counterplay.poker.locking.leak_match import check_leaks

        try:
            check_leaks(self.leaks, spot)
        except InputError as error:
            raise InputError(f"{self.file}: {error}") from None

    def opponent(self, spot: Spot) -> int:
        from counterplay.poker.locking.leak_match import opponent_of

        return opponent_of(self.leaks, spot.betting)

    def nodes(self, spot: Spot) -> tuple[int, ...] | None:
        from counterplay.poker.locking.leak_match import nodes_of

        return nodes_of(self.leaks, spot.betting)

    def lock(self, solved: SolvedSpot) -> NodeLock:
        from counterplay.poker.locking.node_lock import lock_nodes

        return lock_nodes(solved, self.leaks)


def read_leaks(how: LockFlags, grid: bool = False, side_by_side: bool = False) -> LeakRequest | None:
    """The request about a lock; None without one."""
    how.check(*(name for name, given in (("grid", grid), ("side-by-side", side_by_side)) if given))
    if how.lock is None:
        return None
    from counterplay.poker.locking.leak_text import Leaks

    return LeakRequest(how, how.lock, Leaks.from_file(how.lock))
