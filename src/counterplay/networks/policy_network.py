"""Learned policies: what a player knows in, the odds of the actions out, one network for both seats; in whole games of
hold'em a network for each seat and street, hands in, the odds of all lines out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.archive import write
from counterplay.errors import InputError, quoted
from counterplay.games.kernel_rules import FastGame
from counterplay.games.policy import Policy
from counterplay.networks.layers import LearnedPolicy, layers_of
from counterplay.networks.network import (
    HANDS,
    HANDS_LAYERS,
    KIND,
    POLICY,
    Network,
    opened_network,
    read_layers,
    write_network,
)


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


def ruled(rules: Any, name: str) -> FastGame:
    """The rules of a game of this name, whose players a network can be.

    Raises:
        InputError: the game is not written as rules, or these have no `observe`.
    """
    if not isinstance(rules, FastGame):
        raise InputError(f"{name} is not written as rules, which a network of a policy needs")
    _ = rules.network_sizes
    return rules


def check_game(rules: Any, name: str, learned: str) -> None:
    """Reject a game in which a policy was not learned: `rules` of this name instead of those named `learned`."""
    if ruled(rules, name).name != learned:
        raise InputError(f"the network was learned in {quoted(learned[:60])}, not in {name}")


def save_policy_network(path: Path, net: PolicyNetwork) -> None:
    """Write a network of a policy (`.cpn`)."""
    write_network(path, POLICY, net.network, {"game": net.game, "about": net.about})


def load_policy_network(path: str | Path) -> PolicyNetwork:
    """A network of a policy, as `opened_network` reads it."""
    with opened_network(path, POLICY) as (archive, about):
        return PolicyNetwork(str(archive.facts.get("game")), read_layers(archive), about)


SEATS = 2
STREETS = 4


@dataclass(frozen=True, eq=False)
class HandPolicy:
    """Networks of a whole game.

    Attributes:
        game: the game as facts of a file (see `game_facts.question_of`).
        networks: by seat and street: numbers of a hand on a board in, a number for each of the player's sequences on
            the street out, of which the softmax over the actions of a decision gives the odds.
    """

    game: dict[str, Any]
    networks: tuple[tuple[Network, ...], ...]
    about: dict[str, Any]

    @property
    def parameters(self) -> int:
        """The number of weights and biases."""
        return sum(net.parameters for nets in self.networks for net in nets)


def save_hand_policy(path: Path, policy: HandPolicy) -> None:
    """Write networks of a whole game (`.cpn`)."""
    arrays = {}
    for seat, nets in enumerate(policy.networks):
        for street, net in enumerate(nets):
            for k, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
                arrays[f"weight{seat}{street}{k}"], arrays[f"bias{seat}{street}{k}"] = weight, bias.reshape(-1)
    facts = {"holds": HANDS, "game": policy.game, "about": policy.about, "streets": len(policy.networks[0])}
    write(path, KIND, facts, arrays)


def load_hand_policy(path: str | Path) -> HandPolicy:
    """Networks of a whole game, as `opened_network` reads them."""
    with opened_network(path, HANDS) as (archive, about):
        streets, game = archive.facts.get("streets"), archive.facts.get("game")
        if type(streets) is not int or not 2 <= streets <= STREETS:
            raise InputError(f"{path} is damaged: it has no number of streets")
        nets = tuple(
            tuple(read_layers(archive, HANDS_LAYERS, f"{seat}{street}") for street in range(streets))
            for seat in range(SEATS)
        )
        return HandPolicy(game if isinstance(game, dict) else {}, nets, about)


def check_hand_policy(
    policy: HandPolicy, game: dict[str, Any], sizes: tuple[tuple[int, ...], ...], inputs: tuple[int, ...]
) -> None:
    """Reject networks of another game than that of these facts, where seats have `sizes` sequences by street and hands
    `inputs` numbers.
    """
    if policy.game != game:
        raise InputError("the network was learned in a game with other cards, stacks or bets")
    for seat, wanted in enumerate(sizes):
        sizes_here = [(net.weights[0].shape[0], net.weights[-1].shape[1]) for net in policy.networks[seat]]
        if sizes_here != list(zip(inputs, wanted, strict=True)):
            raise InputError("the network has other inputs or outputs than this game has now")
