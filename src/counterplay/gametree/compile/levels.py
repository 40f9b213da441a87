"""Levels and rounds: the depth of histories, and the limit of a look-ahead.

A level is one action of a player, or one public event of chance (the board card of Leduc); private deals do not count.
A serialised simultaneous move is a level of its own (our reading of Milec et al. 2024). A round ends with a public
event of chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import I32, Flags
from counterplay.errors import InputError, quoted
from counterplay.games.game import CHANCE, LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.step_states import states_at
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel
from counterplay.texts.readers import whole_of

ROUND, GAME = "round", "game"
_CLOCKS: WeakKeyDictionary[GameTree, dict[Any, I32]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Depth:
    """The depth of a look-ahead, counted from the present decision.

    Attributes:
        levels: number of levels; None if something else sets the limit.
        states: public states at which it stops, by their numbers in the game; None if something else does.
        own: it stops at the public states that the game itself marks by its member `stop(state)`. If none of the three
            is given, it stops at the end of the round, just after the next public event of chance.
    """

    levels: int | None = None
    states: frozenset[int] | None = None
    own: bool = False

    @staticmethod
    def of(value: int | str | Depth) -> Depth:
        """From a number of levels or the text of the command line: `round`, `game` or a positive whole number; else an
        InputError."""
        if isinstance(value, Depth):
            return value
        if value == ROUND:
            return Depth()
        if value == GAME:
            return Depth(own=True)
        number = whole_of(str(value))
        if not number:
            raise InputError(
                f"the depth must be a positive number of levels, '{ROUND}' or '{GAME}', not {quoted(value)}"
            )
        return Depth(levels=number)

    def __str__(self) -> str:
        return str(self.levels) if self.levels else "states" if self.states else GAME if self.own else ROUND

    def __post_init__(self) -> None:
        if self.levels is not None and not self.levels >= 1:
            raise InputError(f"the depth must be a positive number of levels, not {self.levels}")
        if self.states is not None and not self.states:
            raise InputError("a depth given by public states needs at least one of them")

    @property
    def span(self) -> int:
        """The most by which the clock of the last expanded histories may be ahead of the decision's."""
        return self.levels or 0

    def clock(self, game: GameTree) -> I32:
        """(H,) the count that the limit is measured in, along each history: levels, rounds, or given public states.

        Raises:
            InputError: a round in a game without public chance, or a game that marks no states.
        """
        known = _CLOCKS.setdefault(game, {})
        if self.levels:
            return history_levels(game)
        if self.states and max(self.states) >= game.public_states and not (game.histories.player == LIMIT).any():
            raise InputError(f"{game.name} has no public state {max(self.states)} to stop at")
        if self not in known:
            table = game.histories
            if self.states is None and not self.own:
                rounds = counted_along(table.parent, _public_chance(game))
                if not rounds.any() and not (table.player == LIMIT).any():  # else one may still come
                    raise InputError(f"{game.name} has no rounds: chance shows nothing to both players")
                known[self] = rounds
            else:
                states = given_states(game) if self.states is None else self.states
                inner = table.info[0] >= 0
                state = np.full(len(table), -1, np.int32)
                state[inner] = game.public[0][table.info[0][inner]]
                fresh = (table.parent < 0) | (state != state[table.parent])  # the first of its state on the path
                known[self] = counted_along(table.parent, fresh & np.isin(state, list(states)))
        return known[self]

    def whole_clock(self, game: GameTree) -> I32:
        """(H,) the clock, adjusted so that an infoset is visible as a whole or not at all: if it holds histories of
        several levels, the limit is above all of them."""
        known = _CLOCKS.setdefault(game, {})
        key = (self, "whole")
        if key not in known:
            known[key] = _closed(game, self.clock(game))
        return known[key]


def lane_clock(game: GameTree, player: int, depth: Depth) -> I32:
    """(lanes,) the whole clock of each infoset of a player with a choice, -1 in padding lanes."""
    known = _CLOCKS.setdefault(game, {})
    key = (depth, player)
    if key not in known:
        known[key] = least_by_lane(game, player, depth.whole_clock(game))
    return known[key]


