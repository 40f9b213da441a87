"""Learning a policy of both seats of a game in memory from what another strategy does there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.compile.compile import GameTree
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.learning.fitting.torch_layers import Watch, check_torch
from counterplay.learning.policy_fit import PolicyFit, fit_policy
from counterplay.learning.teacher import lessons_of
from counterplay.networks.policy_network import PolicyNetwork
from counterplay.opponents.opponent import opponent
from counterplay.solvers.best_response import gap
from counterplay.treeplex.strategy import Strategy
from counterplay.work.work_record import WorkRecord

Pair = tuple[Strategy, Strategy]


@dataclass(frozen=True)
class PolicySettings:
    """What a policy is learned from, and how.

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
    """Learn what a teacher does in a game.

    Args:
        game: in memory, from rules that say what a player knows in numbers (`observe`).
        settings: teacher, sizes and steps.
        watch: called with the steps done and their number; if it is interrupted, the network is the one so far.
        record: keeps the teacher's strategies and the state of the training, which goes on from there.

    Raises:
        InputError: torch is not installed, a game that has no `observe`, or an invalid teacher.
    """
    check_torch()
    rules, record = rules_of(game), record or WorkRecord()
    pair = _pair(game, settings, record)
    fit = PolicyFit(settings.width, settings.layers, settings.steps, settings.seed)
    network = fit_policy(lessons_of(game, rules, pair), fit, watch, record)
    found = PolicyNetwork(rules.name, network, {"seed": settings.seed, "teacher": settings.teacher})
    figures = {"NashConv": nash_conv(game, found), "NashConv of the teacher": gap(game.subgame, _plans(pair))[0]}
    return replace(found, about={**found.about, "figures": figures})


def rules_of(game: GameTree) -> FastGame:
    """The rules of a game whose players a network can be.

    Raises:
        InputError: the game is not written as rules, or these have no `observe`.
    """
    if not isinstance(getattr(game, "rules", None), FastGame):
        raise InputError(f"{game.name} is not written as rules, which a network of a policy needs")
    rules: FastGame = game.rules  # type: ignore[assignment]
    _ = rules.network_sizes
    return rules


def strategies_of(game: GameTree, net: PolicyNetwork) -> Pair:
    """The strategies of both seats that follow a network."""
    rules = rules_of(game)
    policy = net.policy(rules)
    first, second = (Strategy(game.trees[i], policy_behaviour(game, rules, policy, i)) for i in (0, 1))
    return first, second


def nash_conv(game: GameTree, net: PolicyNetwork) -> float:
    """What both players could gain against a network together, in chips."""
    return gap(game.subgame, _plans(strategies_of(game, net)))[0]


def _plans(pair: Pair) -> tuple[F64, F64]:
    return pair[0].plan, pair[1].plan


def _pair(game: GameTree, settings: PolicySettings, record: WorkRecord) -> Pair:
    """The teacher's strategies of both seats, from the record if they are there."""
    if "teacher" not in record.results:
        found = [opponent(game, settings.teacher, player, settings.seed) for player in (0, 1)]
        record.keep("teacher", [one.behaviour for one in found])
    kept = record.results["teacher"]
    if [len(one) for one in kept] != [tree.size for tree in game.trees]:
        raise InputError("cannot go on: the record holds a teacher of another game")
    first, second = (Strategy(tree, one) for tree, one in zip(game.trees, kept, strict=True))
    return first, second
