"""A feed-forward network as plain arrays, asked in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.arrays import F32, I64

LEAK = np.float32(0.01)
"""Slope of the hidden units below 0."""


class Network(NamedTuple):
    """Layers of leaky rectified units, the last one linear.

    Attributes:
        weights: per layer (in, out).
        biases: per layer (out,); of the first (kinds, out): a kind of input has its own, which stands for a one-hot input.
    """

    weights: tuple[F32, ...]
    biases: tuple[F32, ...]

    @property
    def parameters(self) -> int:
        """The number of weights and biases."""
        return sum(array.size for array in (*self.weights, *self.biases))

    @property
    def halved(self) -> Network:
        """The same with weights and biases rounded to 16 bits (as float32), which halves its file. The largest that these
        hold, 65,504, is far above any weight."""
        first, second = (tuple(one.astype(np.float16).astype(np.float32) for one in part) for part in self)
        return Network(first, second)

    def answer(self, kinds: I64, inputs: F32) -> F32:
        """(n, out) the outputs.

        Args:
            kinds: (n,) kind of each input.
            inputs: (n, in) numbers.
        """
        out = inputs @ self.weights[0]
        out += self.biases[0][kinds]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            out = np.maximum(out, LEAK * out, out=out) @ weight
            out += bias
        return out
