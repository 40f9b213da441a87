"""Learning values by the rules' numbers of public states: samples, a network, rounds of look-aheads over it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.games import make_game
from counterplay.learning.asked_ranges import LearnedValue
from counterplay.learning.fitting.kept_network import KeptNetworks, Progress
from counterplay.learning.fitting.torch_layers import check_torch
from counterplay.learning.pieces import random_of
from counterplay.learning.public_states.drawn_places import drawn_places
from counterplay.learning.public_states.public_value_work import (
    LookedSamples,
    PublicSamples,
    PublicSettings,
    drawn_ranges,
)
from counterplay.learning.training import fit_values
from counterplay.learning.value_samples import ValueSamples
from counterplay.learning.value_work import solved_by
from counterplay.lookahead.leaf_error import claim_errors
from counterplay.networks.network import Network
from counterplay.networks.public_network import PublicNetwork, described_rules
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, complete_work
from counterplay.work.work_record import WorkRecord

_HELD_OUT = 1_000
"""Public states with ranges that the error is measured on."""


def learn_public_value(
    settings: PublicSettings,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> PublicNetwork:
    """Learn the values at which look-aheads of a depth stop, in a game whose rules describe public states.

    Args:
        settings: game, depth, samples, network.
        record, executor, watch, progress: as of `learn_value.learn_value`.

    Raises:
        InputError: torch is not installed, rules that do not describe public states, or an invalid depth or solver.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    check_torch()
    described_rules(make_game(settings.game))
    record = record or WorkRecord()
    run: dict[str, Any] = {"record": record, "executor": executor, "watch": watch}
    networks, drawn = KeptNetworks(settings, record, progress), PublicSamples(settings)
    solved = [drawn.join(complete_work(drawn, **run).values())]
    rounds = settings.rounds if settings.asked else 0
    net = _fitted(networks, settings, solved[0], 0, rounds)
    for number in range(1, rounds + 1):
        looked = LookedSamples(settings, number, net)
        solved = [solved[0], looked.join(complete_work(looked, **run).values())]
        both = drawn.join(one.facts() for one in solved)
        net = _fitted(networks, settings, both, number, rounds, net.network)
    return measured(settings, net)


def _fitted(
    networks: KeptNetworks,
    settings: PublicSettings,
    samples: ValueSamples,
    number: int,
    rounds: int,
    begin: Network | None = None,
) -> PublicNetwork:
    """The network after a round, from 0."""
    width = samples.targets.shape[1] // 2
    network, scale = networks.fitted(
        number + 1, lambda fit, told: fit_values(samples, width, fit, begin, told), last=number == rounds
    )
    numbers = samples.inputs[:, : samples.inputs.shape[1] - 2 * width]
    seen = np.stack([numbers.min(axis=0), numbers.max(axis=0)])
    about = {"seed": settings.seed, "samples": len(samples.kinds), "solver": settings.solver, "rounds": rounds}
    game = make_game(settings.game).name
    return PublicNetwork(game, settings.depth, (width, width), seen, float(scale[0]), network, about)


def measured(settings: PublicSettings, net: PublicNetwork) -> PublicNetwork:
    """The network with its errors at solved public states that it has not seen: of the larger of both players' claims, in
    chips given that the state is reached, weighted as it is reached at the drawn ranges.
    """
    fresh, rng = PublicSamples(settings), random_of(settings.seed + 1, "held out")
    rules, solver = described_rules(make_game(settings.game)), solved_by(settings.solver)
    found = list[tuple[Any, Any]]()
    while sum(len(weight) for weight, _ in found) < min(_HELD_OUT, settings.samples):
        for place in drawn_places(rules, fresh.depth, rng):
            whole = fresh.whole(place)
            if whole is not None:
                values = LearnedValue(net).at(whole), solver.at(whole)
                found += [claim_errors(whole, values, ranges) for ranges in drawn_ranges(whole, rng, 2)]
    weight, error = (np.concatenate(parts) for parts in zip(*found, strict=True))
    likely = weight > 0.0
    errors = {
        "mean": float(error.sum() / weight.sum()),
        "worst": float((error[likely] / weight[likely]).max()),
        "held out": int(likely.sum()),
    }
    return replace(net, about={**net.about, "errors": errors})
