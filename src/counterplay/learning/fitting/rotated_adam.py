"""Adam in the eigenbasis of a matrix's gradients (SOAP: Vyas et al. 2024), which needs fewer steps than Adam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterplay.learning.fitting.kept_training import kept_tensor, tensor_of

_KEEP = 0.95
"""Share of the running means that a step keeps."""
_OFTEN = 10
"""Steps between two turns of the basis."""
_LEAST = 1e-8
_WIDEST = 512
"""Rows and columns of a matrix; for larger ones it is Adam."""


class RotatedAdam:
    """The update of one parameter of a torch network.

    Args:
        torch: the module.
        parameter: a matrix; for a vector it is Adam.
    """

    def __init__(self, torch: Any, parameter: Any) -> None:
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
            self._parameter.sub_(self._turn_back(update), alpha=rate)
        self._parameter.grad = None

    def state(self) -> dict[str, Any]:
        """The parameter, and what its next steps depend on."""
        one = {"parameter": self._parameter, "mean": self._mean, "square": self._square}
        many = {"sides": self._sides, "bases": self._bases}
        found: dict[str, Any] = {"steps": self._steps, **{name: kept_tensor(tensor) for name, tensor in one.items()}}
        return found | {name: [kept_tensor(tensor) for tensor in tensors] for name, tensors in many.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take up a state.

        Raises:
            KeyError, TypeError, ValueError, RuntimeError: it is none of this parameter.
        """
        found, mean, square = (tensor_of(self._torch, state[name]) for name in ("parameter", "mean", "square"))
        if found.shape != self._parameter.shape:
            raise ValueError("a parameter of another shape")
        with self._torch.no_grad():
            self._parameter.copy_(found)
        self._steps, self._mean, self._square = int(state["steps"]), mean, square
        self._sides, self._bases = (
            [tensor_of(self._torch, kept) for kept in state[name]] for name in ("sides", "bases")
        )

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
            found = eigh(moment)[1]
            fine = bool(self._torch.isfinite(found).all())
        except self._torch.linalg.LinAlgError:
            fine = False
        return found if fine else eigh(moment.double())[1].to(moment.dtype)

    def _turn(self, matrix: Any) -> Any:
        return self._bases[0].T @ matrix @ self._bases[1] if self._bases else matrix

    def _turn_back(self, matrix: Any) -> Any:
        return self._bases[0] @ matrix @ self._bases[1].T if self._bases else matrix
