"""A policy learned from played games: policy gradient with a magnet.

An update raises the odds of actions that did better than a critic expected, as proximal policy optimisation does (Schulman
et al. 2017), less the divergence from a *magnet* (Sokota et al. 2023). The magnet follows the policy slowly: its weights are
a running mean. Without it, play against oneself goes in circles; with it the magnet approaches an equilibrium, and is what
has been learned. Against a fixed opponent the same approaches a best response.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, normalise_odds, weights
from counterplay.games.random_numbers import draw_index, scramble, uniform
from counterplay.jit import kernel
from counterplay.learning.learn_policy import log_odds
from counterplay.learning.torch_layers import (
    Updates,
    fresh_network,
    kept_tensor,
    network_of,
    outputs,
    tensor_of,
    torch_layers,
)
from counterplay.networks.layers import LearnedPolicy, layers_of
from counterplay.networks.network import Network

_player, _actions, _step = hooks.player, hooks.actions, hooks.step
_utility, _observe = hooks.utility, hooks.observe
_LASTING = 0.9
"""Share of the surprise at later decisions that counts for an earlier one."""
_RATE, _CRITIC_RATE = 2e-3, 3e-3
_BATCH, _CLIP = 2048, 0.2
"""Decisions of a step, and how far odds may move in a round."""
_CRITIC = (64, 64)
"""Hidden units of the critic, which sees what both players know."""
_SMALL = 0.1
"""Of the last layer at first, so that play begins almost uniformly."""


@dataclass(frozen=True)
class GradientSettings:
    """Settings of a policy that is learned from played games.

    Attributes:
        rounds: of playing and updating.
        pull: weight of the divergence from the magnet; the unit is the standard deviation of a game's outcome.
        follow: share of the way to the policy that the magnet goes after a round.
        entropy: weight of the policy's entropy, which keeps all actions in play.
        passes: over the decisions of a round.
        width: units of each hidden layer.
        layers: number of hidden layers.
        decisions: played in a round.
        seed: of all randomness.
    """

    rounds: int
    pull: float
    follow: float
    entropy: float
    passes: int
    width: int = 96
    layers: int = 2
    decisions: int = 8192
    seed: int = 0

    def identity(self, game: str, what: str) -> dict[str, Any]:
        """Everything that a policy depends on, in a game of this name; `what` says which policy."""
        return {"learned": what, "game": game, **asdict(self)}


RESPONSE = GradientSettings(rounds=60, pull=0.1, follow=0.1, entropy=0.02, passes=4)
"""Against a fixed opponent the magnet may hurry."""
SELF_PLAY = GradientSettings(rounds=1500, pull=0.5, follow=0.02, entropy=0.05, passes=1)
"""Against oneself a magnet that hurries goes in circles, and so does one without entropy."""


class PlayedGames(NamedTuple):
    """Decisions with a choice of the learners, in the order in which they were made, game by game.

    Attributes:
        known: (n, 2, numbers) each player's observation at the time.
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
    """Play until the learners have made some decisions; the games are played to their ends. policies: of both players, of
    which `learners` learn.
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
    return PlayedGames._make(array[:count] for array in out)


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
    """(n,) generalised advantages of player 0's outcomes (Schulman et al. 2016); expected: (n,) before each decision, in
    units of `scale` chips."""
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


class PolicyGradient:
    """A policy, its critic and its magnet, while they learn."""

    def __init__(self, rules: FastGame, settings: GradientSettings) -> None:
        import torch

        torch.set_num_threads(1)
        numbers, moves = rules.network_sizes
        begin = fresh_network(1, [numbers, *[settings.width] * settings.layers, moves], settings.seed)
        begin.weights[-1][:] *= _SMALL
        self._torch, self._settings, self._scale = torch, settings, 0.0
        self._random = np.random.default_rng(settings.seed)
        self._policy = torch_layers(torch, begin)
        self._magnet = [(w.detach().clone(), b.detach().clone()) for w, b in self._policy]
        self._critic = torch_layers(torch, fresh_network(1, [2 * numbers, *_CRITIC, 1], settings.seed + 1))
        steps = settings.rounds * settings.passes * max(1, settings.decisions // _BATCH)
        self._updates = Updates(torch, self._policy, _RATE, steps), Updates(torch, self._critic, _CRITIC_RATE, steps)

    @property
    def policy(self) -> Policy:
        """The policy that plays the next round."""
        return Policy("the policy so far", LearnedPolicy(layers_of(network_of(self._policy))))

    @property
    def learned(self) -> Network:
        """The magnet."""
        return network_of(self._magnet)

    def state(self) -> dict[str, Any]:
        """Everything that later rounds depend on, as plain data."""
        magnet = [kept_tensor(tensor) for pair in self._magnet for tensor in pair]
        updates = [update.state() for update in self._updates]
        random = self._random.bit_generator.state
        return {"updates": updates, "magnet": magnet, "scale": self._scale, "random": random}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state; KeyError, TypeError, ValueError or RuntimeError if it is none of this policy."""
        for update, kept in zip(self._updates, state["updates"], strict=True):
            update.restore(kept)
        magnet = [tensor for pair in self._magnet for tensor in pair]
        for tensor, kept in zip(magnet, state["magnet"], strict=True):
            tensor.copy_(tensor_of(self._torch, kept))
        self._scale = float(state["scale"])
        self._random.bit_generator.state = state["random"]

    def update(self, played: PlayedGames) -> None:
        """Learn from one round."""
        torch, count = self._torch, len(played.code)
        self._scale = self._scale or max(float(played.worth.std()), 1e-9)
        both = torch.from_numpy(played.known.reshape(count, -1))
        with torch.no_grad():
            expected = outputs(torch, self._critic, 0, both)[:, 0].numpy().astype(np.float64)
        better = advantages(played, expected, self._scale)
        data = {
            "both": both,
            "known": torch.from_numpy(played.known[np.arange(count), played.player]),
            "legal": torch.from_numpy(played.legal),
            "code": torch.from_numpy(played.code)[:, None],
            "log": torch.from_numpy(np.log(played.odds).astype(np.float32)),
            "better": torch.from_numpy((better * (1 - 2 * played.player)).astype(np.float32)),
            "worth": torch.from_numpy((better + expected).astype(np.float32)),
        }
        with torch.no_grad():
            data["magnet"] = log_odds(torch, self._magnet, data["known"], data["legal"])
        batch = min(_BATCH, count)
        for _ in range(self._settings.passes):
            for rows in self._random.permutation(count)[: count // batch * batch].reshape(-1, batch):
                chosen = torch.from_numpy(rows)
                self._step({name: column[chosen] for name, column in data.items()})
        with torch.no_grad():
            for old, new in zip(self._magnet, self._policy, strict=True):
                for tensor, target in zip(old, new, strict=True):
                    tensor.lerp_(target, self._settings.follow)

    def _step(self, rows: dict[str, Any]) -> None:
        torch = self._torch
        logs = log_odds(torch, self._policy, rows["known"], rows["legal"])
        odds, pull, entropy = logs.exp() * rows["legal"], self._settings.pull, self._settings.entropy
        cost = (odds * (pull * (logs - rows["magnet"]) + entropy * logs)).sum(dim=1)
        ratio = (logs.gather(1, rows["code"])[:, 0] - rows["log"]).exp()
        near = ratio.clamp(1.0 - _CLIP, 1.0 + _CLIP)
        gained = torch.minimum(ratio * rows["better"], near * rows["better"])
        (cost - gained).mean().backward()
        missed = outputs(torch, self._critic, 0, rows["both"])[:, 0] - rows["worth"]
        (missed**2).mean().backward()
        for update in self._updates:
            update.step()
