"""The fit of a network of values to samples."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from counterplay.learning.value_samples import Singles, ValueSamples
from counterplay.networks.network import Network

_BATCH, _RATE = 1024, 3e-3
"""Samples of a step; the largest rate."""
_PASS = 100
"""Least steps of a pass over the samples."""
_CLAIM, _BEND = 3.0, 0.1
"""Weight of the claims beside the CFVs; the error at which the loss turns from squares to absolute values."""


def fit_values(
    samples: ValueSamples, width0: int, fit: FitSettings, begin: Network | None = None, watch: Watch | None = None
) -> tuple[Network, Singles]:
    """A network of values, and the scale of each kind's outputs.

    The loss is the smooth absolute error of the CFVs, and of the claims, which are what a search adds up. The rate
    falls by a cosine.

    Args:
        samples: solved public states.
        width0: player 0's share of the inputs and outputs.
        fit: sizes and passes.
        begin: a network to go on from, of the same sizes.
        watch: see `Watch`.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(fit.seed)
    count = int(samples.kinds.max()) + 1
    size = np.bincount(samples.kinds, (samples.targets.astype(np.float64) ** 2).mean(axis=1), count)
    scale = np.sqrt(size / np.maximum(np.bincount(samples.kinds, minlength=count), 1)).astype(np.float32)
    scale[scale == 0.0] = 1.0
    kinds, inputs = torch.from_numpy(samples.kinds.astype(np.int64)), torch.from_numpy(samples.inputs)
    targets = torch.from_numpy(samples.targets / scale[samples.kinds][:, None])
    wide = inputs.shape[1]
    layers = torch_layers(torch, begin or fresh_network(count, [wide, *[fit.width] * fit.layers, wide], fit.seed))
    order, batch = torch.Generator().manual_seed(fit.seed), max(1, min(_BATCH, len(kinds) // _PASS))
    steps = fit.epochs * (len(kinds) // batch)
    updates = Updates(torch, layers, _RATE, steps)
    for chosen in batches(torch, order, len(kinds), batch, fit.epochs):
        loss = _loss(torch, layers, kinds[chosen], inputs[chosen], targets[chosen], width0)
        loss.backward()
        updates.step()
        if watch:
            watch(updates.done, steps)
    return network_of(layers), scale


def _loss(torch: Any, layers: Any, kinds: Any, inputs: Any, targets: Any, width0: int) -> Any:
    out = outputs(torch, layers, kinds, inputs)
    out = out - 0.5 * (out * inputs).sum(dim=1, keepdim=True)
    near = torch.nn.functional.smooth_l1_loss
    sides = torch.ones(inputs.shape[1])
    sides[width0:] = -1.0
    claims = [0.5 * (one * inputs) @ sides for one in (out, targets)]
    return near(out, targets, beta=_BEND) + _CLAIM * near(*claims, beta=_BEND)
