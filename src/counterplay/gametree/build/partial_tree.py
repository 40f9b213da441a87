"""Partial game trees: tables of histories that are expanded on demand.

A history that is not expanded is at the *limit*: in the table its player is `LIMIT`, it has no children and utility 0.
Its infosets are in the table, so that such a table can be compiled like any other. New histories follow all old ones:
parents still come before their children, but the table is not in preorder. An infoset may be expanded piece by piece: equal
events lead to equal numbers, including those of earlier pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, LIMIT, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.generate import (
    FREE,
    INFOS,
    Path,
    Table,
    first_path,
    is_sound,
    larger,
    longer,
    next_infoset,
    room_for,
    slot,
)
from counterplay.gametree.build.histories import Histories, TooLargeError
from counterplay.gametree.build.preorder import fault_at
from counterplay.gametree.build.rollouts import rollouts
from counterplay.gametree.build.step_states import ReplayState, states_at, trail_of, visit
from counterplay.jit import kernel

_actions, _step = hooks.actions, hooks.step


@kernel(allocates=True)
def _entries(parent: Any, info: Any, marked: Any) -> Any:
    """One history of each infoset of a player that follows the marked ones: the first on its path."""
    entry = np.full(len(marked), -1, np.int32)
    more = True
    while more:  # an infoset may be marked after some of its histories were passed
        more = False
        for h in range(1, len(parent)):
            now, before = info[h], info[parent[h]]
            if now >= 0 and now != before and marked[before] and entry[now] < 0:
                entry[now] = h
                more |= not marked[now]
                marked[now] = True
    return entry[entry >= 0]


@kernel
def _recall(
    rules: Any,
    parent: Any,
    action: Any,
    player: Any,
    info: Any,
    entries: Any,
    who: int,
    trail: ReplayState,
    keys: Any,
    ids: Any,
    cursor: Any,
) -> None:
    """Put the steps that led to the `entries` of player `who` into the hash table.

    Steps of two events, an own action and then an observation, come last: the infoset between the two is numbered
    already if the action alone led to some entry."""
    for twice in (False, True):
        for h in entries:
            up, k = parent[h], action[h]
            visit(rules, parent, action, up, trail)
            _actions(rules, trail.state, trail.legal, trail.odds)
            trail.seen[0], trail.seen[1] = 0, 0
            _step(rules, trail.state, trail.legal[k], trail.seen)
            seen, acted = trail.seen[who], player[up] == who
            if (acted and seen != 0) != twice:
                continue
            known = np.int64(info[up])
            if twice:
                known = np.int64(next_infoset(keys, ids, cursor, who, known, 2 * k + 1))
            event = 2 * seen if seen != 0 else 2 * k + 1
            key = (known << 26) | (event << 1) | who
            at = slot(keys, key)
            keys[at], ids[at] = key, info[h]


_player, _actions, _step, _utility = hooks.player, hooks.actions, hooks.step, hooks.utility
# Places of the cursor: histories in the new table, the depth below the history that is being expanded (-1: none is), how
# many have been expanded. The numbers of infosets come last, where the generator has them.
H, D, DONE = 0, 1, 2
FAULT = -2
"""Value of the depth where a history is no sound one of a game; it is then the first one of the path."""


class Front(NamedTuple):
    """The histories to expand. player: who acts there, filled in on the way. reach, info0, info1: columns of the old
    table, for these histories only. parent, action: whole columns of the old table, for replays."""

    which: Any
    player: Any
    reach: Any
    info0: Any
    info1: Any
    parent: Any
    action: Any


@kernel(inline=True)
def _open(rules: Any, path: Path, d: int, history: int, who: int, state: Any, trail: ReplayState) -> bool:
    """Put `history` with `state` at depth d; returns whether its player, actions and odds are valid."""
    size, width = rules.size, rules.branching
    path.index[d], path.actor[d], path.tried[d] = history, who, 0
    n = _actions(rules, state, trail.legal, trail.odds) if 0 <= who <= CHANCE else 0
    path.count[d] = n
    for i in range(size):
        path.states[d * size + i] = state[i]
    for k in range(n):
        path.moves[d * width + k] = trail.legal[k]
    if who == CHANCE:
        for k in range(n):
            path.odds[d * width + k] = trail.odds[k]
    if is_sound(who, n, trail.odds):
        return True
    path.index[0] = history
    return False


@kernel(inline=True)
def _begin(rules: Any, path: Path, front: Front, trail: ReplayState, at: int) -> bool:
    """Put a history of the limit at depth 0; returns what `_open` does."""
    visit(rules, front.parent, front.action, front.which[at], trail)
    front.player[at] = _player(rules, trail.state)
    path.known[0], path.known[1], path.reach[0] = front.info0[at], front.info1[at], front.reach[at]
    return bool(_open(rules, path, 0, front.which[at], front.player[at], trail.state, trail))


@kernel(inline=True)
def _learn(known: Any, d: int, who: int, k: int, seen: Any, keys: Any, ids: Any, cursor: Any) -> None:
    """Set `known` at depth d + 1: both players' infosets after action k of `who` at depth d."""
    for i in range(2):
        now = known[2 * d + i]
        if who == i:
            now = next_infoset(keys, ids, cursor, i, now, 2 * k + 1)
        if seen[i] != 0:
            now = next_infoset(keys, ids, cursor, i, now, 2 * seen[i])
        known[2 * d + 2 + i] = now


