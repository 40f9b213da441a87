"""The layers of a network as one array, asked inside kernels one input at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, I64
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.networks.network import LEAK, Network
from counterplay.networks.stack_memory import MOST
from counterplay.treeplex import simd

LANES = simd.LANES
_LEAK = float(LEAK)


class Layers(NamedTuple):
    """A network of one kind of input.

    Attributes:
        sizes: (layers + 1,) numbers of units, of inputs first; all but the first are padded to multiples of 8.
        numbers: per layer its biases, then its weights, row by row.
    """

    sizes: I64
    numbers: F32


def layers_of(network: Network) -> Layers:
    """The layers of a network; padding has weight 0.

    Raises:
        InputError: too wide a network.
    """
    sizes = [network.weights[0].shape[0]]
    parts = list[F32]()
    for weight, bias in zip(network.weights, network.biases, strict=True):
        before, after = weight.shape
        wide = -(-after // LANES) * LANES
        padded = np.zeros((1 + (before if len(sizes) == 1 else sizes[-1]), wide), np.float32)
        padded[0, :after] = bias.reshape(-1)
        padded[1 : 1 + before, :after] = weight
        parts.append(padded.reshape(-1))
        sizes.append(wide)
    if max(sizes) > MOST:
        raise InputError(f"a network inside a game has at most {MOST} units a layer, not {max(sizes)}")
    return Layers(np.array(sizes), np.concatenate(parts))


@kernel(inner=True)
def propagate(layers: Any, source: Any, target: Any) -> bool:
    """Write the outputs of the inputs at `source`; returns whether they are at `target` (else they are at `source`).

    Both point to float32 and are overwritten. Units that are 0, as most inputs are, cost nothing.
    """
    numbers = simd.pointer(layers.numbers)
    at, swapped, last = 0, False, len(layers.sizes) - 2
    for layer in range(last + 1):
        before, after = layers.sizes[layer], layers.sizes[layer + 1]
        if swapped:
            _layer(numbers, at, before, after, target, source, layer < last)
        else:
            _layer(numbers, at, before, after, source, target, layer < last)
        swapped = not swapped
        at += (1 + before) * after
    return swapped


@kernel(inline=True)
def _layer(numbers: Any, at: int, before: int, after: int, source: Any, target: Any, hidden: bool) -> None:
    """One layer, 32 units at a time, whose sums stay in registers."""
    unit = 0
    while unit + 4 * LANES <= after:
        place = at + unit
        a, b = simd.load(numbers, place), simd.load(numbers, place + LANES)
        c, d = simd.load(numbers, place + 2 * LANES), simd.load(numbers, place + 3 * LANES)
        for k in range(before):
            value = simd.get(source, k)
            place += after
            if value != 0.0:
                x = simd.same_as(source, float(value))
                a += x * simd.load(numbers, place)
                b += x * simd.load(numbers, place + LANES)
                c += x * simd.load(numbers, place + 2 * LANES)
                d += x * simd.load(numbers, place + 3 * LANES)
        _put(target, unit, a, hidden)
        _put(target, unit + LANES, b, hidden)
        _put(target, unit + 2 * LANES, c, hidden)
        _put(target, unit + 3 * LANES, d, hidden)
        unit += 4 * LANES
    while unit < after:
        place = at + unit
        a = simd.load(numbers, place)
        for k in range(before):
            place += after
            a += simd.same_as(source, float(simd.get(source, k))) * simd.load(numbers, place)
        _put(target, unit, a, hidden)
        unit += LANES


@kernel(inline=True)
def _put(target: Any, unit: int, value: Any, hidden: bool) -> None:
    """Store eight units, of a hidden layer after the leak below 0."""
    if hidden:
        low = value * simd.same_as(target, _LEAK)
        value = simd.where_above(value, low, value, low)
    simd.store(target, unit, value)
