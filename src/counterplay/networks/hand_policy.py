"""Learned policies of whole games of hold'em: a network for each seat and street, hands in, the odds of all lines out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, write
from counterplay.errors import InputError
from counterplay.networks.network import HANDS, HANDS_LAYERS, KIND, Network, opened_network

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
        nets = tuple(tuple(_network(archive, f"{seat}{street}") for street in range(streets)) for seat in range(SEATS))
        return HandPolicy(game if isinstance(game, dict) else {}, nets, about)


def _network(archive: Archive, name: str) -> Network:
    weights = [archive.array(f"weight{name}{k}", (None, None)).astype(np.float32) for k in range(HANDS_LAYERS)]
    biases = [archive.array(f"bias{name}{k}", (weights[k].shape[1],)).astype(np.float32) for k in range(HANDS_LAYERS)]
    fits = all(weights[k].shape[1] == weights[k + 1].shape[0] for k in range(HANDS_LAYERS - 1))
    if not fits or not all(np.isfinite(array).all() and array.size for array in (*weights, *biases)):
        raise InputError(f"{archive.path} is damaged: its layers do not fit")
    return Network(tuple(weights), (biases[0][None], *biases[1:]))


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
