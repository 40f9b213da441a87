"""What a network of a policy is to copy: another strategy of both players at every infoset, and how much each counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, Flags
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import decisions_of, observations
from counterplay.treeplex.strategy import Strategy

_EVENLY, _STRAY = 0.1, 0.5
"""Share of the weight that all infosets get alike; in half of the rest the other player strays so far from their teacher."""


class Lessons(NamedTuple):
    """Infosets, one a row.

    Attributes:
        inputs: (n, numbers) what the player knows.
        targets: (n, moves) the teacher's probability of each action code.
        legal: (n, moves) True where the action is legal.
        weight: (n,) how much the row counts; 1 on average.
    """

    inputs: F32
    targets: F32
    legal: Flags
    weight: F32


def lessons_of(game: GameTree, rules: FastGame, pair: tuple[Strategy, Strategy]) -> Lessons:
    """Both players' infosets with a choice.

    An infoset counts as often as its player comes there, half by games between the teachers, half by games against one who
    plays uniformly half of the time: whoever exploits the copy leaves the teacher's ways.

    Args:
        game: compiled from `rules`.
        rules: its rules.
        pair: the teachers of both seats.
    """
    parts = [_lessons(game, rules, pair, player) for player in (0, 1)]
    return Lessons(*(np.concatenate(one) for one in zip(*parts, strict=True)))


def _lessons(game: GameTree, rules: FastGame, pair: tuple[Strategy, Strategy], player: int) -> Lessons:
    which, lanes = decisions_of(game, player)
    inputs, codes = observations(game, rules, player)
    first, stride, actions = game.trees[player].lane_sequences
    targets = np.zeros((len(which), rules.network_sizes[1]), np.float32)
    legal = np.zeros(targets.shape, np.bool_)
    for k in range(codes.shape[1]):
        rows = np.flatnonzero(actions[lanes] > k)
        targets[rows, codes[rows, k]] = pair[player].behaviour[(first + k * stride)[lanes[rows]]]
        legal[rows, codes[rows, k]] = True
    plain, other = [one.plan for one in pair], game.trees[1 - player]
    stray = Strategy(other, (1.0 - _STRAY) * pair[1 - player].behaviour + _STRAY * other.uniform())
    apart = [stray.plan if i != player else plan for i, plan in enumerate(plain)]
    weight = np.full(len(which), _EVENLY)
    for plans in (plain, apart):
        come = _reached(game, plans, player)[game.histories.info[player][which]]
        weight += 0.5 * (1.0 - _EVENLY) * come / come.mean()
    return Lessons(inputs, targets, legal, weight.astype(np.float32))


def _reached(game: GameTree, plans: list[F64], player: int) -> F64:
    """(augmented infosets,) the probability that each is reached."""
    here = game.histories.player == player
    weight = game.histories.reach[here]
    for plan, sequence in zip(plans, game.sequences, strict=True):
        weight *= plan[sequence[here]]
    return np.asarray(np.bincount(game.histories.info[player][here], weight, len(game.public[player])), np.float64)
