"""Infosets that a partial game tree has numbered already. An infoset may be expanded piece by piece: equal events must
lead to equal numbers, including those of earlier pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.games import kernel_rules as hooks
from counterplay.gametree.build.generate import FREE, next_infoset, slot
from counterplay.gametree.build.replay_kernels import ReplayState, visit
from counterplay.gametree.table.histories import Histories
from counterplay.jit import kernel

_actions, _step = hooks.actions, hooks.step


def recall_infosets(rules: Any, histories: Histories, which: Any, cursor: Any, trail: ReplayState) -> tuple[Any, Any]:
    """The hash table from (augmented infoset, event) to the augmented infoset that follows, as `next_infoset` fills it.

    It holds the successors of the infosets of the histories `which`; it is empty where whole public states are
    expanded. `cursor` has the numbers of infosets and is advanced for those between two events of one step."""
    entries = []
    for info in histories.info:
        marked = np.zeros(int(info.max()) + 1, np.bool_)
        marked[info[which]] = True
        entries.append(_entries(histories.parent, info, marked))
    needed = 4 * sum(map(len, entries)) + 8  # two events each at most, in a table that is at most half full
    size = max(1024, 1 << needed.bit_length())
    keys, ids = np.full(size, FREE), np.empty(size, np.int32)
    for who in (0, 1):
        if len(entries[who]):
            table = (histories.parent, histories.action, histories.player, histories.info[who])
            _recall(rules, *table, entries[who], who, trail, keys, ids, cursor)
    return keys, ids


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
