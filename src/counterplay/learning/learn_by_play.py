"""Learning policies by playing: against oneself, or against a fixed opponent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.learning.policy_gradient import GradientSettings, PolicyGradient, play_games
from counterplay.learning.torch_layers import KeptTraining, Watch, check_torch
from counterplay.networks.network import Network
from counterplay.networks.policy_network import PolicyNetwork
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import opponent
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy
from counterplay.work.work_record import WorkRecord

Measure = Callable[[PolicyNetwork], float]
_SHARP = 1000.0
"""Factor of a response's outputs, so that the best action is taken nearly always."""
_LOOKS = 10
"""How often a policy is measured on its way."""


def learn_by_self_play(
    rules: FastGame,
    settings: GradientSettings,
    watch: Watch | None = None,
    measure: Measure | None = None,
    record: WorkRecord | None = None,
) -> PolicyNetwork:
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
    rounds = _Rounds(rules, settings, None)

    def so_far(network: Network) -> PolicyNetwork:
        about = {"seed": settings.seed, "teacher": "self-play", "rounds": settings.rounds}
        about |= {"pull": settings.pull, "follow": settings.follow, "entropy": settings.entropy}
        figures = {"NashConv": rounds.looks[-1][1]} if rounds.looks else {}
        return PolicyNetwork(rules.name, network, {**about, "looks": list(rounds.looks), "figures": figures})

    def look(done: int) -> None:
        if measure and done * _LOOKS // settings.rounds > (done - 1) * _LOOKS // settings.rounds:
            rounds.looks.append((done, measure(so_far(rounds.learner.learned))))

    _learn(rounds, record, watch, look)
    return so_far(rounds.learner.learned)


def learn_response(
    rules: FastGame,
    seat: int,
    to: str,
    settings: GradientSettings,
    watch: Watch | None = None,
    record: WorkRecord | None = None,
) -> PolicyNetwork:
    """A response to a fixed opponent, learned from play against them.

    Args:
        rules: the game, which need not fit in memory.
        seat: of the responder, 0 or 1.
        to: text of the opponent, who must be a policy in kernels: `uniform`, `net:FILE`, noise before these, or one that
            the game provides.
        settings, watch, record: as of `learn_by_self_play`.

    Raises:
        InputError: torch is not installed, the game has no `observe`, or another kind of opponent.
    """
    check_torch()
    model = policy_of_text(rules, to)
    rounds = _Rounds(rules, settings, (seat, model))
    _learn(rounds, record, watch, None)
    network = rounds.learner.learned
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


class _Rounds:
    """Rounds of playing and updating; against: the learner's seat and a fixed opponent, or None for self-play."""

    def __init__(self, rules: FastGame, settings: GradientSettings, against: tuple[int, Policy] | None) -> None:
        self._rules, self.settings, self._against = rules, settings, against
        self.learner, self.done = PolicyGradient(rules, settings), 0
        self.looks = list[tuple[int, float]]()
        self._random = np.random.default_rng(settings.seed)

    def play(self) -> None:
        """One round."""
        own = self.learner.policy
        policies, learns = [own, own], [True, True]
        if self._against:
            seat, model = self._against
            policies[1 - seat], learns[1 - seat] = model, False
        both, who = (policies[0], policies[1]), (learns[0], learns[1])
        seed = int(self._random.integers(2**62))
        self.learner.update(play_games(self._rules, both, who, self.settings.decisions, seed))
        self.done += 1

    def state(self) -> dict[str, Any]:
        """Everything that later rounds depend on, as plain data."""
        random = self._random.bit_generator.state
        return {"done": self.done, "looks": self.looks, "random": random, "learner": self.learner.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state; KeyError, TypeError, ValueError or RuntimeError if it is none of these rounds."""
        self.learner.restore(state["learner"])
        self._random.bit_generator.state = state["random"]
        self.looks = [(int(done), float(figure)) for done, figure in state["looks"]]
        self.done = int(state["done"])


def _learn(rounds: _Rounds, record: WorkRecord | None, watch: Watch | None, look: Callable[[int], None] | None) -> None:
    kept = KeptTraining(record, rounds, rounds.settings.rounds)
    kept.resume()
    try:
        while rounds.done < rounds.settings.rounds:
            rounds.play()
            if look:
                look(rounds.done)
            kept.step_done()
            if watch:
                watch(rounds.done, rounds.settings.rounds)
    except KeyboardInterrupt:
        if rounds.done == 0:
            raise


def measure_response(game: GameTree, net: PolicyNetwork) -> PolicyNetwork:
    """The response with its value against the opponent and that of a best response, in chips, among what is known of it."""
    rules: Any = game.rules
    seat, to = net.about["seat"], net.about["response to"]
    model, tree = opponent(game, to, 1 - seat), game.trees[seat]
    own = Strategy(tree, policy_behaviour(game, rules, net.policy(rules), seat))
    value = float(own.plan @ game.subgame.leaves.product(seat, model.plan))
    best = best_response(game.subgame, seat, model.plan).value
    return replace(net, about={**net.about, "figures": {"value": value, "best response": best}})
