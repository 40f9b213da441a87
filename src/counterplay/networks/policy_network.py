"""Learned policies: what a player knows in, the odds of the actions out; one network for both seats of a game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.networks.layers import LearnedPolicy, layers_of
from counterplay.networks.network import POLICY, Network, opened_network, read_layers, write_network


@dataclass(frozen=True, eq=False)
class PolicyNetwork:
    """A network of the odds of actions. network: what `observe` writes in, a number for each action code out, whose
    softmax over the legal ones are the odds."""

    game: str
    network: Network
    about: dict[str, Any]

    def policy(self, game: FastGame) -> Policy:
        """The network as a policy in kernels.

        Raises:
            InputError: another game, or a network of other sizes.
        """
        check_game(game, game.name, self.game)
        numbers, moves = game.network_sizes
        weights = self.network.weights
        if (weights[0].shape[0], weights[-1].shape[1], len(self.network.biases[0])) != (numbers, moves, 1):
            raise InputError(f"the network has other inputs or outputs than {game.name} has now")
        return Policy(f"a network of {self.game}", LearnedPolicy(layers_of(self.network)))


def check_game(rules: Any, name: str, learned: str) -> None:
    """Reject a game in which a policy was not learned: `rules` of this name instead of those named `learned`.

    Raises:
        InputError: the message names both games.
    """
    if not isinstance(rules, FastGame):
        raise InputError(f"{name} is not written as rules, which a network of a policy needs")
    if rules.name != learned:
        raise InputError(f"the network was learned in {quoted(learned[:60])}, not in {name}")


def save_policy_network(path: Path, net: PolicyNetwork) -> None:
    """Write a network of a policy (`.cpn`)."""
    write_network(path, POLICY, net.network, {"game": net.game, "about": net.about})


def load_policy_network(path: str | Path) -> PolicyNetwork:
    """A network of a policy, as `opened_network` reads it."""
    with opened_network(path, POLICY) as (archive, about):
        return PolicyNetwork(str(archive.facts.get("game")), read_layers(archive), about)
