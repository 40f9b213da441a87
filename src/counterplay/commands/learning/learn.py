"""The commands that train networks. Registered in `cli.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.commands.learning.learned_players import NETWORKS, policy, response
from counterplay.commands.learning.learned_rivers import river
from counterplay.commands.learning.network_output import NetworkFlags, show_network, show_steps, show_work
from counterplay.commands.options.inputs import load_game
from counterplay.commands.options.option_records import takes_records
from counterplay.commands.options.shared_options import Spec
from counterplay.commands.options.work_options import check_work
from counterplay.commands.usage_errors import Brief
from counterplay.files import check_writable
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.networks.value_network import ValueNetwork

learn = typer.Typer(
    cls=Brief, no_args_is_help=True, rich_markup_mode=None, help="Train networks; needs torch (counterplay[learn])."
)


@dataclass(frozen=True)
class SampleFlags:
    """What a network learns from."""

    samples: Annotated[int, typer.Option("--samples", min=1, help="Public states solved at drawn ranges.")] = 200_000
    asked: Annotated[
        int, typer.Option("--asked", min=0, help="Further ones at ranges that searches over a first network ask for.")
    ] = 60_000
    value: Annotated[str, typer.Option("--value", help="The value function that solves them.")] = "cfr+:500"


@dataclass(frozen=True)
class LayerFlags:
    """The network, and its training."""

    width: Annotated[int, typer.Option("--width", min=1, max=4096, help="Units of each hidden layer.")] = 128
    layers: Annotated[int, typer.Option("--layers", min=1, max=7, help="Hidden layers.")] = 3
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over all samples.")] = 50


@takes_records
def value(
    *,
    game: Spec,
    depth: Annotated[str, typer.Option("--depth", metavar="N|round|game", help="Of the look-aheads.")],
    data: SampleFlags,
    net: LayerFlags,
    result: NetworkFlags,
) -> None:
    """Learn the values at which look-aheads of a depth stop, for `--value net:FILE`. Ctrl-C keeps what --record has."""
    from counterplay.learning.learn_value import learn_value, measure_network
    from counterplay.learning.value_work import ValueSettings
    from counterplay.networks.value_network import save_value_network
    from counterplay.value_functions.value_function import check_value
    from counterplay.work.processes import executor_of
    from counterplay.work.work_record import WorkRecord

    check_writable(result.output, *NETWORKS)
    check_work(result)
    check_value(data.value)
    tree = load_game(game, result.memory)
    settings = ValueSettings(
        tree.name, depth, data.samples, data.asked, data.value, net.width, net.layers, net.epochs, result.seed
    )
    record, executor = WorkRecord(result.record, settings.identity()), executor_of(result.workers)
    with progress_line("solving", result.as_json) as line:
        watch, progress = (None, None) if line is None else (show_work(line), show_steps(line))
        found = learn_value(settings, record=record, executor=executor, watch=watch, progress=progress)
    found = measure_network(found, tree)
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
