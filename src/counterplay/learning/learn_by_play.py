"""Learning policies by playing: against oneself, or against a fixed opponent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.learning.played_games import play_games
from counterplay.learning.policy_gradient import GradientSettings, PolicyGradient
from counterplay.learning.torch_layers import Watch, check_torch
from counterplay.networks.network import Network
from counterplay.networks.policy_network import PolicyNetwork
from counterplay.opponents.model import MODELS
from counterplay.opponents.opponent import opponent
from counterplay.solvers.best_response import best_response
from counterplay.treeplex.strategy import Strategy

Measure = Callable[[PolicyNetwork], float]
_SHARP = 1000.0
"""Factor of a response's outputs, so that the best action is taken nearly always."""
_LOOKS = 10
"""How often a policy is measured on its way."""


def learn_by_self_play(
    rules: FastGame, settings: GradientSettings, watch: Watch | None = None, measure: Measure | None = None
) -> PolicyNetwork:
    """A policy of both seats, learned from play against itself.

    Args:
        rules: the game, which need not fit in memory.
        settings: see there.
        watch: called with the rounds done and their number; if it is interrupted, the policy is the one so far.
        measure: called ten times on the way; the figures are kept with the network.

    Raises:
        InputError: torch is not installed, or the game has no `observe`.
    """
    check_torch()
    learner, looks = PolicyGradient(rules, settings), list[tuple[int, float]]()

    def so_far(network: Network) -> PolicyNetwork:
        about = {"seed": settings.seed, "teacher": "self-play", "rounds": settings.rounds}
        about |= {"pull": settings.pull, "follow": settings.follow, "entropy": settings.entropy}
        figures = {"NashConv": looks[-1][1]} if looks else {}
        return PolicyNetwork(rules.name, network, {**about, "looks": list(looks), "figures": figures})

    def look(done: int) -> None:
        if measure and done * _LOOKS // settings.rounds > (done - 1) * _LOOKS // settings.rounds:
            looks.append((done, measure(so_far(learner.learned))))

    _learn(rules, learner, settings, None, watch, look)
    return so_far(learner.learned)


def learn_response(
    rules: FastGame, seat: int, to: str, settings: GradientSettings, watch: Watch | None = None
) -> PolicyNetwork:
    """A response to a fixed opponent, learned from play against them.

    Args:
        rules: the game, which need not fit in memory.
        seat: of the responder, 0 or 1.
        to: text of the opponent, who must be a policy in kernels: `uniform`, `net:FILE`, noise before these, or one that
            the game provides.
        settings: see there.
        watch: as of `learn_by_self_play`.

    Raises:
        InputError: torch is not installed, the game has no `observe`, or another kind of opponent.
    """
    check_torch()
    model = policy_of_text(rules, to)
    learner = PolicyGradient(rules, settings)
    _learn(rules, learner, settings, (seat, model), watch, None)
    network = learner.learned
    network.weights[-1][:] *= _SHARP
    network.biases[-1][:] *= _SHARP
    about = {"seed": settings.seed, "seat": seat, "response to": to, "rounds": settings.rounds}
    return PolicyNetwork(rules.name, network, about)


def policy_of_text(rules: FastGame, text: str) -> Policy:
    """The policy of an opponent in kernels.

    Raises:
        InputError: the opponent has none.
    """
    known = MODELS.parse(text).policy(rules)
    if known is None:
        raise InputError(
            f"games are played against uniform, net:FILE, noise before these or one that the game provides, not against "
            f"{quoted(text)}; copy it first: counterplay learn policy {rules.name} --teacher {text} -o FILE.cpn"
        )
    return known


def _learn(
    rules: FastGame,
    learner: PolicyGradient,
    settings: GradientSettings,
    against: tuple[int, Policy] | None,
    watch: Watch | None,
    look: Callable[[int], None] | None,
) -> None:
    rng = np.random.default_rng(settings.seed)
    done = 0
    try:
        for _ in range(settings.rounds):
            own = learner.policy
            policies, learns = [own, own], [True, True]
            if against:
                policies[1 - against[0]], learns[1 - against[0]] = against[1], False
            seed = int(rng.integers(2**62))
            learner.update(
                play_games(rules, (policies[0], policies[1]), (learns[0], learns[1]), settings.decisions, seed)
            )
            done += 1
            if look:
                look(done)
            if watch:
                watch(done, settings.rounds)
    except KeyboardInterrupt:
        if done == 0:
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
