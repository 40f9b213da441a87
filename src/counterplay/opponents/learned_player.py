"""Learned policies as opponents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from counterplay.errors import InputError
from counterplay.files import check_readable
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.gametree.compile.policy_behaviour import policy_behaviour
from counterplay.networks.hand_policy import load_hand_policy
from counterplay.networks.network import NetworkPath, read_once
from counterplay.networks.policy_network import PolicyNetwork, check_game, load_policy_network
from counterplay.opponents.model import AnyGame, OpponentModel
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.learned_hands import LearnedHands
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.treeplex.strategy import Strategy

Made = TypeVar("Made")


@dataclass(frozen=True)
class LearnedPlayer(OpponentModel):
    """A policy that a network learned (`counterplay learn policy`).

    Attributes:
        path: of its file.
    """

    HEAD = "net"
    path: Annotated[str, NetworkPath()]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """Raises: InputError: a missing or damaged file, or a game that it was not learned in."""
        rules: Any = game.rules
        check_game(rules, game.name, self._network().game)
        tree: Any = game  # of rules, so that it is compiled
        return Strategy(tree.trees[player], policy_behaviour(tree, rules, self.policy(rules), player))

    def make_blueprint(self, game: HoldemGame, seed: int) -> BlueprintStrategy:  # noqa: ARG002
        policy = read_once(self.path, load_hand_policy)
        return self._fitting(lambda: LearnedHands.of(game, policy))

    def policy(self, game: FastGame) -> Policy:
        net = self._network()
        return self._fitting(lambda: Policy(str(self), net.policy(game).record))

    def _fitting(self, make: Callable[[], Made]) -> Made:
        """What is made of the network; an InputError names the file."""
        try:
            return make()
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None

    def check(self) -> None:
        check_readable(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False

    def _network(self) -> PolicyNetwork:
        net: PolicyNetwork = read_once(self.path, load_policy_network)
        return net
