"""Shares of the boards of a solve by sampling, which are swept side by side, and the methods that split them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.poker.whole_game.holdem import HoldemGame

PUBLIC, CFR_BR = "public", "cfr-br"
"""Methods by sampling."""
USUAL_BOARDS = 256
_MOST_SHARES, _MOST_BOARDS = 4096, 2**20
_GROWTH, _SLOWEST = 16, 128
"""A round has at most one board for so many that are done, times the shares, up to the second number. What shares see alike
they all correct, and their sum overshoots: the more of them, the sooner they must hear of each other."""


@dataclass(frozen=True)
class BoardSplit:
    """Shares of the boards. What the shares learn is added up after every round; all of it is fixed by the two numbers,
    so that equal splits give equal blueprints, whoever sweeps the shares.

    Attributes:
        shares: share k of n sweeps boards k, k + n, k + 2n, ... of a round.
        boards: most boards of a share in a round.

    Raises:
        InputError: numbers outside their range.
    """

    shares: int
    boards: int = USUAL_BOARDS

    def __post_init__(self) -> None:
        if not 1 <= self.shares <= _MOST_SHARES:
            raise InputError(f"boards are split into 1 to {_MOST_SHARES} shares, not {self.shares}")
        if not 1 <= self.boards <= _MOST_BOARDS:
            raise InputError(f"regrets are added up every 1 to {_MOST_BOARDS:,} boards of a share, not {self.boards}")

    def next_round(self, done: int) -> int:
        """Boards of each share in the round that begins after so many boards."""
        return max(1, min(self.boards, done // (min(_GROWTH * self.shares, _SLOWEST) * self.shares)))

    def facts(self) -> dict[str, int]:
        """The two numbers by name, for files."""
        return {"shares": self.shares, "boards": self.boards}


class RoundProgress(NamedTuple):
    """Progress of a round: iterations of the solve, with those of the shares that are done; boards of the shares of this
    round that are done, and boards of all of its shares."""

    iterations: int
    done: int
    boards: int


def split_in(facts: Any) -> BoardSplit | None:
    """The split that the facts of a file name; None if it has none."""
    if facts is None:
        return None
    numbers = [facts.get(name) for name in ("shares", "boards")] if isinstance(facts, dict) else [None]
    if not all(type(number) is int for number in numbers):
        raise InputError("its split of boards is damaged")
    return BoardSplit(*numbers)


def why_whole(game: HoldemGame, method: str) -> str:
    """Why a method does not split boards in a game; empty where it does. Regrets of shares can be added up where they are
    plain sums over iterations."""
    if method == CFR_BR or (method == PUBLIC and game.last > 1):
        return ""
    if method != PUBLIC:
        return f"{method} does not split boards: each of its iterations sees all of them"
    return (
        "public does not split boards of a game that ends on the flop: it floors regrets at 0 there, so that those of "
        "shares cannot be added up; cfr-br does"
    )
