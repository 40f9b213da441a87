"""Places of a game at which a blueprint is re-solved: after a number of moves, after a round, or where the game marks
it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterplay.arrays import I32, Flags
from counterplay.errors import InputError, nearest, quoted
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.declared_states import declared_states
from counterplay.gametree.compile.levels import GAME, ROUND, Depth, counted_along, first_above
from counterplay.subgames.cut import Cut, cut_below, history_states, in_states
from counterplay.texts.readers import whole_of

MOVES = "moves"
_DIGITS = 5


@dataclass(frozen=True)
class Place:
    """A cut through every path from the root.

    Attributes:
        kind: `moves`, `round`, or `game` (the public states that the game itself marks).
        number: number of completed moves or rounds; for `game`, of its states passed.
        declared: use the public states that the game declares, each a union of computed ones.
    """

    kind: str
    number: int
    declared: bool = False

    @staticmethod
    def of(text: str, declared: bool = False) -> Place:
        """From the text of the command line: `moves:N`, `round`, `round:N`, `game`; else an InputError."""
        kind, colon, word = text.partition(":")
        number = whole_of(word, _DIGITS)
        least = 0 if kind == MOVES else 1
        fits = number is not None and number >= least if colon else kind != MOVES
        if kind not in (MOVES, ROUND, GAME) or not fits:
            near = nearest(text, (MOVES, ROUND, GAME)) if kind not in (MOVES, ROUND, GAME) else None
            meant = f"; did you mean {quoted(near)}?" if near else ""
            raise InputError(f"a place must be {MOVES}:N, {ROUND}, {ROUND}:N or {GAME}, not {quoted(text)}{meant}")
        return Place(kind, 1 if number is None else number, declared)

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}" if self.kind == MOVES or self.number != 1 else self.kind


def subgames_at(game: GameTree, place: Place, resolver: int) -> list[Cut]:
    """The subgames of a resolver at a place, by first visit: one for each public state, from its first histories at
    which a player acts, after the deals that follow the last move. None is inside another.

    If chance acts at some histories of a public state and players at others, one such state may continue into another,
    or an infoset may lie both at the top and below it. The subgame then begins at the very first histories and includes
    all that follows.

    Raises:
        InputError: no path of the game reaches the place, the game has no rounds, or the place is not common knowledge.
    """
    clock, table = _clock(game, place), game.histories
    acting = (table.player != CHANCE) & (table.player != TERMINAL)
    there = acting & (clock == place.number)
    first = there & (counted_along(table.parent, there) == 1)
    if not first.any():
        raise InputError(f"no path of {game.name} reaches {place} and continues")
    state = history_states(game)
    if np.isin(state[acting & (clock < place.number)], state[first]).any():
        raise InputError(
            f"in {game.name} the players do not all know when {place} is over; name a place one move earlier or later"
        )
    names = state if not place.declared else np.append(declared_states(game), -1)[state]
    upper, lower = _going_on(table.parent, first, names)
    order = [name for name in dict.fromkeys(names[first].tolist()) if name not in lower]
    begins = {name: first & (names == name) for name in order}
    for name in upper & set(order):
        begins[name] = in_states(game, np.unique(state[begins[name]]).tolist())
    pieces = [cut_below(game, begins[name], resolver) for name in order]
    for number, name in enumerate(order):
        if not _is_sound(pieces[number]):
            whole_states = in_states(game, np.unique(state[begins[name]]).tolist())
            pieces[number] = cut_below(game, whole_states, resolver)
    tops = np.concatenate([piece.top.histories for piece in pieces])
    covered = counted_along(table.parent, np.isin(np.arange(len(table)), tops)) > 1
    return [piece for piece in pieces if not covered[piece.top.histories].any()]


def _is_sound(piece: Cut) -> bool:
    """Whether every augmented infoset of the top recurs below only on paths through itself at the top."""
    inside = np.flatnonzero((piece.root >= 0) & (piece.game.histories.info[0] >= 0))
    for info, names in zip(piece.game.histories.info, piece.top.infosets, strict=True):
        again = inside[np.isin(info[inside], names)]
        if (info[again] != info[piece.root[again]]).any():
            return False
    return True


def _going_on(parent: I32, first: Flags, names: I32) -> tuple[set[int], set[int]]:
    """Among public states at which subgames begin: those with another one below, and those others."""
    above = first_above(parent, first)
    later = np.flatnonzero((above >= 0) & ~first & np.isin(names, names[first]))
    upper, lower = names[above[later]], names[later]
    return set(upper[upper != lower].tolist()), set(lower[upper != lower].tolist())


def _clock(game: GameTree, place: Place) -> I32:
    """(H,) the count that defines the place, along each history."""
    if place.kind == MOVES:
        table = game.histories
        moved = (table.parent >= 0) & (table.player[table.parent] != CHANCE)
        return counted_along(table.parent, moved)
    return Depth(own=place.kind == GAME).clock(game)
