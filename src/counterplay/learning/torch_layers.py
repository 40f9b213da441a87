"""Training of networks as layers of torch: updates, and states that are kept so that training continues to the same bits.

Nothing else imports torch. The update is Adam in the eigenbasis of a matrix's gradients (SOAP: Vyas et al. 2024), which
needs fewer steps than Adam.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from math import cos, pi
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.networks.network import LEAK, Network
from counterplay.work.work_record import WorkRecord

Watch = Callable[[int, int], None]
"""Called with the steps done and their number."""
_WARM = 100
"""Steps until the rate is reached."""
_KEEP = 0.95
"""Share of the running means that a step keeps."""
_OFTEN = 10
"""Steps between two turns of the basis."""
_LEAST = 1e-8
_WIDEST = 512
"""Rows and columns of a matrix; for larger ones it is Adam."""
_TIMES = 20
"""How often a state is kept on the way."""


def check_torch() -> None:
    """Reject training where torch is not installed."""
    try:
        missing = find_spec("torch") is None
    except ValueError:  # a module that was set to None
        missing = True
    if missing:
        raise InputError("training needs torch: pip install 'counterplay[learn]'")


def fresh_network(kinds: int, sizes: Sequence[int], seed: int) -> Network:
    """A network with random weights (He et al. 2015), and small random biases for the kinds of input; sizes: units of each
    layer, of inputs first."""
    rng = np.random.default_rng(seed)
    spread = [np.sqrt(2.0 / before) for before in sizes[:-1]]
    spread[0] *= 2.0  # shares of a range are small numbers
    shapes = list(zip(sizes[:-1], sizes[1:], spread, strict=True))
    weights = tuple(rng.normal(0.0, s, (a, b)).astype(np.float32) for a, b, s in shapes)
    first = rng.normal(0.0, 0.3, (kinds, sizes[1])).astype(np.float32)
    return Network(weights, (first, *(np.zeros(b, np.float32) for _, b, _ in shapes[1:])))


class TorchNetwork:
    """A network as parameters of torch. layers: weight and bias of each."""

    def __init__(self, network: Network) -> None:
        import torch

        torch.set_num_threads(1)
        self._torch = torch
        self.layers = [
            (torch.tensor(weight, requires_grad=True), torch.tensor(bias, requires_grad=True))
            for weight, bias in zip(network.weights, network.biases, strict=True)
        ]

    @property
    def network(self) -> Network:
        """As plain arrays."""
        arrays = ((w.detach().numpy().copy(), b.detach().numpy().copy()) for w, b in self.layers)
        weights, biases = zip(*arrays, strict=True)
        return Network(tuple(weights), tuple(biases))

    def outputs(self, inputs: Any, kinds: Any = 0) -> Any:
        """(n, out) the outputs, as of `Network.answer`."""
        out = inputs @ self.layers[0][0] + self.layers[0][1][kinds]
        for weight, bias in self.layers[1:]:
            out = self._torch.nn.functional.leaky_relu(out, float(LEAK)) @ weight + bias
        return out

    def log_odds(self, inputs: Any, legal: Any) -> Any:
        """(n, moves) the logarithms of a policy's odds; 0 where an action is not legal."""
        logits = self.outputs(inputs).masked_fill(~legal, float("-inf"))
        return self._torch.log_softmax(logits, dim=1).masked_fill(~legal, 0.0)


