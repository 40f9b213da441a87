"""Learned values of games that are not in memory, for the command `learn value`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from counterplay.commands.learning.network_output import NetworkFlags, show_network, training_tools

if TYPE_CHECKING:
    from counterplay.learning.learn_value import ValueSettings
    from counterplay.networks.public_network import PublicNetwork


def public_value(settings: ValueSettings, largest: int, result: NetworkFlags) -> None:
    """Learn values by the rules' numbers of public states, save the network and show what is known of it."""
    from counterplay.gametree.compile.load import find_game
    from counterplay.learning.learn_public_value import PublicSettings, learn_public_value
    from counterplay.networks.public_network import described_rules, save_public_network

    name = described_rules(find_game(settings.game)).name
    wanted = PublicSettings(**{**asdict(settings), "game": name}, largest=largest)
    with training_tools(wanted.identity(), result) as tools:
        found = learn_public_value(wanted, **tools)
    if result.output:
        save_public_network(result.output, found)
    show_network(_facts(found), result)


def _facts(found: PublicNetwork) -> dict[str, object]:
    errors = found.about["errors"]
    return {
        "game": found.game, "depth": found.depth, "samples": found.about["samples"], "rounds": found.about["rounds"],
        "weights": found.network.parameters, "mean error": errors["mean"], "worst error": errors["worst"],
        "public states not seen": errors["held out"],
    }  # fmt: skip
