"""A network inside kernels: its layers as one array, asked one input at a time, and as a policy of a game's rules."""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from counterplay.arrays import F32, I64
from counterplay.errors import InputError
from counterplay.games import kernel_rules as hooks
from counterplay.games.kernel_rules import State, rule
from counterplay.jit import kernel
from counterplay.networks.network import LEAK, Network
from counterplay.treeplex import simd

LANES = simd.LANES
_LEAK = float(LEAK)
_MOST = 1024
"""Units of a layer at most."""
_player, _observe = hooks.player, hooks.observe


class Layers(NamedTuple):
    """A network of one kind of input. sizes: (layers + 1,) numbers of units, of inputs first; all but the first are
    padded to multiples of 8. numbers: per layer its biases, then its weights, row by row."""

    sizes: I64
    numbers: F32


def layers_of(network: Network) -> Layers:
    """The layers of a network; padding has weight 0. An `InputError` if a layer is too wide."""
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
    if max(sizes) > _MOST:
        raise InputError(f"a network inside a game has at most {_MOST} units a layer, not {max(sizes)}")
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


@intrinsic  # type: ignore[untyped-decorator]
def stack_singles(_: Any, count: Any) -> Any:  # noqa: ARG001 - read when it runs
    """An array of `count` float32 on the stack, at most `_MOST`, that lives until the kernel returns; not initialised."""
    kind = types.Array(types.float32, 1, "C")

    def emit(context: Any, builder: Any, _: Any, args: Any) -> Any:
        room = cgutils.alloca_once(builder, ir.ArrayType(ir.FloatType(), _MOST))
        array = arrayobj.make_array(kind)(context, builder)
        size = ir.Constant(context.get_value_type(types.intp), 4)
        data = builder.bitcast(room, array.data.type)
        arrayobj.populate_array(array, data, [args[0]], [size], size, None)
        return array._getvalue()

    return kind(types.int64), emit


class LearnedPolicy(NamedTuple):
    """Actions with the softmax of a network's outputs, which are numbered by the actions' codes (see `games.policy`)."""

    layers: Layers


@rule
def weigh(policy: Any, rules: Any, state: State, legal: Any, n: int, odds: Any) -> None:
    known = stack_singles(policy.layers.sizes[0])
    for k in range(len(known)):
        known[k] = 0.0
    _observe(rules, state, _player(rules, state), known)
    source, target = simd.pointer(known), simd.pointer(stack_singles(_MOST))
    if propagate(policy.layers, source, target):
        source = target
    most = simd.get(source, legal[0])
    for k in range(1, n):
        most = max(most, simd.get(source, legal[k]))
    for k in range(n):
        odds[k] = exp(simd.get(source, legal[k]) - most)
