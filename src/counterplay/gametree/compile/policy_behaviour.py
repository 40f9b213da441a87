"""A policy of a game written as rules, asked at every infoset of a compiled game; what infosets look like to a network."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F32, F64, I64
from counterplay.games import kernel_rules as hooks
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, normalise_odds, weights
from counterplay.gametree.build.step_states import ReplayState, trail_of, visit
from counterplay.gametree.compile.compile import GameTree
from counterplay.jit import kernel

_actions, _observe = hooks.actions, hooks.observe


def policy_behaviour(game: GameTree, rules: FastGame, policy: Policy, player: int) -> F64:
    """(size,) the behaviour of a player who follows a policy in a game that was compiled from these rules."""
    tree, table = game.trees[player], game.histories
    which, lanes = decisions_of(game, player)
    first, stride, _ = tree.lane_sequences
    out = tree.uniform()
    args = table.parent, table.action, which, trail_of(rules.rules)
    _write(rules.rules, policy.record, policy.noise, *args, first[lanes], stride[lanes], out)
    return out


def decisions_of(game: GameTree, player: int) -> tuple[I64, I64]:
    """The first history and the lane of each infoset with a choice, (infosets,) each, in order of first visit."""
    first = game.first[player]
    lanes = game.lanes[player][game.histories.info[player][first]]
    return first[lanes >= 0].astype(np.int64), lanes[lanes >= 0].astype(np.int64)


@kernel
def _write(
    rules: Any, record: Any, noise: float, parent: Any, action: Any, which: Any, trail: ReplayState,
    first: Any, stride: Any, out: Any,
) -> None:  # fmt: skip
    for row in range(len(which)):
        visit(rules, parent, action, which[row], trail)
        n = _actions(rules, trail.state, trail.legal, trail.odds)
        weights(record, rules, trail.state, trail.legal, n, trail.odds)
        normalise_odds(trail.odds, n, noise)
        for k in range(n):
            out[first[row] + k * stride[row]] = trail.odds[k]


def observations(game: GameTree, rules: FastGame, player: int) -> tuple[F32, NDArray[np.int16]]:
    """What the infosets with a choice look like to a network, in the order of `decisions_of`: (infosets, numbers), and
    (infosets, most actions) the code of each action, -1 behind the last. An InputError if the rules do not say."""
    table, (which, _) = game.histories, decisions_of(game, player)
    numbers = np.zeros((len(which), rules.network_sizes[0]), np.float32)
    codes = np.full((len(which), rules.rules.branching), -1, np.int16)
    _look(rules.rules, player, table.parent, table.action, which, trail_of(rules.rules), numbers, codes)
    return numbers, codes


@kernel
def _look(
    rules: Any, player: int, parent: Any, action: Any, which: Any, trail: ReplayState, numbers: Any, codes: Any
) -> None:
    for row in range(len(which)):
        visit(rules, parent, action, which[row], trail)
        _observe(rules, trail.state, player, numbers[row])
        n = _actions(rules, trail.state, trail.legal, trail.odds)
        for k in range(n):
            codes[row, k] = trail.legal[k]
