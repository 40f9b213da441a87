"""States of histories of a game written as rules, by replaying the actions in the table; jitted."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I64
from counterplay.games import kernel_rules as hooks
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.table.histories import Histories
from counterplay.jit import kernel

_actions, _step = hooks.actions, hooks.step


class ReplayState(NamedTuple):
    """The path to the history visited last. last: (1,) the depth of that history; 0 at the root. history: the histories
    from the root to it. states: theirs, concatenated. state: of that history; callers may overwrite it. legal, odds,
    seen: scratch."""

    last: Any
    history: Any
    states: Any
    state: Any
    legal: Any
    odds: Any
    seen: Any


def trail_of(rules: Any) -> ReplayState:
    """A trail at the root."""
    depth, size, width = rules.depth + 1, rules.size, rules.branching
    state = np.zeros(size, np.int64)
    hooks.module_of(rules).start(rules, state)
    states = np.zeros(depth * size, np.int64)
    states[:size] = state
    last, history, legal, seen = (np.zeros(n, np.int64) for n in (1, depth, width, 2))
    return ReplayState(last, history, states, state, legal, np.zeros(width), seen)


@kernel(inner=True)
def visit(rules: Any, parent: Any, action: Any, history: int, trail: ReplayState) -> None:
    """Set `trail.state` to the state of `history`; plays only the part that differs from the path of the previous
    visit."""
    size, depth, h = rules.size, 0, np.int64(history)
    while parent[h] >= 0:
        h = np.int64(parent[h])
        depth += 1
    joint, h = depth, np.int64(history)
    while joint > trail.last[0] or trail.history[joint] != h:
        trail.history[joint] = h
        h = np.int64(parent[h])
        joint -= 1
    for i in range(size):
        trail.state[i] = trail.states[joint * size + i]
    for d in range(joint + 1, depth + 1):
        _actions(rules, trail.state, trail.legal, trail.odds)
        _step(rules, trail.state, trail.legal[action[trail.history[d]]], trail.seen)
        for i in range(size):
            trail.states[d * size + i] = trail.state[i]
    trail.last[0] = depth


def states_at(game: FastGame, histories: Histories, which: I64) -> I64:
    """The states of the histories `which`, in that order, as rows: (n, size)."""
    states = np.zeros((len(which), game.rules.size), np.int64)
    which = np.ascontiguousarray(which, np.int64)
    _states(game.rules, histories.parent, histories.action, which, trail_of(game.rules), states)
    return states


@kernel
def _states(rules: Any, parent: Any, action: Any, which: Any, trail: ReplayState, states: Any) -> None:
    for i in range(len(which)):
        visit(rules, parent, action, which[i], trail)
        for k in range(rules.size):
            states[i, k] = trail.state[k]
