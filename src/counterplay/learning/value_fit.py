"""Fits of networks of values to samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from counterplay.arrays import F32
from counterplay.learning.river_samples import RiverSamples
from counterplay.learning.torch_layers import (
    FitSettings,
    Updates,
    Watch,
    batches,
    fresh_network,
    network_of,
    outputs,
    torch_layers,
)
from counterplay.learning.value_samples import ValueSamples
from counterplay.networks.network import Network
from counterplay.networks.river_network import river_inputs, weight_of

_BATCH, _RATE = 1024, 3e-3
"""Samples of a step; the largest rate."""
_PASS = 100
"""Least steps of a pass over the samples."""
_CLAIM, _BEND, _POT_BEND = 3.0, 0.1, 0.02
"""Weight of the claims beside the CFVs; the error at which the loss turns from squares to absolute values, in units of the
outputs and in pots."""


def fit_values(
    samples: ValueSamples, width0: int, fit: FitSettings, begin: Network | None = None, watch: Watch | None = None
) -> tuple[Network, F32]:
    """A network of values, and (kinds,) the scales of their outputs; begin: a network to continue from, of the same sizes.

    The loss is the smooth absolute error of the CFVs, and of the claims, which a search adds up. The rate falls by a cosine.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(fit.seed)
    count = int(samples.kinds.max()) + 1
    used = used_places(samples, count)
    size = np.bincount(samples.kinds, (samples.targets.astype(np.float64) ** 2).sum(axis=1), count)
    numbers = used.sum(axis=1) * np.bincount(samples.kinds, minlength=count)
    scale = np.sqrt(size / np.maximum(numbers, 1)).astype(np.float32)
    scale[scale == 0.0] = 1.0
    kinds, inputs = torch.from_numpy(samples.kinds.astype(np.int64)), torch.from_numpy(samples.inputs)
    targets = torch.from_numpy(samples.targets / scale[samples.kinds][:, None])
    sizes = [inputs.shape[1], *[fit.width] * fit.layers, targets.shape[1]]
    layers = torch_layers(torch, begin or fresh_network(count, sizes, fit.seed))
    counts = torch.from_numpy(used / np.maximum(used.sum(axis=1, keepdims=True), 1).astype(np.float32))

    near, wide = torch.nn.functional.smooth_l1_loss, targets.shape[1]
    sides = torch.ones(wide)
    sides[width0:] = -1.0

    def loss(rows: Any) -> Any:
        wanted, ranges = targets[rows], inputs[rows][:, -wide:]
        out = outputs(torch, layers, kinds[rows], inputs[rows])
        out = out - 0.5 * (out * ranges).sum(dim=1, keepdim=True)
        claims = [0.5 * (cfvs * ranges) @ sides for cfvs in (out, wanted)]
        errors = (near(out, wanted, beta=_BEND, reduction="none") * counts[kinds[rows]]).sum(dim=1).mean()
        return errors + _CLAIM * near(*claims, beta=_BEND)

    _descend(torch, layers, len(kinds), fit, loss, watch)
    return network_of(layers), scale


def fit_rivers(
    samples: RiverSamples, fit: FitSettings, begin: Network | None = None, watch: Watch | None = None
) -> Network:
    """A network of rivers; the loss is that of `fit_values`, of the values that betting adds, in pots."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(fit.seed)
    count, _, knots = samples.shares.shape
    flat = samples.shares.reshape(count, 2 * knots)
    depth = samples.depths.astype(np.float64)
    shares, inputs, factor, extra, weights = (
        torch.from_numpy(np.ascontiguousarray(array, np.float32))
        for array in (flat, river_inputs(flat, depth), weight_of(depth), samples.extra, samples.weights)
    )
    sizes = [inputs.shape[1], *[fit.width] * fit.layers, 2 * knots]
    layers = torch_layers(torch, begin or fresh_network(1, sizes, fit.seed))
    near = torch.nn.functional.smooth_l1_loss

    def loss(rows: Any) -> Any:
        out = outputs(torch, layers, 0, inputs[rows]) * factor[rows]
        held = shares[rows]
        out = out - 0.5 * (out * held).sum(dim=1, keepdim=True)
        wanted, counts = extra[rows].reshape(out.shape), weights[rows].reshape(out.shape)
        hands = (near(out, wanted, beta=_POT_BEND, reduction="none") * counts).sum(dim=1).mean()
        claims = [(extra_values * held)[:, :knots].sum(dim=1) for extra_values in (out, wanted)]
        return hands + _CLAIM * near(*claims, beta=_POT_BEND)

    _descend(torch, layers, count, fit, loss, watch)
    return network_of(layers)


def _descend(
    torch: Any, layers: Any, count: int, fit: FitSettings, loss_of: Callable[[Any], Any], watch: Watch | None
) -> None:
    """The steps of a fit; `loss_of` takes the samples of a step."""
    order, batch = torch.Generator().manual_seed(fit.seed), max(1, min(_BATCH, count // _PASS))
    steps = fit.epochs * (count // batch)
    updates = Updates(torch, layers, _RATE, steps)
    for chosen in batches(torch, order, count, batch, fit.epochs):
        loss_of(chosen).backward()
        updates.step()
        if watch:
            watch(updates.done, steps)


def used_places(samples: ValueSamples, count: int) -> F32:
    """(kinds, width0 + width1) 1 at the places that infosets of a kind have, those that any sample's ranges reach."""
    used = np.zeros((count, samples.targets.shape[1]), np.float32)
    ranges = samples.inputs[:, -samples.targets.shape[1] :]
    np.maximum.at(used, samples.kinds, (ranges > 0.0).astype(np.float32))
    return used
