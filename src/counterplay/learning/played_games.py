"""Games played by policies, with what the learners knew at each of their decisions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, normalise_odds, weights
from counterplay.games.random_numbers import draw_index, scramble, uniform
from counterplay.jit import kernel

_player, _actions, _step = hooks.player, hooks.actions, hooks.step
_utility, _observe = hooks.utility, hooks.observe
_LASTING = 0.9
"""How much of the surprise at later decisions counts for an earlier one."""


class PlayedGames(NamedTuple):
    """Decisions with a choice of the learners, in the order in which they were made, game by game.

    Attributes:
        known: (n, 2, numbers) what each player knew at the time.
        legal: (n, moves) True at the codes of legal actions.
        player: (n,) who decided.
        code: (n,) of the action that was drawn.
        odds: (n,) its probability.
        worth: (n,) chips of player 0 at the end of the game.
        last: (n,) True at the last decision of a game.
    """

    known: F32
    legal: Flags
    player: I64
    code: I64
    odds: F64
    worth: F64
    last: Flags


def play_games(
    game: FastGame, policies: tuple[Policy, Policy], learners: tuple[bool, bool], decisions: int, seed: int
) -> PlayedGames:
    """Play until the learners have made some decisions; the games are played to their ends.

    Args:
        game: the rules.
        policies: of both players.
        learners: which of them learn.
        decisions: how many; games begin while there are fewer.
        seed: of the draws.
    """
    (numbers, moves), depth, width = game.network_sizes, game.rules.depth, game.rules.branching
    room = decisions + depth
    player, code = np.zeros(room, np.int64), np.zeros(room, np.int64)
    out = PlayedGames(
        np.zeros((room, 2, numbers), np.float32), np.zeros((room, moves), np.bool_), player, code,
        np.zeros(room), np.zeros(room), np.zeros(room, np.bool_),
    )  # fmt: skip
    noise, learns = np.array([policy.noise for policy in policies]), np.array(learners)
    state, legal, odds = np.zeros(game.rules.size, np.int64), np.zeros(width, np.int64), np.zeros(width)
    random = np.array([scramble(np.uint64(seed), 0)], np.uint64)
    first, second = (policy.record for policy in policies)
    spare = random, game.root(), state, legal, odds, np.zeros(2, np.int64)
    count = int(_play(game.rules, first, second, noise, learns, decisions, *spare, out))
    return PlayedGames._make(one[:count] for one in out)


@kernel
def _play(
    rules: Any, first: Any, second: Any, noise: Any, learns: Any, decisions: int, random: Any, root: Any, state: Any,
    legal: Any, odds: Any, seen: Any, out: PlayedGames,
) -> int:  # fmt: skip
    """The number of decisions written; `random` and all up to `seen` are scratch."""
    row = 0
    while row < decisions:
        begun = row
        for i in range(rules.size):
            state[i] = root[i]
        who = _player(rules, state)
        while who != TERMINAL:
            n = _actions(rules, state, legal, odds)
            drawn = 0
            if who == CHANCE:
                drawn = draw_index(odds, n, uniform(random))
            elif n > 1:
                if who == 0:
                    weights(first, rules, state, legal, n, odds)
                else:
                    weights(second, rules, state, legal, n, odds)
                normalise_odds(odds, n, noise[who])
                drawn = draw_index(odds, n, uniform(random))
                if learns[who]:
                    _observe(rules, state, 0, out.known[row, 0])
                    _observe(rules, state, 1, out.known[row, 1])
                    for k in range(n):
                        out.legal[row, legal[k]] = True
                    out.player[row], out.code[row], out.odds[row] = who, legal[drawn], odds[drawn]
                    row += 1
            _step(rules, state, legal[drawn], seen)
            who = _player(rules, state)
        for k in range(begun, row):
            out.worth[k] = _utility(rules, state)
        if row > begun:
            out.last[row - 1] = True
    return row


def advantages(played: PlayedGames, expected: F64, scale: float) -> F64:
    """(n,) how much better for player 0 each decision turned out than was expected before it, as generalised advantages
    (Schulman et al. 2016).

    Args:
        played: the games.
        expected: (n,) what player 0 was expected to get, in units of `scale`.
        scale: chips of a unit.
    """
    out = np.zeros(len(expected))
    _advance(played.worth, played.last, expected, 1.0 / scale, out)
    return out


@kernel
def _advance(worth: Any, last: Any, expected: Any, unit: float, out: Any) -> None:
    ahead = 0.0
    for row in range(len(out) - 1, -1, -1):
        then = worth[row] * unit if last[row] else expected[row + 1]
        ahead = then - expected[row] + (0.0 if last[row] else _LASTING * ahead)
        out[row] = ahead
