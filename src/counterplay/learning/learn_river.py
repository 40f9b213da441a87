"""Learning what rivers are worth: drawn ones, a first network, those that look-aheads ask for, the network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from counterplay.learning.fitting.kept_network import KeptNetworks, Progress
from counterplay.learning.fitting.torch_layers import check_torch
from counterplay.learning.river_samples import RiverSamples
from counterplay.learning.river_work import AskedRivers, DrawnRivers, RiverSettings
from counterplay.learning.training import fit_rivers
from counterplay.networks.network import Network
from counterplay.networks.river_network import RiverNetwork
from counterplay.work.executor import Executor
from counterplay.work.run_work import Watch, complete_work
from counterplay.work.work_record import WorkRecord

_HELD_OUT = 20
"""One river in so many is kept for measuring."""


def learn_river(
    settings: RiverSettings,
    *,
    record: WorkRecord | None = None,
    executor: Executor | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> RiverNetwork:
    """Learn what rivers are worth to both players at any ranges, for look-aheads that stop where the turn ends.

    Args:
        settings: betting, rivers, network.
        record, executor, watch, progress: as of `learn_value`.

    Raises:
        InputError: torch is not installed, or invalid bets or solver.
        KeyboardInterrupt: Ctrl-C; the record has the results so far.
    """
    check_torch()
    record = record or WorkRecord()
    run: dict[str, Any] = {"record": record, "executor": executor, "watch": watch}
    samples = RiverSamples.join(complete_work(DrawnRivers(settings), **run).values())
    networks = KeptNetworks(settings, record, progress)
    first = _fitted(networks, settings, samples, last=not settings.asked)
    if not settings.asked:
        return first
    asked = complete_work(AskedRivers(settings, first), **run)
    whole = RiverSamples.join([samples.facts(), *asked.values()])
    return _fitted(networks, settings, whole, first.network, last=True)


def _fitted(
    networks: KeptNetworks, settings: RiverSettings, samples: RiverSamples, begin: Network | None = None, *, last: bool
) -> RiverNetwork:
    """The network of some samples."""
    away = np.arange(len(samples.depths)) % _HELD_OUT == _HELD_OUT - 1
    used = RiverSamples(*(one[~away] for one in samples))
    network, _ = networks.fitted(
        1 if begin is None else 2, lambda fit, told: (fit_rivers(used, fit, begin, told), None), last=last
    )
    about = {"seed": settings.seed, "rivers": len(samples.depths), "solver": settings.solver}
    net = RiverNetwork(settings.bets, settings.raises, settings.deck, network, about)
    tested = RiverSamples(*(one[away] for one in samples)) if away.any() else samples
    return replace(net, about={**about, "errors": river_errors(net, tested)})


def river_errors(net: RiverNetwork, samples: RiverSamples) -> dict[str, float]:
    """The network's errors in per cent of the pot: of hands, weighted as in the samples, and of both players' claims; beside
    those of showdowns without bets."""
    found = net.extra(samples.shares, samples.depths.astype(np.float64))
    out = {}
    for name, answer in (("", found), (" of showdowns", np.zeros_like(found))):
        wrong = 100.0 * np.abs(answer - samples.extra)
        claims = 100.0 * np.abs(((answer - samples.extra) * samples.shares).sum(axis=2))
        out[f"hand error{name}"] = float((wrong * samples.weights).sum(axis=2).mean())
        out[f"claim error{name}"] = float(claims.mean())
    return out
