"""Learning the values at the borders of a game: samples, a network, and rounds of samples where searches over it ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from counterplay.gametree.compile.compile import GameTree
from counterplay.learning.asked_ranges import LearnedValue
from counterplay.learning.fitting.kept_network import KeptNetworks, Progress
from counterplay.learning.fitting.torch_layers import check_torch
from counterplay.learning.training import fit_values
from counterplay.learning.value_samples import ValueSamples
from counterplay.learning.value_work import AskedSamples, DrawnSamples, ValueSettings
from counterplay.lookahead.leaf_error import value_error
from counterplay.networks.network import Network
from counterplay.networks.value_network import ValueNetwork
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, complete_work
from counterplay.work.work_record import WorkRecord


def learn_value(
    settings: ValueSettings,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> ValueNetwork:
    """Learn the values at which look-aheads of a depth stop.

    Args:
        settings: game, depth, samples, network.
        record: results of earlier runs with the same settings, and the store of new ones.
        executor: computes the samples; training takes one thread of this process.
        watch: called when a piece of samples begins.
        progress: called during training.

    Raises:
        InputError: torch is not installed, a game or depth without borders, or an invalid solver.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    check_torch()
    record = record or WorkRecord()
    run: dict[str, Any] = {"record": record, "executor": executor, "watch": watch}
    networks, drawn = KeptNetworks(settings, record, progress), DrawnSamples(settings)
    wide = sum(drawn.states.widths)
    samples = ValueSamples.join(complete_work(drawn, **run).values(), wide)
    rounds = settings.rounds if settings.asked else 0
    net = _fitted(networks, drawn, samples, 0, rounds)
    for number in range(rounds):
        asked = complete_work(AskedSamples(settings, net, number), **run)
        samples = ValueSamples.join([samples.facts(), *asked.values()], wide)
        net = _fitted(networks, drawn, samples, number + 1, rounds, net.network)
    return net


def _fitted(
    networks: KeptNetworks,
    stage: DrawnSamples,
    samples: ValueSamples,
    number: int,
    rounds: int,
    begin: Network | None = None,
) -> ValueNetwork:
    """The network after a round, from 0."""
    settings, width0 = stage.settings, stage.states.widths[0]
    network, scale = networks.fitted(
        number + 1, lambda fit, told: fit_values(samples, width0, fit, begin, told), last=number == rounds
    )
    about = {"seed": settings.seed, "samples": len(samples.kinds), "solver": settings.solver}
    return ValueNetwork(settings.game, settings.depth, stage.states, scale, network, about)


def measure_network(net: ValueNetwork, game: GameTree) -> ValueNetwork:
    """The network with its errors at the first border, in chips, among what is known about it."""
    found = value_error(game, LearnedValue(net), net.depth, seed=net.about["seed"] + 1)
    errors = {"mean": found.mean, "worst": found.worst, "gap": found.gap, "pairs of strategies": found.samples}
    return replace(net, about={**net.about, "errors": errors})
