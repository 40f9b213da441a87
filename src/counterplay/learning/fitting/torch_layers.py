"""Networks as layers of torch while they are trained, and the update of all of them. Nothing else imports torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import cos, pi
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.learning.fitting.rotated_adam import RotatedAdam
from counterplay.networks.network import LEAK, Network

Watch = Callable[[int, int], None]
"""Called with the steps done and their number."""
_WARM = 100
"""Steps until the rate is reached."""


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


def fresh_network(kinds: int, sizes: Sequence[int], seed: int) -> Network:
    """A network with random weights (He et al. 2015), and small random biases for the kinds.

    Args:
        kinds: of input.
        sizes: units of each layer, of inputs first.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    spread = [np.sqrt(2.0 / before) for before in sizes[:-1]]
    spread[0] *= 2.0  # shares of a range are small numbers
    shapes = list(zip(sizes[:-1], sizes[1:], spread, strict=True))
    weights = tuple(rng.normal(0.0, s, (a, b)).astype(np.float32) for a, b, s in shapes)
    first = rng.normal(0.0, 0.3, (kinds, sizes[1])).astype(np.float32)
    return Network(weights, (first, *(np.zeros(b, np.float32) for _, b, _ in shapes[1:])))


def torch_layers(torch: Any, network: Network) -> list[tuple[Any, Any]]:
    """Weight and bias of each layer as parameters."""
    return [
        (torch.tensor(weight, requires_grad=True), torch.tensor(bias, requires_grad=True))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]


def network_of(layers: Sequence[tuple[Any, Any]]) -> Network:
    """The inverse of `torch_layers`."""
    weights, biases = zip(*((w.detach().numpy().copy(), b.detach().numpy().copy()) for w, b in layers), strict=True)
    return Network(tuple(weights), tuple(biases))


def outputs(torch: Any, layers: Sequence[tuple[Any, Any]], kinds: Any, inputs: Any) -> Any:
    """(n, out) the outputs, as of `Network.answer`; `kinds` may be 0 for all."""
    out = inputs @ layers[0][0] + layers[0][1][kinds]
    for weight, bias in layers[1:]:
        out = torch.nn.functional.leaky_relu(out, float(LEAK)) @ weight + bias
    return out


class Updates:
    """The updates of all layers of a network, at a rate that rises at first and falls by a cosine.

    Args:
        torch: the module.
        layers: of the network.
        rate: the largest rate.
        steps: how many there will be.
    """

    def __init__(self, torch: Any, layers: Sequence[tuple[Any, Any]], rate: float, steps: int) -> None:
        self._updates = [RotatedAdam(torch, one) for pair in layers for one in pair]
        self._rate, self._steps, self.done = rate, steps, 0

    def step(self) -> None:
        """One step of every parameter against its gradient."""
        rate = self._rate * min(1.0, (self.done + 1) / _WARM) * (0.5 + 0.5 * cos(pi * self.done / self._steps))
        for update in self._updates:
            update.step(rate)
        self.done += 1

    def state(self) -> dict[str, Any]:
        """The layers and their moments, as plain data."""
        return {"done": self.done, "updates": [update.state() for update in self._updates]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state.

        Raises:
            KeyError, TypeError, ValueError, RuntimeError: it is none of these layers.
        """
        for update, kept in zip(self._updates, state["updates"], strict=True):
            update.restore(kept)
        self.done = int(state["done"])


def batches(torch: Any, order: Any, count: int, batch: int, epochs: int) -> Any:
    """The samples of every step."""
    for _ in range(epochs):
        mixed = torch.randperm(count, generator=order)
        for start in range(0, count - batch + 1, batch):
            yield mixed[start : start + batch]