@kernel
def expand(
    rules: Any,
    path: Path,
    level: Any,
    levels: int,
    front: Front,
    trail: ReplayState,
    table: Table,
    keys: Any,
    ids: Any,
    spare: int,
) -> None:
    """Continue until everything is expanded, the table is full or the hash table half full. `level` is the level at
    each depth; `spare` is the number of infosets less the number of entries of the hash table."""
    # Taken out of the records once: inside the loop that would cost reference counts, half of the time.
    cursor, state, states, moves, odds, count, tried, index, actor, known, reach = path
    parents, steps, players, reaches, info0, info1, utilities = table
    size, width, old, seen = rules.size, rules.branching, len(front.parent), trail.seen
    h, d, done = cursor[H], cursor[D], cursor[DONE]
    while d >= 0 or (d == -1 and done < len(front.which)):
        if d < 0:
            d = 0 if _begin(rules, path, front, trail, done) else FAULT
            done += 1
            continue
        if tried[d] == count[d]:
            d -= 1
            continue
        if h == len(parents) or 2 * (cursor[INFOS] + cursor[INFOS + 1] - spare + 4) > len(keys):
            break
        # Play the next action at depth d, whose rows are d * size.. of states and d * width.. of moves and odds.
        k = tried[d]
        tried[d] += 1
        for i in range(size):
            state[i] = states[d * size + i]
        seen[0], seen[1] = 0, 0
        _step(rules, state, moves[d * width + k], seen)
        chance = actor[d] == CHANCE
        reach[d + 1] = reach[d] * odds[d * width + k] if chance else reach[d]
        level[d + 1] = level[d] + (not chance or (seen[0] != 0 and seen[1] != 0))  # private deals are no level
        # Note the history to which it leads; depth d + 1 holds the infosets of both players at 2 * d + 2 and 2 * d + 3.
        who = _player(rules, state)
        parents[h], steps[h], reaches[h] = index[d], k, reach[d + 1]
        if who == TERMINAL:
            players[h], utilities[h], info0[h], info1[h] = TERMINAL, _utility(rules, state), -1, -1
        else:
            _learn(known, d, actor[d], k, seen, keys, ids, cursor)
            opened = level[d + 1] < levels
            players[h], utilities[h] = who if opened else LIMIT, 0.0
            info0[h], info1[h] = known[2 * d + 2], known[2 * d + 3]
            if opened:
                d = d + 1 if _open(rules, path, d + 1, old + h, who, state, trail) else FAULT
        h += 1
    cursor[H], cursor[D], cursor[DONE] = h, d, done


__all__ = ["grow", "rollouts", "seed", "states_at"]


def seed(game: FastGame) -> Histories:
    """The table of the root alone, at the limit unless it is terminal."""
    state = game.root()
    over = game.player(state) == TERMINAL
    player, number = np.array([TERMINAL if over else LIMIT], np.int8), -1 if over else 0
    info0, info1 = (np.array([number], np.int32) for _ in range(2))
    utility = np.array([game.utility(state) if over else 0.0])
    return Histories(np.array([-1], np.int32), np.zeros(1, np.int16), player, np.ones(1), (info0, info1), utility)


