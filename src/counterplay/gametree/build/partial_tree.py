"""Partial game trees: tables of histories that are expanded on demand.

A history that is not expanded is at the *limit*: in the table its player is `LIMIT`, it has no children and utility 0.
Its infosets are in the table, so that such a table can be compiled like any other. New histories follow all old ones:
parents still come before their children, but the table is not in preorder."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import I64
from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.game_errors import fault_at
from counterplay.gametree.build.generate import FREE, INFOS, Table, first_path, larger, longer, room_for
from counterplay.gametree.build.known_infosets import recall_infosets
from counterplay.gametree.build.partial_tree_kernel import DONE, FAULT, D, Front, H, expand
from counterplay.gametree.build.replay_kernels import states_at, trail_of
from counterplay.gametree.build.rollouts import rollouts
from counterplay.gametree.table.histories import Histories, TooLargeError

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
    keys, ids = recall_infosets(game.rules, histories, front.which, path.cursor, trail)
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
