"""How the boards of a solve by sampling are split into shares, which are swept side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.errors import InputError

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
    """How far a round is.

    Attributes:
        iterations: of the solve, with those of the shares that are done.
        done: boards of the shares of this round that are done.
        boards: of all shares of the round.
    """

    iterations: int
    done: int
    boards: int


def split_in(facts: Any) -> BoardSplit | None:
    """The split that the facts of a file name; None if it has none.

    Raises:
        InputError: it is damaged.
    """
    if facts is None:
        return None
    numbers = [facts.get(name) for name in ("shares", "boards")] if isinstance(facts, dict) else [None]
    if not all(type(number) is int for number in numbers):
        raise InputError("its split of boards is damaged")
    return BoardSplit(*numbers)
