"""A policy learned from played games: policy gradient with a magnet.

An update raises the odds of actions that did better than a critic expected, as proximal policy optimisation does (Schulman
et al. 2017), less the divergence from a *magnet* (Sokota et al. 2023). The magnet follows the policy slowly: its weights are
a running mean. Without it, play against oneself goes in circles; with it the magnet approaches an equilibrium, and is what
has been learned. Against a fixed opponent the same approaches a best response.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.learning.fitting.kept_training import kept_tensor, tensor_of
from counterplay.learning.fitting.torch_layers import Updates, fresh_network, network_of, outputs, torch_layers
from counterplay.learning.played_games import PlayedGames, advantages
from counterplay.learning.policy_fit import log_odds
from counterplay.networks.layers import layers_of
from counterplay.networks.network import Network
from counterplay.networks.policy_record import LearnedPolicy

_RATE, _CRITIC_RATE = 2e-3, 3e-3
_BATCH, _CLIP = 2048, 0.2
"""Decisions of a step, and how far odds may move in a round."""
_CRITIC = (64, 64)
"""Hidden units of the critic, which sees what both players know."""
_SMALL = 0.1
"""Of the last layer at first, so that play begins almost uniformly."""


@dataclass(frozen=True)
class GradientSettings:
    """How a policy is learned from played games.

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


class PolicyGradient:
    """A policy, its critic and its magnet, while they learn.

    Args:
        rules: the game.
        settings: see there.
    """

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
        magnet = [kept_tensor(one) for pair in self._magnet for one in pair]
        updates = [one.state() for one in self._updates]
        random = self._random.bit_generator.state
        return {"updates": updates, "magnet": magnet, "scale": self._scale, "random": random}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state.

        Raises:
            KeyError, TypeError, ValueError, RuntimeError: it is none of this policy.
        """
        for update, kept in zip(self._updates, state["updates"], strict=True):
            update.restore(kept)
        magnet = [one for pair in self._magnet for one in pair]
        for one, kept in zip(magnet, state["magnet"], strict=True):
            one.copy_(tensor_of(self._torch, kept))
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
                self._step({name: one[chosen] for name, one in data.items()})
        with torch.no_grad():
            for old, new in zip(self._magnet, self._policy, strict=True):
                for one, other in zip(old, new, strict=True):
                    one.lerp_(other, self._settings.follow)

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
        for one in self._updates:
            one.step()
