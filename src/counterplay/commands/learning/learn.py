"""The commands that train networks. Registered in `registry.py`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.commands.learning.learned_players import NETWORKS, policy, response
from counterplay.commands.learning.learned_public_values import public_value
from counterplay.commands.learning.learned_rivers import river
from counterplay.commands.learning.network_output import NetworkFlags, show_network, training_tools
from counterplay.commands.options.inputs import load_game
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Spec
from counterplay.commands.options.work_options import check_work
from counterplay.commands.parsing.usage_errors import Brief
from counterplay.errors import InputError
from counterplay.files import check_writable

if TYPE_CHECKING:
    from counterplay.learning.learn_value import ValueSettings
    from counterplay.networks.value_network import ValueNetwork

learn = typer.Typer(
    cls=Brief, no_args_is_help=True, rich_markup_mode=None, help="Train networks; needs torch (counterplay[learn])."
)


@dataclass(frozen=True)
class SampleFlags:
    """What a network learns from."""

    samples: Annotated[int, typer.Option("--samples", min=1, help="Public states solved at drawn ranges.")] = 200_000
    asked: Annotated[
        int, typer.Option("--asked", min=0, help="Further ones of a round, at ranges that searches ask a network for.")
    ] = 60_000
    rounds: Annotated[
        int, typer.Option("--rounds", min=0, help="Rounds of searches, each over the network so far.")
    ] = 1
    responses: Annotated[
        bool, typer.Option("--responses", help="Best responses to weak players ask, as cdbr does, not all searches.")
    ] = False
    value: Annotated[str, typer.Option("--value", help="The value function that solves them.")] = "cfr+:500"


@dataclass(frozen=True)
class LayerFlags:
    """The network, and its training."""

    width: Annotated[int, typer.Option("--width", min=1, max=4096, help="Units of each hidden layer.")] = 128
    layers: Annotated[int, typer.Option("--layers", min=1, max=7, help="Hidden layers.")] = 3
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over all samples.")] = 50
    half: Annotated[bool, typer.Option("--half", help="Weights of 16 bits, for half of the file.")] = False


@dataclass(frozen=True)
class PublicFlags:
    """Learning by what the rules say of public states."""

    public: Annotated[
        bool, typer.Option("--public", help="By the rules' numbers of public states, as if not in memory.")
    ] = False
    largest: Annotated[
        int, typer.Option("--largest", min=100, help="Histories of a game that is solved to its end, if not in memory.")
    ] = 20_000


@takes_records
def value(
    *,
    game: Spec,
    depth: Annotated[str, typer.Option("--depth", metavar="N|round|game", help="Of the look-aheads.")],
    data: SampleFlags,
    net: LayerFlags,
    beyond: PublicFlags,
    result: NetworkFlags,
) -> None:
    """Learn the values at which look-aheads of a depth stop, for `--value net:FILE`. Ctrl-C keeps what --record has.

    A game that does not fit in memory is learned by the rules' numbers of public states.
    """
    from counterplay.learning.learn_value import ValueSettings
    from counterplay.value_functions.value_function import check_value

    check_writable(result.output, *NETWORKS)
    check_work(result)
    check_value(data.value)
    if beyond.public and result.memory is not None:
        raise InputError("--public keeps no game in memory, and takes no --memory")
    tree = None if beyond.public else _in_memory(game, result.memory)
    settings = ValueSettings(
        game if tree is None else tree.name, depth, data.samples, data.asked, data.value, net.width, net.layers, net.epochs,
        result.seed, data.responses, data.rounds,
    )  # fmt: skip
    if tree is None and net.half:
        raise InputError("--half is for networks of games in memory, by their numbering")
    if tree is None and data.responses:
        raise InputError(f"--responses takes best responses, for which {game} has to be in memory")
    if tree is None:
        public_value(settings, beyond.largest, result)
    else:
        _learn_in_memory(tree, settings, net.half, result)


def _in_memory(game: str, memory: float | None) -> Any:
    """The game, or None if it is too large."""
    from counterplay.gametree.table.histories import TooLargeError

    try:
        return load_game(game, memory)
    except TooLargeError:
        return None


def _learn_in_memory(tree: Any, settings: ValueSettings, half: bool, result: NetworkFlags) -> None:
    from counterplay.learning.learn_value import learn_value, measure_network
    from counterplay.networks.value_network import save_value_network

    with training_tools(settings.identity(), result) as tools:
        found = learn_value(settings, **tools)
    found = measure_network(replace(found, network=found.network.halved) if half else found, tree)
    if result.output:
        save_value_network(result.output, found)
    show_network(_facts(found), result)


def _facts(found: ValueNetwork) -> dict[str, object]:
    return {
        "game": found.game, "depth": found.depth, "public states": len(found.states.histories),
        "different ones": found.states.count, "samples": found.about["samples"], "weights": found.network.parameters,
        "mean error": found.about["errors"]["mean"], "worst error": found.about["errors"]["worst"],
        "gap": found.about["errors"]["gap"],
    }  # fmt: skip


learn.command(epilog="Example: counterplay learn value leduc --depth round -o leduc.cpn")(value)
learn.command(epilog="Example: counterplay learn river --bets '100%, a' -o river.cpn")(river)
learn.command(epilog="Example: counterplay learn policy goofspiel:5 -o goofspiel.cpn")(policy)
learn.command(epilog="Example: counterplay learn response leduc --to uniform -o best.cpn")(response)
