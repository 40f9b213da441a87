"""Opponents whom an answer is to: leaks as lines of text, or a player of hand histories. They travel to a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from counterplay.display import shell_word
from counterplay.errors import InputError, quoted
from counterplay.opponents.hands_model import HandsModel
from counterplay.opponents.histories.read_hands import Hands, read_hands
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.leak_match import check_leaks
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import NodeLock, lock_nodes
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import Spot


class SpotOpponent(Protocol):
    """A player of a spot who plays otherwise than in equilibrium."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells two of them apart, wherever their files are."""

    @property
    def reads_files(self) -> bool:
        """Whether hands are read, which may take long."""

    def check(self, spot: Spot) -> None:
        """Reject a player that does not fit the spot, before anything is solved.

        Raises:
            InputError: why.
        """

    def lock(self, solved: SolvedSpot) -> tuple[NodeLock, Mapping[str, Any]]:
        """The player in a solved spot, and plain facts of it; errors as of `check`."""


@dataclass(frozen=True)
class LeakLines:
    """Leaks, line by line. text: that `spot --lock` takes."""

    text: str

    reads_files = False

    @property
    def key(self) -> tuple[Any, ...]:
        return (str(Leaks.from_text(self.text)),)

    def check(self, spot: Spot) -> None:
        check_leaks(Leaks.from_text(self.text), spot)

    def lock(self, solved: SolvedSpot) -> tuple[NodeLock, Mapping[str, Any]]:
        return lock_nodes(solved, Leaks.from_text(self.text)), {"leaks": self.text, "villain": None}


@dataclass(frozen=True)
class PlayerOfHands:
    """A player as their hands support (see `opponents.tilting.spot_model.spot_from_hands`).

    Attributes:
        file: of hands; it is named by its content.
        player: name.
        seat: where they sit in the spot: 0 (oop) or 1 (ip).
    """

    file: Path
    player: str
    seat: int
    reads_files = True

    @property
    def key(self) -> tuple[Any, ...]:
        return "hands", self.file.name, self.player, self.seat

    @property
    def options(self) -> str:
        """The same player as options of `spot`."""
        return f"--villain {shell_word(str(self._model))} --opponent {PLAYERS[self.seat]}"

    def check(self, spot: Spot) -> None:
        self._model.check_spot(spot, self.seat)

    def lock(self, solved: SolvedSpot) -> tuple[NodeLock, Mapping[str, Any]]:
        tilt = self._model.tilt(solved, self.seat)
        if not tilt.lock.nodes:
            raise InputError(
                f"what was seen of {quoted(self.player)} agrees with the equilibrium: there is no leak to answer"
            )
        return tilt.lock, {"leaks": "", "villain": {"file": self.file.name, "options": self.options, **tilt.facts()}}

    @property
    def _model(self) -> HandsModel:
        return HandsModel(str(self.file), player=self.player)


@lru_cache(maxsize=2)
def hands_in(file: Path) -> Hands:
    """The hands of a file that is named by its content.

    Raises:
        InputError: it is no hand history.
    """
    return read_hands([file])
