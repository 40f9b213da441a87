"""Uniformly random continuations of states of a game written as rules: the cheapest guess of what they are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games import rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.rules import FastGame
from counterplay.jit import kernel

Floats = NDArray[np.float64]
_player, _actions, _step, _utility = hooks.player, hooks.actions, hooks.step, hooks.utility
_STRIDE, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


def rollouts(game: FastGame, states: NDArray[np.int64], samples: int, seed: int) -> tuple[Floats, Floats]:
    """What each state is worth if both players go on uniformly at random, and chance by its probabilities.

    Args:
        game: the rules.
        states: (n, size) rows as from `states_at`; a terminal one is worth its utility.
        samples: continuations of each state.
        seed: of the random numbers, which depend on it and on the state only, not on what else is asked for.

    Returns:
        (n,) means of the utility, in chips of player 0, and (n,) their standard errors; infinite from one sample.

    Raises:
        InputError: fewer than one sample.
    """
    if samples < 1:
        raise InputError(f"rollouts need at least one sample of each state, not {samples}")
    states = np.ascontiguousarray(states, np.int64)
    mean, error = np.empty(len(states)), np.empty(len(states))
    _rollouts(game.rules, states, samples, np.uint64(seed & (2**64 - 1)), mean, error)
    return mean, error


@kernel(inline=True)
def _mixed(x: Any) -> Any:
    """The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that looks random."""
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


@kernel(inline=True)
def _uniform(random: Any) -> float:
    """The next number of a generator, from 0 up to but without 1; `random` holds its state."""
    random[0] += _STRIDE
    return float(_mixed(random[0]) >> _11) * 2.0**-53


@kernel(inline=True)
def _drawn(odds: Any, n: int, u: float) -> int:
    """The outcome of chance that a uniform number falls on."""
    k = 0
    while k < n - 1 and u >= odds[k]:
        u -= odds[k]
        k += 1
    return k


@kernel(inner=True)
def _played_out(rules: Any, state: Any, random: Any, legal: Any, odds: Any, seen: Any) -> float:
    """Play on in place to the end: the utility there."""
    who = _player(rules, state)
    while who != TERMINAL:
        n, u = _actions(rules, state, legal, odds), _uniform(random)
        k = _drawn(odds, n, u) if who == CHANCE else int(u * n)
        _step(rules, state, legal[k], seen)
        who = _player(rules, state)
    return float(_utility(rules, state))


@kernel
def _rollouts(rules: Any, states: Any, samples: int, seed: Any, mean: Any, error: Any) -> None:
    """Means and standard errors, by Welford's updates, which lose nothing where the mean is large."""
    state, random = np.zeros(rules.size, np.int64), np.zeros(1, np.uint64)
    legal, odds, seen = np.zeros(rules.branching, np.int64), np.zeros(rules.branching), np.zeros(2, np.int64)
    for row in range(len(states)):
        random[0] = _mixed(seed)
        for number in states[row]:
            random[0] = _mixed(random[0] + _STRIDE + np.uint64(number))
        centre, squares = 0.0, 0.0
        for sample in range(samples):
            state[:] = states[row]
            worth = _played_out(rules, state, random, legal, odds, seen)
            away = worth - centre
            centre += away / (sample + 1.0)
            squares += away * (worth - centre)
        mean[row] = centre
        error[row] = np.sqrt(squares / (samples - 1.0) / samples) if samples > 1 else np.inf
