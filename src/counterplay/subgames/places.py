"""Places of a game at which a blueprint is solved again: after so many moves, after a round, or where the game says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.subgames.compile import GameTree
from counterplay.subgames.levels import GAME, ROUND, Depth, counted_along
from counterplay.subgames.observed import declared

Ints = NDArray[np.int32]
MOVES = "moves"
_DIGITS = 6


@dataclass(frozen=True)
class Place:
    """A place on every path from the root.

    Attributes:
        kind: `moves`, `round`, or `game` (the public states that the game itself gives).
        number: how many moves or rounds are over; for `game` how many of its states were met.
        declared: take the public states that the game declares, which hold whole computed ones.
    """

    kind: str
    number: int
    declared: bool = False

    @staticmethod
    def of(text: str, declared: bool = False) -> Place:
        """From the text of the command line: `moves:N`, `round`, `round:N`, `game`.

        Raises:
            InputError: none of these.
        """
        kind, colon, word = text.partition(":")
        number = int(word) if word.isdecimal() and len(word) < _DIGITS else -1
        least = 0 if kind == MOVES else 1
        if kind not in (MOVES, ROUND, GAME) or (colon and number < least) or (kind == MOVES and not colon):
            raise InputError(f"a place is {MOVES}:N, {ROUND}, {ROUND}:N or {GAME}, not '{text}'")
        return Place(kind, number if colon else 1, declared)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.kind == MOVES or self.number != 1 else self.kind


def tops(game: GameTree, place: Place) -> list[tuple[int, ...]]:
    """The public states at a place, each as the numbers of the computed public states that it holds, by first visit.

    A subgame begins where a player acts: deals that follow the last move are over.

    Raises:
        InputError: no path of the game comes so far, it has no rounds, or the players cannot tell that they are there.
    """
    clock, table = _clock(game, place), game.histories
    acting = (table.player != CHANCE) & (table.player != TERMINAL)
    behind = counted_along(table.parent, acting & (clock == place.number))
    here = np.flatnonzero(acting & (clock == place.number) & (behind == 1))
    if not len(here):
        raise InputError(f"no path of {game.name} comes to {place} and goes on")
    state = game.public[0][table.info[0][here]]
    inside = np.flatnonzero((table.info[0] >= 0) & acting)
    earlier = inside[np.isin(game.public[0][table.info[0][inside]], state) & (clock[inside] < place.number)]
    if len(earlier):
        raise InputError(
            f"in {game.name} not everybody knows when {place} is over; name a place a move earlier or later"
        )
    names = declared(game)[state] if place.declared else state
    order = list(dict.fromkeys(names.tolist()))
    return [tuple(np.unique(state[names == name]).tolist()) for name in order]


def _clock(game: GameTree, place: Place) -> Ints:
    """(H,) what the place counts along each history."""
    if place.kind == MOVES:
        table = game.histories
        moved = (table.parent >= 0) & (table.player[table.parent] != CHANCE)
        return counted_along(table.parent, moved)
    return Depth(own=place.kind == GAME).clock(game)
