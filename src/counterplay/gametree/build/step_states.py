"""States of a game written as rules: those of histories, by replay, and all children of many states, with both players'
observations."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from counterplay.arrays import F64, I64, Flags
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE
from counterplay.games.kernel_rules import FastGame, module_of
from counterplay.games.policy import Even, Policy, normalise_odds, weights
from counterplay.games.random_numbers import scramble
from counterplay.gametree.build.histories import Histories
from counterplay.jit import kernel

_player, _actions, _step = hooks.player, hooks.actions, hooks.step
ANY = -1
_NOBODY = Policy("nobody", Even())


class Children(NamedTuple):
    """The children of some states. states: (m, size) rows. parent: (m,) the row of each child's parent. action: (m,)
    the number of the parent's action, from 0. seen: (m, 2) both players' observations of the step, 0 for none. odds:
    (m,) the probability of the action where chance or the policy's player acts; 1 elsewhere. actor: (m,) the player who
    acted."""

    states: I64
    parent: I64
    action: I64
    seen: I64
    odds: F64
    actor: I64

    def where(self, chosen: Flags) -> Children:
        """The children selected by a (children,) mask or by (n,) numbers."""
        states, parent, action, seen, odds, actor = self
        return Children(states[chosen], parent[chosen], action[chosen], seen[chosen], odds[chosen], actor[chosen])


def step_states(
    game: FastGame,
    states: I64,
    policy: Policy | None = None,
    player: int = 0,
    watcher: int = 0,
    want: I64 | None = None,
) -> Children:
    """All children of non-terminal states, (n, size) rows, state by state. policy: of `player`; None leaves the odds of both
    players at 1. want: (n,) the observation that a child must give the `watcher`, if it gives one; ANY, the default, keeps
    all."""
    states = np.ascontiguousarray(states, np.int64)
    want = np.full(len(states), ANY) if want is None else want
    chosen = policy or _NOBODY
    whose = player if policy else -1
    rules, width = game.rules, game.rules.branching
    spare = np.zeros(rules.size, np.int64), np.zeros(width, np.int64), np.zeros(width), np.zeros(2, np.int64)
    args = (rules, chosen.record, chosen.noise, whose, states, watcher, want, *spare)
    count = int(_unfold(*args, _room(0, rules.size)))
    out = _room(count, rules.size)
    _unfold(*args, out)
    return out


def _room(count: int, size: int) -> Children:
    parent, action, actor = (np.zeros(count, np.int64) for _ in range(3))
    states, seen = np.zeros((count, size), np.int64), np.zeros((count, 2), np.int64)
    return Children(states, parent, action, seen, np.ones(count), actor)


@kernel
def _unfold(
    rules: Any, record: Any, noise: float, whose: int, states: Any, watcher: int, want: Any,
    state: Any, legal: Any, odds: Any, seen: Any, out: Children,
) -> int:  # fmt: skip
    """The number of children; they are written if the arrays have room. `state`, `legal`, `odds` and `seen` are scratch."""
    size, m, room = rules.size, 0, len(out.parent)
    for row in range(len(states)):
        who = _player(rules, states[row])
        n = _actions(rules, states[row], legal, odds)
        if who == whose:
            weights(record, rules, states[row], legal, n, odds)
            normalise_odds(odds, n, noise)
        # Child m of state `row` by action k, unless the watcher would have seen something else.
        for k in range(n):
            for i in range(size):
                state[i] = states[row, i]
            seen[0], seen[1] = 0, 0
            _step(rules, state, legal[k], seen)
            if want[row] != ANY and seen[watcher] != 0 and seen[watcher] != want[row]:
                continue
            if m < room:
                for i in range(size):
                    out.states[m, i] = state[i]
                out.parent[m], out.action[m], out.actor[m] = row, k, who
                out.seen[m, 0], out.seen[m, 1] = seen[0], seen[1]
                out.odds[m] = odds[k] if who in (CHANCE, whose) else 1.0
            m += 1
    return m


@kernel
def players_kernel(rules: Any, states: Any, out: Any) -> None:
    """The player to act at each state."""
    for row in range(len(states)):
        out[row] = _player(rules, states[row])


def acting_players(game: FastGame, states: I64) -> I64:
    """(n,) the player to act at each state: 0, 1, `CHANCE` or `TERMINAL`."""
    out = np.zeros(len(states), np.int64)
    players_kernel(game.rules, np.ascontiguousarray(states, np.int64), out)
    return out


def _regroup(rules: Any, state: Any, player: Any, random: Any) -> Any: ...


@overload(_regroup, strict=False)
def _regroup_of(rules: Any, state: Any, player: Any, random: Any) -> Any:  # noqa: ARG001 - as it is called
    target = sys.modules[rules.instance_class.__module__].regroup
    return lambda rules, state, player, random: target(rules, state, player, random)


def can_regroup(game: FastGame) -> bool:
    """Return whether the game has this function."""
    return hasattr(module_of(game.rules), "regroup")


def resample_hidden(game: FastGame, states: I64, player: int, moves: int, seed: int) -> I64:
    """Each state, (n, size) rows, after `moves` random changes tried that the player cannot observe; the rules of the
    game have the function `regroup`."""
    out = states.copy()
    _regrouped(game.rules, out, player, moves, np.uint64(seed), np.zeros(1, np.uint64))
    return out


@kernel
def _regrouped(rules: Any, states: Any, player: int, moves: int, seed: Any, random: Any) -> None:
    for row in range(len(states)):
        random[0] = scramble(seed, row)
        for _ in range(moves):
            _regroup(rules, states[row], player, random)


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