def grow(game: FastGame, histories: Histories, which: I64, levels: int, room: int) -> Histories:
    """Expand histories of the limit until `levels` more levels are passed on every path, or the game ends.

    A level is an action of a player, or an event of chance that both players observe; a number above the game's depth
    goes to the end. Old histories and augmented infosets keep their numbers. `which`, (n,), are histories at the limit,
    in any order, and need not be whole infosets or public states.

    Raises:
        TooLargeError: the new table would have more histories than `room`.
        InputError: a history that is not at the limit or is given twice, or what `generate` refuses.
    """
    front = _front(game, histories, np.ascontiguousarray(which, np.int64))
    if levels < 1 or len(front.which) == 0:
        return histories
    if len(histories) + len(front.which) > room:  # each has a child at least
        raise _too_large(game, room)
    cursor = np.zeros(INFOS + 2, np.int64)
    cursor[D] = -1
    cursor[INFOS:] = [info.max() + 1 for info in histories.info]  # new infosets are numbered from the largest used
    path, trail = first_path(game.rules)._replace(cursor=cursor), trail_of(game.rules)
    # the hash table from (augmented infoset, event) to the augmented infoset that follows, for the front's infosets
    entries = []
    for info in histories.info:
        marked = np.zeros(int(info.max()) + 1, np.bool_)
        marked[info[front.which]] = True
        entries.append(_entries(histories.parent, info, marked))
    needed = 4 * sum(map(len, entries)) + 8  # two events each at most, in a table that is at most half full
    size = max(1024, 1 << needed.bit_length())
    keys, ids = np.full(size, FREE), np.empty(size, np.int32)
    for who in (0, 1):
        if len(entries[who]):
            known = (histories.parent, histories.action, histories.player, histories.info[who])
            _recall(game.rules, *known, entries[who], who, trail, keys, ids, path.cursor)
    spare = int(path.cursor[INFOS:].sum() - (keys != FREE).sum())  # what the two numbers of infosets exceed the keys by
    most = room - len(histories)
    table, level = room_for(min(most, 64 + 8 * len(front.which))), np.zeros(game.rules.depth + 1, np.int64)
    while path.cursor[D] >= 0 or path.cursor[DONE] < len(front.which):
        expand(game.rules, path, level, levels, front, trail, table, keys, ids, spare)
        if path.cursor[D] == FAULT:
            raise fault_at(game, _joined(histories, front, table, int(path.cursor[H])), int(path.index[0]))
        if path.cursor[H] == len(table.parent) and path.cursor[D] >= 0:
            if len(table.parent) >= most:
                raise _too_large(game, room)
            table = longer(table, min(most, 2 * len(table.parent)))
        if 2 * (path.cursor[INFOS:].sum() - spare + 4) > len(keys):
            keys, ids = larger(keys, ids)
    return _joined(histories, front, table, int(path.cursor[H]))


def _front(game: FastGame, histories: Histories, which: I64) -> Front:
    total = len(histories)
    wrong = which[(which < 0) | (which >= total)]
    if not len(wrong):
        wrong = which[histories.player[which] != LIMIT]
    if len(wrong):
        raise InputError(f"{game.name}: history {wrong[0]} is not at the limit of the tree and cannot be expanded")
    once = np.zeros(total, np.bool_)
    once[which] = True
    if once.sum() < len(which):
        raise InputError(f"{game.name}: a history to expand is given twice")
    known, player = [info[which] for info in histories.info], np.full(len(which), LIMIT, np.int8)
    return Front(which, player, histories.reach[which], known[0], known[1], histories.parent, histories.action)


def _too_large(game: FastGame, room: int) -> TooLargeError:
    return TooLargeError(f"{game.name}: the tree would grow to more than {room:,} histories, the most allowed")


def _joined(histories: Histories, front: Front, table: Table, count: int) -> Histories:
    """The old table, in which the expanded histories have their players, and the first `count` rows of the new one."""
    player = histories.player.copy()
    player[front.which] = front.player
    old = (histories.parent, histories.action, player, histories.reach, *histories.info, histories.utility)
    columns = [np.concatenate([before, new[:count]]) for before, new in zip(old, table, strict=True)]
    parent, action, player, reach, info0, info1, utility = columns
    return Histories(parent, action, player, reach, (info0, info1), utility)
