"""Rollouts: values of states of a game written as rules when both players continue by given policies."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Even, Policy, pick, weights
from counterplay.games.random_numbers import average_draws, draw_index, scramble, uniform
from counterplay.jit import kernel

_player, _actions, _step, _utility = hooks.player, hooks.actions, hooks.step, hooks.utility
_UNIFORM = Policy("uniform", Even())
_ALONE = 256
"""States that are not worth a thread of their own."""


def rollouts(
    game: FastGame, states: I64, samples: int, seed: int, policies: tuple[Policy, Policy] = (_UNIFORM, _UNIFORM)
) -> tuple[F64, F64]:
    """Mean utility of random continuations of each state under both players' policies, on all cores: (n,) means in
    chips of player 0, and (n,) their standard errors, infinite from one sample. The random numbers depend on the seed
    and on the state only. states: (n, size) rows as from `states_at`; a terminal state has its utility."""
    if samples < 1:
        raise InputError(f"rollouts need at least one sample per state, not {samples}")
    states = np.ascontiguousarray(states, np.int64)
    mean, error = np.empty(len(states)), np.empty(len(states))
    begin = np.uint64(seed & (2**64 - 1))
    first, second = (policy.record for policy in policies)
    noise = np.array([policy.noise for policy in policies])

    def part(rows: slice) -> None:
        rules, width = game.rules, game.rules.branching
        spare = np.zeros(rules.size, np.int64), np.zeros(width, np.int64), np.zeros(width), np.zeros(2, np.int64)
        work = np.array([begin]), *spare
        _rollouts(rules, first, second, noise, states[rows], samples, begin, mean[rows], error[rows], *work)

    cores = os.cpu_count() or 1
    if len(states) <= _ALONE or cores == 1:
        part(slice(None))
        return mean, error
    piece = max(_ALONE, -(-len(states) // (4 * cores)))
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(part, [slice(at, at + piece) for at in range(0, len(states), piece)]))
    return mean, error


@kernel(inline=True)
def _chosen(weight: Any, n: int, noise: float, u: float) -> int:
    """The action that a uniform number draws by unnormalised weights, or a uniform one with probability `noise`."""
    if u < noise:
        return int(u / noise * n)
    total = 0.0
    for k in range(n):
        total += weight[k]
    u = (u - noise) / (1.0 - noise)
    return int(u * n) if total <= 0.0 else draw_index(weight, n, u * total)


@kernel(inner=True)
def _played_out(
    rules: Any, first: Any, second: Any, noise: Any, state: Any, random: Any, legal: Any, odds: Any, seen: Any
) -> float:
    """Play to the end in place; returns the utility."""
    who = _player(rules, state)
    while who != TERMINAL:
        u = uniform(random)
        code = -1
        if who == 0 and u >= noise[0]:
            code = pick(first, rules, state, (u - noise[0]) / (1.0 - noise[0]))
        elif who == 1 and u >= noise[1]:
            code = pick(second, rules, state, (u - noise[1]) / (1.0 - noise[1]))
        if code < 0:
            n = _actions(rules, state, legal, odds)
            if who == CHANCE:
                code = legal[draw_index(odds, n, u)]
            elif who == 0:
                weights(first, rules, state, legal, n, odds)
                code = legal[_chosen(odds, n, noise[0], u)]
            else:
                weights(second, rules, state, legal, n, odds)
                code = legal[_chosen(odds, n, noise[1], u)]
        _step(rules, state, code, seen)
        who = _player(rules, state)
    return float(_utility(rules, state))


@kernel(nogil=True)
def _rollouts(
    rules: Any, first: Any, second: Any, noise: Any, states: Any, samples: int, seed: Any, mean: Any, error: Any,
    random: Any, state: Any, legal: Any, odds: Any, seen: Any,
) -> None:  # fmt: skip
    """Means and standard errors of the continuations of each state; `random` and all after it are scratch."""
    for row in range(len(states)):
        random[0] = scramble(seed, 0)
        for number in states[row]:
            random[0] = scramble(random[0], number)
        centre, squares = 0.0, 0.0
        for sample in range(samples):
            for i in range(rules.size):
                state[i] = states[row, i]
            worth = _played_out(rules, first, second, noise, state, random, legal, odds, seen)
            centre, squares = average_draws(worth, sample, centre, squares)
        mean[row] = centre
        error[row] = np.sqrt(squares / (samples - 1.0) / samples) if samples > 1 else np.inf
