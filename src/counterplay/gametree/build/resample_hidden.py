"""Resampling of hidden state, for games whose module has one more jitted function:

regroup(rules, state, player, random)   change in place what the player cannot see; `random` feeds `random_numbers.uniform`
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba.extending import overload

from counterplay.arrays import I64
from counterplay.games.kernel_rules import FastGame, module_of
from counterplay.games.random_numbers import scramble
from counterplay.jit import kernel


def _regroup(rules: Any, state: Any, player: Any, random: Any) -> Any: ...


@overload(_regroup, strict=False)
def _regroup_of(rules: Any, state: Any, player: Any, random: Any) -> Any:  # noqa: ARG001 - as it is called
    target = sys.modules[rules.instance_class.__module__].regroup
    return lambda rules, state, player, random: target(rules, state, player, random)


def can_regroup(game: FastGame) -> bool:
    """Whether the game has this function."""
    return hasattr(module_of(game.rules), "regroup")


def resample_hidden(game: FastGame, states: I64, player: int, moves: int, seed: int) -> I64:
    """Each state after random changes that the player cannot observe.

    Args:
        game: a game whose rules have the function `regroup`.
        states: (n, size) rows; not changed.
        player: the player who observes no change.
        moves: number of changes tried on each state.
        seed: seed of the changes.
    """
    out = states.copy()
    _regrouped(game.rules, out, player, moves, np.uint64(seed), np.zeros(1, np.uint64))
    return out


@kernel
def _regrouped(rules: Any, states: Any, player: int, moves: int, seed: Any, random: Any) -> None:
    for row in range(len(states)):
        random[0] = scramble(seed, row)
        for _ in range(moves):
            _regroup(rules, states[row], player, random)
