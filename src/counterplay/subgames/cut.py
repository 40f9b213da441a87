"""Cutting a subgame out of a compiled game: the histories from some public states on, down to a limit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
_OUTSIDE, _BEYOND = -1, -2


@dataclass(frozen=True, eq=False)
class Border:
    """Some histories that both players see from the same place: where a subgame begins, or where a look-ahead stops.

    Attributes:
        game: the whole game, or as much of it as is expanded.
        histories: (n,) which.
        known: two (n,) arrays, the augmented infoset of each player at each, numbered from 0 within the border.
        infosets: two arrays, the number in the game of each of these augmented infosets.
    """

    game: GameTree
    histories: Longs
    known: tuple[Ints, Ints]
    infosets: tuple[Ints, Ints]

    @staticmethod
    def at(game: GameTree, histories: Longs) -> Border:
        """The border of these histories."""
        found = [np.unique(info[histories], return_inverse=True) for info in game.histories.info]
        (names0, known0), (names1, known1) = found
        return Border(game, histories, (known0.astype(np.int32), known1.astype(np.int32)), (names0, names1))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many augmented infosets each player has here."""
        return len(self.infosets[0]), len(self.infosets[1])

    @cached_property
    def chance(self) -> Floats:
        """(n,) chance's probability of each history."""
        return self.game.histories.reach[self.histories]

    @cached_property
    def public(self) -> Ints:
        """(n,) the public state of each history, by its number in the game."""
        return self.game.public[0][self.game.histories.info[0][self.histories]]

    def range(self, player: int, plan: Floats) -> Floats:
        """(size,) what a plan of the whole game gives to each augmented infoset of its player: not normalised."""
        out = np.zeros(self.sizes[player])
        out[self.known[player]] = plan[self.game.sequences[player][self.histories]]
        return out


@dataclass(frozen=True, eq=False)
class Cut:
    """Where a subgame begins, what is in it, and where the look-ahead stops.

    Attributes:
        game: the whole game, or as much of it as is expanded.
        resolver: the player who solves the subgame anew.
        root: (H,) the root above each history of the subgame, itself included; negative outside and beyond the limit.
        top: the root histories.
        limit: the histories at which the look-ahead stops; they are in the subgame, and nothing below them is.
    """

    game: GameTree
    resolver: int
    root: Ints
    top: Border
    limit: Border

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver

    @property
    def size(self) -> int:
        """How many augmented infosets the opponent has at the roots."""
        return self.top.sizes[self.opponent]

    def weight(self, plan: Floats) -> Floats:
        """(size,) chance's and the resolver's reach of each of the opponent's augmented infosets at the roots, given the
        resolver's plan in the whole game."""
        reached = self.top.chance * plan[self.game.sequences[self.resolver][self.top.histories]]
        return np.bincount(self.top.known[self.opponent], reached, self.size).astype(np.float64)

    def presence(self, plan: Floats, other_plan: Floats) -> Floats:
        """(size,) how likely the opponent is to be at each augmented infoset at the roots, given both plans: the opponent's
        range times `weight`."""
        return self.top.range(self.opponent, other_plan) * self.weight(plan)

    def known(self, player: int, histories: Longs) -> Ints:
        """The player's augmented infoset, within the top, at the root above each of these histories."""
        return self.top.known[player][np.searchsorted(self.top.histories, self.root[histories])]


def cut(
    game: GameTree, public_states: Collection[int], resolver: int, expanded: NDArray[np.bool_] | None = None
) -> Cut:
    """The subgame that begins at the first histories of these public states.

    Args:
        game: compiled, perhaps only in part.
        public_states: by their numbers.
        resolver: the player who solves the subgame anew.
        expanded: (H,) the histories beyond which one may look; by default all that are compiled.

    Raises:
        InputError: no history is in them.
    """
    chosen = in_states(game, public_states)
    if not chosen.any():
        raise InputError(f"{game.name} has no public state among {sorted(public_states)}")
    return cut_below(game, chosen, resolver, expanded)


def in_states(game: GameTree, public_states: Collection[int]) -> NDArray[np.bool_]:
    """(H,) whether each history is in one of these public states."""
    info = game.histories.info[0]
    inner = info >= 0
    chosen = np.zeros(len(info), np.bool_)
    chosen[inner] = np.isin(game.public[0][info[inner]], list(public_states))
    return chosen


def cut_below(
    game: GameTree, chosen: NDArray[np.bool_], resolver: int, expanded: NDArray[np.bool_] | None = None
) -> Cut:
    """The same from given histories on: (H,) whether each is `chosen`."""
    table = game.histories
    stops = table.player == LIMIT
    if expanded is not None:
        stops |= ~expanded & (table.player != TERMINAL)
    root = np.full(len(chosen), _OUTSIDE, np.int32)
    _roots(table.parent, chosen, stops, root)
    tops = np.flatnonzero(root == np.arange(len(root)))
    limit = np.flatnonzero(stops & (root >= 0))
    return Cut(game, resolver, root, Border.at(game, tops), Border.at(game, limit))


@kernel
def _roots(parent: Any, chosen: Any, stops: Any, root: Any) -> None:
    for h in range(len(parent)):
        up = parent[h]
        if up >= 0 and root[up] != _OUTSIDE:
            root[h] = _BEYOND if stops[up] else root[up]
        elif chosen[h]:
            root[h] = h
