"""The command that trains networks of rivers of hold'em. Registered in `learn.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.learning.learned_players import NETWORKS
from counterplay.commands.learning.network_output import NetworkFlags, show_network, training_tools
from counterplay.commands.options.option_records import Without, takes_records
from counterplay.commands.options.work_options import check_work
from counterplay.files import check_writable

if TYPE_CHECKING:
    from counterplay.networks.river_network import RiverNetwork


@dataclass(frozen=True)
class RiverFlags:
    """The rivers that a network learns from."""

    bets: Annotated[str, typer.Option("--bets", help="Sizes of bets and raises on the river.")] = "100%, a"
    raises: Annotated[int | None, typer.Option("--raises", min=0, help="Most bets and raises; unless given any.")] = (
        None
    )
    deck: Annotated[str, typer.Option("--deck", help="Lowest rank of the deck.")] = "2"
    rivers: Annotated[int, typer.Option("--rivers", min=1, help="Solved at drawn ranges.")] = 9_000
    asked: Annotated[
        int, typer.Option("--asked", min=0, help="Further ones at ranges that look-aheads of turns ask for.")
    ] = 3_000
    value: Annotated[str, typer.Option("--value", help="METHOD:N that solves them.")] = "dcfr:150"


@dataclass(frozen=True)
class RiverLayerFlags:
    """The network, and its training."""

    knots: Annotated[int, typer.Option("--knots", min=2, max=512, help="Of the strength of hands.")] = 32
    width: Annotated[int, typer.Option("--width", min=1, max=4096, help="Units of each hidden layer.")] = 120
    layers: Annotated[int, typer.Option("--layers", min=1, max=7, help="Hidden layers.")] = 3
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over all rivers.")] = 60


@takes_records
def river(*, data: RiverFlags, net: RiverLayerFlags, result: Annotated[NetworkFlags, Without("memory")]) -> None:
    """Learn what rivers are worth at both ranges, for `--value net:FILE` where a turn ends; --record keeps what is there."""
    from counterplay.learning.learn_river import RiverSettings, learn_river
    from counterplay.networks.river_network import save_river_network

    check_writable(result.output, *NETWORKS)
    check_work(result)
    settings = RiverSettings(
        data.bets, data.raises, data.deck, data.rivers, data.asked, data.value, net.knots, net.width, net.layers, net.epochs,
        result.seed,
    )  # fmt: skip
    with training_tools(settings.identity(), result) as tools:
        found = learn_river(settings, **tools)
    if result.output:
        save_river_network(result.output, found)
    show_network(_facts(found), result)


def _facts(found: RiverNetwork) -> dict[str, object]:
    errors = {f"{name} (% of the pot)": error for name, error in found.about["errors"].items()}
    cap = "any" if found.raises is None else found.raises
    return {
        "bets": found.bets, "raises": cap, "deck from": found.deck, "rivers": found.about["rivers"],
        "weights": found.network.parameters, **errors,
    }  # fmt: skip
