"""The fit of a network to samples, by torch, which nothing else imports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import cos, pi
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.learning.rotated_adam import RotatedAdam
from counterplay.learning.value_samples import Singles, ValueSamples
from counterplay.networks.network import LEAK, Network

Watch = Callable[[int, int], None]
"""Called with the steps done and their number."""
_BATCH, _RATE, _WARM = 1024, 3e-3, 100
"""Samples of a step; the largest rate; steps until it is reached."""
_PASS = 100
"""Least steps of a pass over the samples."""
_CLAIM, _BEND = 3.0, 0.1
"""Weight of the claims beside the CFVs; the error at which the loss turns from squares to absolute values."""


@dataclass(frozen=True)
class FitSettings:
    """A fit: units of each hidden layer, number of these, passes over the samples, seed."""

    width: int
    layers: int
    epochs: int
    seed: int


def check_torch() -> None:
    """Reject training where torch is not installed.

    Raises:
        InputError: with what to install.
    """
    if _missing("torch"):
        raise InputError("training needs torch: pip install 'counterplay[learn]'")


def _missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except ValueError:  # a module that was set to None
        return True


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
    layers = _layers(torch, begin or _fresh(count, inputs.shape[1], fit))
    updates = [RotatedAdam(torch, one) for pair in layers for one in pair]
    order, batch = torch.Generator().manual_seed(fit.seed), max(1, min(_BATCH, len(kinds) // _PASS))
    steps = fit.epochs * (len(kinds) // batch)
    for step, chosen in enumerate(_batches(torch, order, len(kinds), batch, fit.epochs)):
        loss = _loss(torch, layers, kinds[chosen], inputs[chosen], targets[chosen], width0)
        loss.backward()
        for update in updates:
            update.step(_RATE * min(1.0, (step + 1) / _WARM) * (0.5 + 0.5 * cos(pi * step / steps)))
        if watch:
            watch(step + 1, steps)
    return _network(layers), scale


def _batches(torch: Any, order: Any, count: int, batch: int, epochs: int) -> Any:
    """The samples of every step."""
    for _ in range(epochs):
        mixed = torch.randperm(count, generator=order)
        for start in range(0, count - batch + 1, batch):
            yield mixed[start : start + batch]


def _loss(torch: Any, layers: Any, kinds: Any, inputs: Any, targets: Any, width0: int) -> Any:
    out = inputs @ layers[0][0] + layers[0][1][kinds]
    for weight, bias in layers[1:]:
        out = torch.nn.functional.leaky_relu(out, float(LEAK)) @ weight + bias
    out = out - 0.5 * (out * inputs).sum(dim=1, keepdim=True)
    near = torch.nn.functional.smooth_l1_loss
    sides = torch.ones(inputs.shape[1])
    sides[width0:] = -1.0
    claims = [0.5 * (one * inputs) @ sides for one in (out, targets)]
    return near(out, targets, beta=_BEND) + _CLAIM * near(*claims, beta=_BEND)


def _fresh(kinds: int, wide: int, fit: FitSettings) -> Network:
    """A network with random weights (He et al. 2015), and small random biases for the kinds."""
    rng = np.random.default_rng(fit.seed)
    sizes = [wide, *[fit.width] * fit.layers, wide]
    spread = [np.sqrt(2.0 / before) for before in sizes[:-1]]
    spread[0] *= 2.0  # shares of a range are small numbers
    shapes = list(zip(sizes[:-1], sizes[1:], spread, strict=True))
    weights = tuple(rng.normal(0.0, s, (a, b)).astype(np.float32) for a, b, s in shapes)
    first = rng.normal(0.0, 0.3, (kinds, fit.width)).astype(np.float32)
    return Network(weights, (first, *(np.zeros(b, np.float32) for _, b, _ in shapes[1:])))


def _layers(torch: Any, network: Network) -> list[tuple[Any, Any]]:
    return [
        (torch.tensor(weight, requires_grad=True), torch.tensor(bias, requires_grad=True))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]


def _network(layers: list[tuple[Any, Any]]) -> Network:
    weights, biases = zip(*((w.detach().numpy().copy(), b.detach().numpy().copy()) for w, b in layers), strict=True)
    return Network(tuple(weights), tuple(biases))
