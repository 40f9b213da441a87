"""Depth-first generator for games written as rules: jitted, one pass, infosets numbered by a player's observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I32, I64
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.histories import Histories, TooLargeError
from counterplay.gametree.build.preorder import fault_at
from counterplay.gametree.build.size_estimate import Count
from counterplay.jit import kernel, plain

_player, _actions, _step, _utility, _start = hooks.player, hooks.actions, hooks.step, hooks.utility, hooks.start
FREE = np.int64(-1)
_BATCH = 1_000_000  # histories
_PLACES = 1 << 14  # of infosets at first: smaller games need no others, and no kernel that moves them
_LARGE = 10_000_000
"""Histories from which on a column with one number is not kept."""
_H, _D, _WHO, INFOS = 0, 1, 2, 3  # places of the cursor; two numbers of infosets from INFOS on
_FAULT = -2
"""Value of the depth where the history that is next in the table is no sound one of a game."""


class Path(NamedTuple):
    """The generator's current path: rows of flat arrays, one per depth."""

    cursor: Any
    state: Any
    states: Any
    moves: Any
    odds: Any
    count: Any
    tried: Any
    index: Any
    actor: Any
    known: Any
    reach: Any


class Table(NamedTuple):
    """The columns of `Histories`, with spare capacity."""

    parent: Any
    action: Any
    player: Any
    reach: Any
    info0: Any
    info1: Any
    utility: Any


def generate(
    game: FastGame, expected: int, limit: int, ask: Callable[[], int] | None = None, count: Count | None = None
) -> Histories:
    """All histories of `game`; `count` is called now and then with the number so far.

    The initial capacity is `expected`. When it is used up, `ask` is called once: it returns the allowed number, or
    raises. Later, and without `ask`, the capacity doubles.

    Raises:
        TooLargeError: more than `limit` histories.
        InputError: a player who is none, no actions, or chance that is not a probability distribution.
    """
    path, table = first_path(game.rules), room_for(max(expected, 64))
    keys, ids = np.full(_PLACES, FREE), np.empty(_PLACES, np.int32)
    width = game.rules.branching
    written = np.zeros(width, np.int64), np.zeros(width), np.zeros(2, np.int64)
    while path.cursor[_D] >= 0:
        upto = path.cursor[_H] + _BATCH  # a kernel hears no Ctrl-C
        _generate(game.rules, path, Table(*(column[:upto] for column in table)), keys, ids, *written)
        if count and path.cursor[_D] >= 0:
            count(int(path.cursor[_H]))
        if path.cursor[_D] >= 0 and path.cursor[_H] == len(table.parent):
            size = max(2 * len(table.parent), ask() if ask else 0)
            if path.cursor[_H] > limit:
                raise TooLargeError(f"{game.name} has more than {limit:,} histories, more than the memory limit allows")
            ask = None
            table = longer(table, size)
        if 2 * (path.cursor[INFOS:].sum() + 4) > len(keys):
            keys, ids = larger(keys, ids)
    total, bad = int(path.cursor[_H]), path.cursor[_D] == _FAULT
    if total > limit:
        raise TooLargeError(f"{game.name} has more than {limit:,} histories, more than the memory limit allows")
    histories = _histories(table, total + bad)
    if bad:
        raise fault_at(game, histories, total)
    return histories


def _histories(table: Table, size: int) -> Histories:
    """The first `size` histories; without chance one number stands for all reaches."""
    fits = size > 0.9 * len(table.parent)
    parent, action, player, reach, info0, info1, utility = (
        column[:size] if fits else column[:size].copy() for column in table
    )
    if size > _LARGE and reach.min() == 1.0:
        reach = np.broadcast_to(np.ones(1), (size,))
    return Histories(parent, action, player, reach, (info0, info1), utility)


def longer(table: Table, size: int) -> Table:
    """The same columns with capacity for `size` histories."""
    more = room_for(size)
    for old, new in zip(table, more, strict=True):
        new[: len(old)] = old
    return more


def first_path(rules: Any) -> Path:
    depth, size, width = rules.depth + 1, rules.size, rules.branching
    cursor, state, states, moves = (np.zeros(n, np.int64) for n in (5, size, depth * size, depth * width))
    count, tried, index, actor = (np.zeros(depth, np.int64) for _ in range(4))
    known, reach = np.zeros(2 * depth, np.int64), np.ones(depth)
    path = Path(cursor, state, states, moves, np.zeros(depth * width), count, tried, index, actor, known, reach)
    path.cursor[INFOS:] = 1  # the augmented infoset of both players at the root is number 0
    module = hooks.module_of(rules)
    plain(module.start)(rules, path.state)
    path.cursor[_WHO] = plain(module.player)(rules, path.state)
    path.index[0] = -1
    return path


def room_for(n: int) -> Table:
    kinds = (np.int32, np.int16, np.int8, np.float64, np.int32, np.int32, np.float64)
    table = Table(*(np.empty(n, kind) for kind in kinds))
    table.parent[0], table.action[0], table.reach[0] = -1, 0, 1.0
    return table


