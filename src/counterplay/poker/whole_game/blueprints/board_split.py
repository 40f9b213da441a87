"""Shares of the boards of a solve by sampling, which are swept side by side, and the methods that split them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.whole_game.boards.board import MOST_KEPT
from counterplay.poker.whole_game.holdem import GameSize, HoldemGame, game_size

PUBLIC, CFR_BR = "public", "cfr-br"
"""Methods by sampling."""
USUAL_BOARDS = 256
_MOST_SHARES, _MOST_BOARDS = 4096, 2**20
_GROWTH, _SLOWEST = 16, 128
"""A round has at most one board for so many that are done, times the shares, up to the second number. What shares see alike
they all correct, and their sum overshoots: the more of them, the sooner they must hear of each other."""


@dataclass(frozen=True)
class BoardSplit:
    """Shares of the boards. What the shares learn is added up after every round; equal splits give equal blueprints,
    whoever sweeps the shares.

    Attributes:
        shares: share k of n sweeps boards k, k + n, k + 2n, ... of a round.
        boards: most boards of a share in a round.
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

    @property
    def facts(self) -> dict[str, int]:
        """The two numbers by name, for files."""
        return {"shares": self.shares, "boards": self.boards}


class RoundProgress(NamedTuple):
    """Iterations of the solve, with those of the shares that are done; boards of the shares of this round that are
    done, and of all of its shares."""

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
    """Why a method does not split boards in a game; empty where it does: regrets of shares add up if they are plain
    sums."""
    if method == CFR_BR or (method == PUBLIC and game.last > 1):
        return ""
    if method != PUBLIC:
        return f"{method} does not split boards: each of its iterations sees all of them"
    return (
        "public does not split boards of a game that ends on the flop: it floors regrets at 0 there, so that those of "
        "shares cannot be added up; cfr-br does"
    )


_GIB = 2**30
_HOLES = 1.4
"""Numbers of a table of public sampling for one that is used, about (see `line_bundles`)."""
_PLACE = 120
"""Bytes at the peak for each hand on each of the different last boards: ranks, lanes, steps of showdowns, features of
buckets."""


@dataclass(frozen=True)
class BlueprintSize:
    """Betting nodes and decisions, different flops, infosets of both players with buckets, and bytes at the peak."""

    betting: GameSize
    flops: int
    infosets: int
    memory: float

    def __str__(self) -> str:
        return (
            f"{self.betting}, {self.flops:,} different flops; {self.infosets:,} infosets; {self.memory / _GIB:.3g} GiB"
        )

    def check(self, limit: float | None = None) -> None:
        """Reject what takes more bytes than the limit; by default half of the machine's memory."""
        check_memory(f"the blueprint has {self}", self.memory, limit, "ask for fewer buckets")


def size_of(game: HoldemGame, buckets: tuple[int, ...] | None, method: str) -> BlueprintSize:
    """The size of a blueprint; without buckets and with several streets after the flop, about. buckets: of each street
    after the first; None for the game itself."""
    boards, sides, flops = game.boards, game.sides, len(game.boards.choices(game.boards.root)[0])
    lanes = list(map(float, buckets or ()))
    if buckets is None and game.last == 1:
        lanes = [float(sum(flop.lanes for flop in game.flops))]
    elif buckets is None:
        lanes = [boards.most_hands(street) for street in range(1, game.last + 1)]
    kept: float = 2 * (game.dtype.itemsize if buckets is None else 8) + game.dtype.itemsize
    if not why_whole(game, method):
        kept = 3.0 * _HOLES * game.dtype.itemsize
    infosets = sum(len(side.preflop) * boards.classes for side in sides)
    hands = boards.most_hands(game.last) if game.last > 1 else float(flops * game.places(1))
    memory = _PLACE * min(hands, MOST_KEPT)
    for street, count in enumerate(lanes, 1):
        infosets += int(count) * sum(len(side.decisions[street]) for side in sides)
        own_opponent = 4 / 3 if method == CFR_BR and street < game.last else 1.0
        memory += kept * own_opponent * count * sum(side.sizes[street] for side in sides)
    return BlueprintSize(game_size(game.betting), flops, infosets, memory)
