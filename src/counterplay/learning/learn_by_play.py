"""Learning policies by playing: against oneself, or against a fixed opponent; policy gradient with a magnet.

An update raises the odds of actions that did better than a critic expected, as proximal policy optimisation does
(Schulman et al. 2017), less the divergence from a *magnet* (Sokota et al. 2023). The magnet follows the policy slowly:
its weights are a running mean. Without it, play against oneself goes in circles; with it the magnet approaches an
equilibrium, and is what has been learned. Against a fixed opponent the same approaches a best response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.errors import InputError, quoted
from counterplay.games import kernel_rules as hooks
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy, normalise_odds, weights
from counterplay.games.random_numbers import draw_index, scramble, uniform
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.jit import kernel
from counterplay.learning.torch_layers import (
    TorchNetwork,
    Updates,
    Watch,
    check_torch,
    fresh_network,
    kept_tensor,
    tensor_of,
    train,
)
from counterplay.networks.layers import LearnedPolicy, layers_of
from counterplay.networks.network import Network
from counterplay.networks.policy_network import PolicyNetwork
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import opponent
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy
from counterplay.work.work_record import WorkRecord

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
    """A policy, its critic and its magnet, while they learn in rounds of playing and updating. against: the learner's seat
    and a fixed opponent; None for self-play. looks: rounds done and figure of each measurement on the way."""

    def __init__(self, rules: FastGame, settings: GradientSettings, against: tuple[int, Policy] | None = None) -> None:
        import torch

        numbers, moves = rules.network_sizes
        begin = fresh_network(1, [numbers, *[settings.width] * settings.layers, moves], settings.seed)
        begin.weights[-1][:] *= _SMALL
        self._rules, self._settings, self._against, self._torch = rules, settings, against, torch
        self.done, self.looks, self._scale = 0, list[tuple[int, float]](), 0.0
        self._deals, self._random = (np.random.default_rng(settings.seed) for _ in range(2))
        self._policy, self._magnet = TorchNetwork(begin), TorchNetwork(begin)
        self._critic = TorchNetwork(fresh_network(1, [2 * numbers, *_CRITIC, 1], settings.seed + 1))
        steps = settings.rounds * settings.passes * max(1, settings.decisions // _BATCH)
        self._updates = Updates(self._policy, _RATE, steps), Updates(self._critic, _CRITIC_RATE, steps)

    def play(self) -> None:
        """One round."""
        own = Policy("the policy so far", LearnedPolicy(layers_of(self._policy.network)))
        both, learns = (own, own), (True, True)
        if self._against:
            seat, model = self._against
            both, learns = ((own, model), (True, False)) if seat == 0 else ((model, own), (False, True))
        seed = int(self._deals.integers(2**62))
        self.update(play_games(self._rules, both, learns, self._settings.decisions, seed))
        self.done += 1

    @property
    def learned(self) -> Network:
        """The magnet."""
        return self._magnet.network

    def state(self) -> dict[str, Any]:
        """Everything that later rounds depend on, as plain data."""
        magnet = [kept_tensor(tensor) for pair in self._magnet.layers for tensor in pair]
        updates, random = [update.state() for update in self._updates], self._random.bit_generator.state
        learner = {"updates": updates, "magnet": magnet, "scale": self._scale, "random": random}
        return {"done": self.done, "looks": self.looks, "random": self._deals.bit_generator.state, "learner": learner}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state; KeyError, TypeError, ValueError or RuntimeError if it is none of this policy."""
        learner = state["learner"]
        for update, kept in zip(self._updates, learner["updates"], strict=True):
            update.restore(kept)
        magnet = [tensor for pair in self._magnet.layers for tensor in pair]
        with self._torch.no_grad():
            for tensor, kept in zip(magnet, learner["magnet"], strict=True):
                tensor.copy_(tensor_of(kept))
        self._scale = float(learner["scale"])
        self._random.bit_generator.state, self._deals.bit_generator.state = learner["random"], state["random"]
        self.looks = [(int(done), float(figure)) for done, figure in state["looks"]]
        self.done = int(state["done"])

    def update(self, played: PlayedGames) -> None:
        """Learn from one round."""
        torch, count = self._torch, len(played.code)
        self._scale = self._scale or max(float(played.worth.std()), 1e-9)
        both = torch.from_numpy(played.known.reshape(count, -1))
        with torch.no_grad():
            expected = self._critic.outputs(both)[:, 0].numpy().astype(np.float64)
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
            data["magnet"] = self._magnet.log_odds(data["known"], data["legal"])
        batch = min(_BATCH, count)
        for _ in range(self._settings.passes):
            for rows in self._random.permutation(count)[: count // batch * batch].reshape(-1, batch):
                chosen = torch.from_numpy(rows)
                self._step({name: column[chosen] for name, column in data.items()})
        with torch.no_grad():
            for old, new in zip(self._magnet.layers, self._policy.layers, strict=True):
                for tensor, target in zip(old, new, strict=True):
                    tensor.lerp_(target, self._settings.follow)

    def _step(self, rows: dict[str, Any]) -> None:
        torch = self._torch
        logs = self._policy.log_odds(rows["known"], rows["legal"])
        odds, pull, entropy = logs.exp() * rows["legal"], self._settings.pull, self._settings.entropy
        cost = (odds * (pull * (logs - rows["magnet"]) + entropy * logs)).sum(dim=1)
        ratio = (logs.gather(1, rows["code"])[:, 0] - rows["log"]).exp()
        near = ratio.clamp(1.0 - _CLIP, 1.0 + _CLIP)
        gained = torch.minimum(ratio * rows["better"], near * rows["better"])
        (cost - gained).mean().backward()
        missed = self._critic.outputs(rows["both"])[:, 0] - rows["worth"]
        (missed**2).mean().backward()
        for update in self._updates:
            update.step()


Measure = Callable[[PolicyNetwork], float]
_SHARP = 1000.0
"""Factor of a response's outputs, so that the best action is taken nearly always."""
_LOOKS = 10
"""How often a policy is measured on its way."""


def learn_by_self_play(
    rules: FastGame, settings: GradientSettings, watch: Watch | None = None, measure: Measure | None = None,
    record: WorkRecord | None = None,
) -> PolicyNetwork:  # fmt: skip
    """A policy of both seats, learned from play against itself.

    Args:
        rules: the game, which need not fit in memory.
        settings: rounds, weights and sizes.
        watch: called with the rounds done and their number; an interrupt ends the training with the policy so far.
        measure: called ten times on the way; the figures are kept with the network.
        record: keeps the state of the training, which continues from there.

    Raises:
        InputError: torch is not installed, or the game has no `observe`.
    """
    check_torch()
    rounds = PolicyGradient(rules, settings)

    def so_far(network: Network) -> PolicyNetwork:
        about = {"seed": settings.seed, "teacher": "self-play", "rounds": settings.rounds}
        about |= {"pull": settings.pull, "follow": settings.follow, "entropy": settings.entropy}
        figures = {"NashConv": rounds.looks[-1][1]} if rounds.looks else {}
        return PolicyNetwork(rules.name, network, {**about, "looks": list(rounds.looks), "figures": figures})

    def step() -> None:
        rounds.play()
        done = rounds.done * _LOOKS // settings.rounds
        if measure and done > (rounds.done - 1) * _LOOKS // settings.rounds:
            rounds.looks.append((rounds.done, measure(so_far(rounds.learned))))

    train(rounds, settings.rounds, step, record, watch)
    return so_far(rounds.learned)


def learn_response(
    rules: FastGame, seat: int, to: str, settings: GradientSettings, watch: Watch | None = None,
    record: WorkRecord | None = None,
) -> PolicyNetwork:  # fmt: skip
    """A response to a fixed opponent, learned from play against them.

    Args:
        rules: the game, which need not fit in memory.
        seat: of the responder, 0 or 1.
        to: text of the opponent, who must be a policy in kernels: `uniform`, `net:FILE`, noise before these, or one
            that the game provides.
        settings, watch, record: as of `learn_by_self_play`.

    Raises:
        InputError: torch is not installed, the game has no `observe`, or another kind of opponent.
    """
    check_torch()
    rounds = PolicyGradient(rules, settings, (seat, policy_of_text(rules, to)))
    train(rounds, settings.rounds, rounds.play, record, watch)
    network = rounds.learned
    network.weights[-1][:] *= _SHARP
    network.biases[-1][:] *= _SHARP
    about = {"seed": settings.seed, "seat": seat, "response to": to, "rounds": settings.rounds}
    return PolicyNetwork(rules.name, network, about)


def policy_of_text(rules: FastGame, text: str) -> Policy:
    """The policy of an opponent in kernels; an `InputError` if the opponent has none."""
    known = MODELS.parse(text).policy(rules)
    if known is None:
        raise InputError(
            f"games are played against uniform, net:FILE, noise before these or one that the game provides, not against "
            f"{quoted(text)}; copy it first: counterplay learn policy {rules.name} --teacher {text} -o FILE.cpn"
        )
    return known


def measure_response(game: GameTree, net: PolicyNetwork) -> PolicyNetwork:
    """The response with its value against the opponent and that of a best response, in chips, among what is known of it."""
    rules: Any = game.rules
    seat, to = net.about["seat"], net.about["response to"]
    model, tree = opponent(game, to, 1 - seat), game.trees[seat]
    own = Strategy(tree, policy_behaviour(game, rules, net.policy(rules), seat))
    value = float(own.plan @ game.subgame.leaves.product(seat, model.plan))
    best = best_response(game.subgame, seat, model.plan).value
    return replace(net, about={**net.about, "figures": {"value": value, "best response": best}})
