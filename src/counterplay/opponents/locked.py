"""A leak in a spot as an opponent: the equilibrium, but for the nodes that a file of leaks locks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterplay.errors import InputError, SeatError, quoted
from counterplay.opponents.model import OpponentModel
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.locking.leak_match import check_leaks, opponent_of
from counterplay.poker.locking.leak_text import Leaks
from counterplay.poker.locking.node_lock import lock_nodes
from counterplay.strategies.spot_reference import locked_strategy, spot_of, spot_reference
from counterplay.treeplex.strategy import Strategy


@dataclass(frozen=True)
class Locked(OpponentModel):
    """A player with the leaks of a file who plays the equilibrium everywhere else. A line with `trust T` is followed with
    probability T at each of its decisions.

    Attributes:
        file: path of the leaks, in the language of `counterplay spot --lock`.
    """

    HEAD = "lock"
    file: str

    @classmethod
    def from_text(cls, text: str) -> Locked:
        file = text.partition(":")[2]
        if not file:
            raise InputError(f"{quoted(text)} lacks the file of leaks, as in lock:leak.txt")
        return cls(file)

    def __str__(self) -> str:
        return f"{self.HEAD}:{self.file}"

    def make(self, game: Any, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: no spot, an unreadable file, or leaks that do not fit: another player's, or other nodes."""
        spot, leaks = spot_of(game, self), Leaks.from_file(self.file)
        check_leaks(leaks, spot)
        if (who := opponent_of(leaks, spot.betting)) != player:
            raise SeatError(
                f"{self.file} has leaks of {PLAYERS[who]}, but the opponent is {PLAYERS[player]}: take the other "
                "seat (--seat)"
            )
        return locked_strategy(lock_nodes(spot_reference(game, self), leaks), game)

    def check(self) -> None:
        Leaks.from_file(self.file)

    def is_fixed(self, rules: object) -> bool:  # noqa: ARG002 - a file may change
        return False