class Updates:
    """The updates of all layers of a network, at a rate that rises to `rate` and falls by a cosine over all steps."""

    def __init__(self, net: TorchNetwork, rate: float, steps: int) -> None:
        self._updates = [RotatedAdam(tensor) for pair in net.layers for tensor in pair]
        self._rate, self._steps, self.done = rate, steps, 0

    def step(self) -> None:
        """One step of every parameter against its gradient."""
        rate = self._rate * min(1.0, (self.done + 1) / _WARM) * (0.5 + 0.5 * cos(pi * self.done / self._steps))
        for update in self._updates:
            update.step(rate)
        self.done += 1

    def state(self) -> dict[str, Any]:
        """The layers and their moments."""
        return {"done": self.done, "updates": [update.state() for update in self._updates]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state; KeyError, TypeError, ValueError or RuntimeError if it is none of these layers."""
        for update, kept in zip(self._updates, state["updates"], strict=True):
            update.restore(kept)
        self.done = int(state["done"])


class RotatedAdam:
    """The update of one parameter: a matrix, or a vector, for which it is Adam."""

    def __init__(self, parameter: Any) -> None:
        import torch

        self._torch, self._parameter, self._steps = torch, parameter, 0
        self._mean, self._square = torch.zeros_like(parameter), torch.zeros_like(parameter)
        self._sides: list[Any] = []
        self._bases: list[Any] = []

    def step(self, rate: float) -> None:
        """One step against the gradient."""
        gradient = self._parameter.grad
        self._steps += 1
        if gradient.dim() == 2 and max(gradient.shape) <= _WIDEST:
            self._follow(gradient)
        self._mean.lerp_(gradient, 1.0 - _KEEP)
        turned = self._turn(gradient)
        self._square.mul_(_KEEP).addcmul_(turned, turned, value=1.0 - _KEEP)
        unbiased = 1.0 - _KEEP**self._steps
        update = (self._turn(self._mean) / unbiased) / ((self._square / unbiased).sqrt() + _LEAST)
        with self._torch.no_grad():
            back = self._bases[0] @ update @ self._bases[1].T if self._bases else update
            self._parameter.sub_(back, alpha=rate)
        self._parameter.grad = None

    def state(self) -> dict[str, Any]:
        """The parameter, and what its next steps depend on."""
        single = {"parameter": self._parameter, "mean": self._mean, "square": self._square}
        several = {"sides": self._sides, "bases": self._bases}
        return {
            "steps": self._steps,
            **{name: kept_tensor(tensor) for name, tensor in single.items()},
            **{name: [kept_tensor(tensor) for tensor in tensors] for name, tensors in several.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state; errors as of `Updates.restore`."""
        parameter, mean, square = (tensor_of(state[name]) for name in ("parameter", "mean", "square"))
        if parameter.shape != self._parameter.shape:
            raise ValueError("a parameter of another shape")
        with self._torch.no_grad():
            self._parameter.copy_(parameter)
        self._steps, self._mean, self._square = int(state["steps"]), mean, square
        self._sides, self._bases = ([tensor_of(kept) for kept in state[name]] for name in ("sides", "bases"))

    def _follow(self, gradient: Any) -> None:
        """Update the second moments of rows and columns, and now and then their eigenvectors, by one QR step."""
        moments = [gradient @ gradient.T, gradient.T @ gradient]
        if not self._sides:
            self._sides = moments
            self._bases = [self._eigenvectors(moment) for moment in moments]
            return
        for side, moment in zip(self._sides, moments, strict=True):
            side.lerp_(moment, 1.0 - _KEEP)
        if self._steps % _OFTEN == 0:
            pairs = zip(self._sides, self._bases, strict=True)
            self._bases = [self._torch.linalg.qr(side @ basis)[0] for side, basis in pairs]

    def _eigenvectors(self, moment: Any) -> Any:
        """Those of a symmetric matrix, in float64 where LAPACK's float32 does not converge, or gives no numbers: inputs that
        no sample uses have rows of zeros."""
        eigh = self._torch.linalg.eigh
        try:
            vectors = eigh(moment)[1]
            finite = bool(self._torch.isfinite(vectors).all())
        except self._torch.linalg.LinAlgError:
            finite = False
        return vectors if finite else eigh(moment.double())[1].to(moment.dtype)

    def _turn(self, matrix: Any) -> Any:
        return self._bases[0].T @ matrix @ self._bases[1] if self._bases else matrix


def train(trained: Any, steps: int, step: Callable[[], None], record: WorkRecord | None, watch: Watch | None) -> None:
    """Take steps until so many are done, from the state of the record on; Ctrl-C ends the training after any step.

    Args:
        trained: has `done`, the steps so far; `state()`, everything that later steps depend on, as plain data; `restore`.
        steps: their number in all.
        step: takes one.
        record: of this training alone; None keeps nothing.
        watch: called with the steps done and their number.

    Raises:
        InputError: the record holds a state of another training.
    """
    if record is not None and (state := record.results.get("training")) is not None:
        try:
            trained.restore(state)
        except (KeyError, TypeError, ValueError, RuntimeError):
            raise InputError("cannot go on: the record holds a state of another training") from None
    often = max(1, steps // _TIMES)
    try:
        while trained.done < steps:
            step()
            if record is not None and (trained.done % often == 0 or trained.done == steps):
                record.keep("training", trained.state())
            if watch:
                watch(trained.done, steps)
    except KeyboardInterrupt:
        if trained.done == 0:
            raise


def kept_tensor(tensor: Any) -> dict[str, Any]:
    """A tensor as plain data. Columns stay together where they are: sums in another order would round otherwise."""
    numbers = tensor.detach().numpy()
    by_columns = numbers.ndim == 2 and not numbers.flags.c_contiguous
    return {"by columns": by_columns, "numbers": np.array(numbers.T if by_columns else numbers, order="C")}


def tensor_of(kept: Mapping[str, Any]) -> Any:
    """The inverse of `kept_tensor`."""
    import torch

    tensor = torch.from_numpy(np.array(kept["numbers"]))
    return tensor.T if kept["by columns"] else tensor