@kernel(inline=True)
def slot(keys: Any, key: int) -> Any:
    """The slot of `key`, or the free slot where it belongs, in an open-addressed table whose size is a power of two."""
    mask = len(keys) - 1
    product = key * np.int64(-7046029254386353131)
    at = (product ^ (product >> 32)) & mask
    while keys[at] != FREE and keys[at] != key:
        at = (at + 1) & mask
    return at


def larger(keys: I64, values: I32) -> tuple[I64, I32]:
    """The hash table of (slots,) keys and values with four times the slots."""
    more_keys, more_values = np.full(4 * len(keys), FREE), np.empty(4 * len(keys), np.int32)
    _fill(keys, values, more_keys, more_values)
    return more_keys, more_values


@kernel
def _fill(keys: Any, values: Any, more_keys: Any, more_values: Any) -> None:
    for i in range(len(keys)):
        if keys[i] != FREE:
            at = slot(more_keys, keys[i])
            more_keys[at], more_values[at] = keys[i], values[i]


@kernel(inline=True)
def next_infoset(keys: Any, ids: Any, cursor: Any, player: int, known: int, event: int) -> Any:
    """The augmented infoset that follows `known` by one event: an own action (odd number) or an observation (even)."""
    key = (np.int64(known) << 26) | (event << 1) | player  # (known, event, player) in one word
    at = slot(keys, key)
    if keys[at] == FREE:
        keys[at], ids[at] = key, cursor[INFOS + player]
        cursor[INFOS + player] += 1
    return ids[at]


@kernel(inline=True)
def is_sound(who: int, n: int, chance: Any) -> Any:
    """Return whether there are actions and, where chance acts, their probabilities are a distribution."""
    total, least = 1.0, 0.0
    if who == CHANCE:
        total = 0.0
        for k in range(n):
            total += chance[k]
            least = min(least, chance[k])
    return n > 0 and least >= 0.0 and abs(total - 1.0) <= 1e-9


@kernel
def _generate(rules: Any, path: Path, table: Table, keys: Any, ids: Any, legal: Any, chance: Any, seen: Any) -> None:
    """Continue from `path` until all is generated, or a table is full; the last three arguments are scratch."""
    # Taken out of the records once: inside the loop that would cost reference counts.
    cursor, state, states, moves, odds, count, tried, index, actor, known, reach = path
    parents, steps, players, reaches, info0, info1, utilities = table
    size, width, capacity = rules.size, rules.branching, len(parents)
    h, d, who = cursor[_H], cursor[_D], cursor[_WHO]
    while d >= 0 and h < capacity and 2 * (cursor[INFOS] + cursor[INFOS + 1] + 4) <= len(keys):
        # Enter the history h, whose state is `state`, at depth d; its edge is noted in the path.
        parents[h] = index[d - 1] if d > 0 else -1
        steps[h] = tried[d - 1] - 1 if d > 0 else 0
        players[h], reaches[h] = who, reach[d]
        actor[d], index[d], tried[d] = who, h, 0
        if who == TERMINAL:
            utilities[h], info0[h], info1[h] = _utility(rules, state), -1, -1
            count[d] = 0
        else:
            utilities[h], info0[h], info1[h] = 0.0, known[2 * d], known[2 * d + 1]
            n = _actions(rules, state, legal, chance) if 0 <= who <= CHANCE else 0
            count[d] = n
            # Depth d owns the rows d * size.. of states and d * width.. of moves and odds.
            for i in range(size):
                states[d * size + i] = state[i]
            for k in range(n):
                moves[d * width + k] = legal[k]
            if who == CHANCE:
                for k in range(n):
                    odds[d * width + k] = chance[k]
            if not is_sound(who, n, chance):
                d = _FAULT
                break
        h += 1
        # Go to the next history in preorder: the first untried action of the deepest state that has one.
        while d >= 0 and tried[d] == count[d]:
            d -= 1
        if d < 0:
            break
        k = tried[d]
        tried[d] += 1
        for i in range(size):
            state[i] = states[d * size + i]
        seen[0], seen[1] = 0, 0
        _step(rules, state, moves[d * width + k], seen)
        who = _player(rules, state)
        if who != TERMINAL:
            # known[2 * d + i]: augmented infoset of player i at depth d; one event for an own action, one for what is seen.
            for i in range(2):
                now = known[2 * d + i]
                if actor[d] == i:
                    now = next_infoset(keys, ids, cursor, i, now, 2 * k + 1)
                if seen[i] != 0:
                    now = next_infoset(keys, ids, cursor, i, now, 2 * seen[i])
                known[2 * d + 2 + i] = now
        reach[d + 1] = reach[d] * odds[d * width + k] if actor[d] == CHANCE else reach[d]
        d += 1
    cursor[_H], cursor[_D], cursor[_WHO] = h, d, who
