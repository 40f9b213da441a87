"""Command-line options for a player of a spot who is known from hands or from figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.options.leak_options import LockFlags, LockRequest, read_leaks
from counterplay.errors import InputError, quoted

if TYPE_CHECKING:
    from counterplay.opponents.model import OpponentModel
    from counterplay.opponents.tilting.spot_tilt import SpotTilt
    from counterplay.poker.locking.node_lock import NodeLock
    from counterplay.poker.spots.solution import SolvedSpot
    from counterplay.poker.spots.spot import Spot


@dataclass(frozen=True)
class VillainFlags:
    """A player of a spot, and where they sit."""

    villain: Annotated[
        str | None,
        typer.Option(
            "--villain", metavar="OPPONENT", help="hands:FILE,player=NAME or 'profile:fold to c-bet=70'; what to do?"
        ),
    ] = None
    opponent: Annotated[str | None, typer.Option("--opponent", help="With --villain: they are oop or ip (ip).")] = None


@dataclass(frozen=True)
class VillainRequest(LockRequest):
    """A question about a player who is known from hands or from figures.

    Attributes:
        model: the player.
        seat: 0 (oop) or 1 (ip).
        tilts: the player in the spots that were asked about; the last is shown.
    """

    model: OpponentModel
    seat: int
    tilts: list[SpotTilt] = field(default_factory=list)

    def fits(self, spot: Spot) -> None:
        self.model.check_spot(spot, self.seat)

    def opponent(self, spot: Spot) -> int:  # noqa: ARG002 - the option says it
        return self.seat

    def lock(self, solved: SolvedSpot) -> NodeLock:
        self.tilts.append(self.model.tilt(solved, self.seat))
        return self.tilts[-1].lock


def read_lock(how: LockFlags, villain: VillainFlags, grid: bool, side_by_side: bool) -> LockRequest | None:
    """The request about a lock or a villain; None without either.

    Raises:
        InputError: both, or an invalid one.
    """
    if villain.villain is None:
        if villain.opponent is not None:
            raise InputError("--opponent needs a --villain")
        return read_leaks(how, grid, side_by_side)
    if how.lock is not None:
        raise InputError("--lock and --villain both name the opponent: give one of them")
    how.check(locked=True)
    from counterplay.poker.betting.rules import PLAYERS

    who = villain.opponent or PLAYERS[1]
    if who not in PLAYERS:
        raise InputError(f"--opponent is oop or ip, not {quoted(who)}")
    from counterplay.opponents.model import MODELS

    model = MODELS.parse(villain.villain)
    model.check()
    return VillainRequest(how, model, PLAYERS.index(who))
