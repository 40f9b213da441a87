"""Learning a policy of both seats of a game in memory as a copy of another strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, Flags
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import decisions_of, observations, policy_behaviour
from counterplay.learning.torch_layers import TorchNetwork, Updates, Watch, check_torch, fresh_network, train
from counterplay.networks.network import Network
from counterplay.networks.policy_network import PolicyNetwork, ruled
from counterplay.opponents.opponent import opponent
from counterplay.solvers.best_response import gap
from counterplay.treeplex.strategy import Strategy
from counterplay.work.work_record import WorkRecord

_BATCH, _RATE = 768, 4e-3
"""Infosets of a step; the largest rate."""
_EVENLY, _STRAY = 0.1, 0.5
"""Share of the weight that all infosets get alike; in half of the rest the other player strays so far from their teacher."""


@dataclass(frozen=True)
class PolicySettings:
    """Settings of a copied policy.

    Attributes:
        teacher: text of an opponent, whose strategies of both seats are copied.
        width: units of each hidden layer.
        layers: number of hidden layers.
        steps: of training.
        seed: of all randomness.
    """

    teacher: str = "pdcfr+:2000"
    width: int = 96
    layers: int = 2
    steps: int = 2000
    seed: int = 0

    def identity(self, game: str) -> Mapping[str, Any]:
        """Everything that the network depends on, in a game of this name."""
        return {"learned": "policy", "game": game, **asdict(self)}


def learn_policy(
    game: GameTree, settings: PolicySettings, watch: Watch | None = None, record: WorkRecord | None = None
) -> PolicyNetwork:
    """Learn to copy a teacher in a game whose rules have `observe`.

    Args:
        game: in memory.
        settings: teacher, sizes and steps.
        watch: called with the steps done and their number; an interrupt ends the training with the network so far.
        record: keeps the teacher's strategies and the state of the training, which continues from there.

    Raises:
        InputError: torch is not installed, a game that has no `observe`, or an invalid teacher.
    """
    check_torch()
    rules, record = ruled(getattr(game, "rules", None), game.name), record or WorkRecord()
    if "teacher" not in record.results:
        strategies = [opponent(game, settings.teacher, player, settings.seed) for player in (0, 1)]
        record.keep("teacher", [strategy.behaviour for strategy in strategies])
    kept = record.results["teacher"]
    if [len(behaviour) for behaviour in kept] != [tree.size for tree in game.trees]:
        raise InputError("cannot go on: the record holds a teacher of another game")
    first, second = (Strategy(tree, behaviour) for tree, behaviour in zip(game.trees, kept, strict=True))
    pair = first, second
    network = fit_policy(lessons_of(game, rules, pair), settings, watch, record)
    copy = PolicyNetwork(rules.name, network, {"seed": settings.seed, "teacher": settings.teacher})
    teachers_gap = gap(game.subgame, (pair[0].plan, pair[1].plan))[0]
    figures = {"NashConv": nash_conv(game, copy), "NashConv of the teacher": teachers_gap}
    return replace(copy, about={**copy.about, "figures": figures})


def nash_conv(game: GameTree, net: PolicyNetwork) -> float:
    """Gain of both players' best responses to a network together, in chips."""
    rules = ruled(game.rules, game.name)
    policy = net.policy(rules)
    first, second = (Strategy(game.trees[i], policy_behaviour(game, rules, policy, i)) for i in (0, 1))
    return gap(game.subgame, (first.plan, second.plan))[0]


class Lessons(NamedTuple):
    """Infosets, one a row.

    Attributes:
        inputs: (n, numbers) the player's observation.
        targets: (n, moves) the teacher's probability of each action code.
        legal: (n, moves) True where the action is legal.
        weight: (n,) of the row; 1 on average.
    """

    inputs: F32
    targets: F32
    legal: Flags
    weight: F32


def lessons_of(game: GameTree, rules: FastGame, pair: tuple[Strategy, Strategy]) -> Lessons:
    """Both players' infosets with a choice.

    An infoset counts as often as its player reaches it, half by games between the teachers, half by games against one who
    plays uniformly half of the time: whoever exploits the copy leaves the teacher's lines.
    """
    parts = []
    for player in (0, 1):
        which, lanes = decisions_of(game, player)
        inputs, codes = observations(game, rules, player)
        first, stride, actions = game.trees[player].lane_sequences
        targets = np.zeros((len(which), rules.network_sizes[1]), np.float32)
        legal = np.zeros(targets.shape, np.bool_)
        for k in range(codes.shape[1]):
            rows = np.flatnonzero(actions[lanes] > k)
            targets[rows, codes[rows, k]] = pair[player].behaviour[(first + k * stride)[lanes[rows]]]
            legal[rows, codes[rows, k]] = True
        plain, other = [teacher.plan for teacher in pair], game.trees[1 - player]
        stray = Strategy(other, (1.0 - _STRAY) * pair[1 - player].behaviour + _STRAY * other.uniform())
        apart = [stray.plan if i != player else plan for i, plan in enumerate(plain)]
        weight, here = np.full(len(which), _EVENLY), game.histories.player == player
        for plans in (plain, apart):
            odds = game.histories.reach[here]
            for plan, sequence in zip(plans, game.sequences, strict=True):
                odds *= plan[sequence[here]]
            infosets = np.bincount(game.histories.info[player][here], odds, len(game.public[player])).astype(np.float64)
            reached = infosets[game.histories.info[player][which]]
            weight += 0.5 * (1.0 - _EVENLY) * reached / reached.mean()
        parts.append((inputs, targets, legal, weight.astype(np.float32)))
    return Lessons(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def fit_policy(lessons: Lessons, fit: PolicySettings, watch: Watch | None, record: WorkRecord | None) -> Network:
    """A network whose softmax over the legal actions is close to the teacher's odds, by cross-entropy.

    Rows are drawn by the roots of their weights: those that are reached often come often and still count more each time,
    so that neither few rows fill the batches nor single rows dominate a step.
    """
    import torch

    inputs, targets, legal = (torch.from_numpy(array) for array in lessons[:3])
    net = TorchNetwork(fresh_network(1, [inputs.shape[1], *[fit.width] * fit.layers, targets.shape[1]], fit.seed))
    odds = np.sqrt(lessons.weight.astype(np.float64))
    odds /= odds.sum()
    counts = torch.from_numpy((lessons.weight / odds / len(odds)).astype(np.float32))
    starts = np.random.default_rng(fit.seed).random(fit.steps)
    updates, sums, every = Updates(net, _RATE, fit.steps), np.cumsum(odds), np.arange(_BATCH)

    def step() -> None:
        rows = np.minimum(np.searchsorted(sums, (starts[updates.done] + every) / _BATCH), len(odds) - 1)
        chosen = torch.from_numpy(rows)
        cross_entropy = -(targets[chosen] * net.log_odds(inputs[chosen], legal[chosen])).sum(dim=1)
        (cross_entropy * counts[chosen]).mean().backward()
        updates.step()

    train(updates, fit.steps, step, record, watch)
    return net.network