def _closed(game: GameTree, clock: I32) -> I32:
    """(H,) the least numbers, at least the clock, that never fall along a path and are constant on every infoset."""
    table, out = game.histories, clock
    lanes = []
    for player in (0, 1):
        here = np.flatnonzero(table.player == player)
        lane = game.lanes[player][table.info[player][here]]
        lanes.append((here[lane >= 0], lane[lane >= 0], game.trees[player].lanes))
    while True:
        raised = out.copy()
        for here, lane, count in lanes:
            most = np.zeros(count, np.int32)
            np.maximum.at(most, lane, out[here])
            raised[here] = most[lane]
        if (raised == out).all():
            return out
        out = np.array(raised, np.int32)
        _raise(table.parent, out)


@kernel
def _raise(parent: Any, out: Any) -> None:
    """Raise each number to the highest along the path to its history."""
    for h in range(1, len(parent)):
        out[h] = max(out[h], out[parent[h]])


def given_states(game: GameTree) -> frozenset[int]:
    """The public states that the game marks as limits of a look-ahead by its member `stop`; an InputError if it has
    none."""
    stop = getattr(game.rules, "stop", None)
    if stop is None:
        raise InputError(f"{game.name} marks no public states to stop at: it has no member 'stop'")
    info = game.histories.info[0]
    inner = np.flatnonzero(info >= 0)
    states, first = np.unique(game.public[0][info[inner]], return_index=True)
    firsts = game.states(inner[first])
    return frozenset(number for number, state in zip(states.tolist(), firsts, strict=True) if stop(state))


def history_levels(game: GameTree) -> I32:
    """(H,) the level of each history; 0 at the root."""
    known = _CLOCKS.setdefault(game, {})
    if None not in known:
        table = game.histories
        step = _public_chance(game) | (table.player[table.parent] != CHANCE)
        step[table.parent < 0] = False
        known[None] = counted_along(table.parent, step)
    return known[None]


def lane_levels(game: GameTree, player: int) -> I32:
    """(lanes,) the level of each infoset of a player, the least if its histories have several; -1 in padding lanes."""
    return least_by_lane(game, player, history_levels(game))


def least_by_lane(game: GameTree, player: int, numbers: I32) -> I32:
    """(lanes,) the least of the numbers of a player's histories at each infoset; -1 in padding lanes."""
    table, tree = game.histories, game.trees[player]
    here = np.flatnonzero(table.player == player)
    lane = game.lanes[player][table.info[player][here]]
    here, lane = here[lane >= 0], lane[lane >= 0]
    least = np.full(tree.lanes, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(least, lane, numbers[here])
    least[least == np.iinfo(np.int32).max] = -1
    return least


def _public_chance(game: GameTree) -> Flags:
    """(H,) whether a history follows an event of chance that both players observed."""
    table = game.histories
    up = table.parent
    noticed = (table.info[0] != table.info[0][up]) & (table.info[1] != table.info[1][up])
    return np.asarray((up >= 0) & (table.player[up] == CHANCE) & noticed)


def counted_along(parent: I32, flags: Flags) -> I32:
    """(H,) the number of flagged histories on the path to each one, itself included."""
    return summed_along(parent, flags.astype(np.int32))


def first_above(parent: I32, flags: Flags) -> I32:
    """(H,) the first flagged history on the path to each one, itself included; -1 if there is none."""
    first = flags & (counted_along(parent, flags) == 1)
    return summed_along(parent, np.where(first, np.arange(1, len(parent) + 1, dtype=np.int32), np.int32(0))) - 1


def summed_along(parent: I32, steps: I32) -> I32:
    """(H,) the sum of the steps on the path to each history, its own included."""
    total = np.empty(len(parent), np.int32)
    _add_up(parent, steps, total)
    return total


@kernel
def _add_up(parent: Any, steps: Any, total: Any) -> None:
    for h in range(len(parent)):
        total[h] = steps[h] + (total[parent[h]] if parent[h] >= 0 else 0)


def declared_states(game: GameTree) -> I32:
    """(public_states,) the number of the declared public state that holds each public state of the game.

    Declared states are numbered from 0 by first visit. `public`, a method that the game must have, is called at one
    history of each public state; equal texts are one declared state."""
    public = getattr(game.rules, "public", None)
    if public is None:
        raise InputError(f"{game.name} declares no public states: it has no method public(state)")
    numbers: dict[str, int] = {}
    known = game.histories.info[0]
    inner = np.flatnonzero(known >= 0)
    first = inner[np.unique(game.public[0][known[inner]], return_index=True)[1]]
    states: Iterable[Any] = game.states(first)
    if isinstance(game.rules, FastGame):
        states = states_at(game.rules, game.histories, first)
    return np.array([numbers.setdefault(public(state), len(numbers)) for state in states], np.int32)
