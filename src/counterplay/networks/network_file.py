"""Files of networks (`.cpn`): weights as plain arrays, what they were learned from, and how well.

The facts say what the network is of (`holds`): values at the borders of a game. Further kinds have other facts and arrays
beside the same layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import F32, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.networks.network import Network

VALUE, PUBLIC, POLICY, RIVER, HANDS = "value", "public value", "policy", "river", "hands"
NUMBERING = ("histories", "kinds", "infosets0", "infosets1", "places0", "places1", "homes0", "homes1")
"""Arrays of whole numbers that say which public states and infosets the values are of."""
_MOST_LAYERS = 8
_LAYERS = frozenset(f"{name}{k}" for name in ("weight", "bias") for k in range(_MOST_LAYERS))
HANDS_LAYERS = 3
"""Layers of each network of a whole game of hold'em; an array is named by seat, street and layer."""
_STREETS = frozenset(
    f"{name}{seat}{street}{k}"
    for name in ("weight", "bias")
    for seat in (0, 1)
    for street in range(4)
    for k in range(HANDS_LAYERS)
)
KIND = ArchiveKind("a file of a network", 1, _LAYERS | _STREETS | frozenset((*NUMBERING, "swaps", "scale", "seen")))


def write_network(path: Path, network: Network, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write a network with the facts and arrays of its kind.

    Args:
        path: the file.
        network: the layers.
        facts: what it holds, of which game, how it was learned.
        arrays: by name, of any shape.

    Raises:
        InputError: the file cannot be written.
    """
    layers = {f"weight{k}": _short(weight) for k, weight in enumerate(network.weights)}
    layers |= {f"bias{k}": _short(bias) for k, bias in enumerate(network.biases)}
    write(path, KIND, {**facts, "layers": len(network.weights)}, {**layers, **arrays})


def _short(numbers: F32) -> AnyArray:
    """The same in 16 bits, if these hold it (see `Network.halved`); an archive takes them as whole numbers."""
    with np.errstate(over="ignore"):
        half = numbers.astype(np.float16)
    return half.view(np.int16) if numbers.any() and (half == numbers).all() else numbers


def read_layers(archive: Archive) -> Network:
    """The network of an open archive.

    Raises:
        InputError: layers that do not fit one another, or numbers that are not finite.
    """
    count = archive.facts.get("layers")
    if not (type(count) is int and 1 <= count <= _MOST_LAYERS):
        raise InputError(f"{archive.path} is damaged: it has no number of layers")
    weights = [_layer(archive, f"weight{k}", (None, None)) for k in range(count)]
    biases = [_layer(archive, "bias0", (None, weights[0].shape[1]))]
    biases += [_layer(archive, f"bias{k}", (weights[k].shape[1],)) for k in range(1, count)]
    fits = all(one.shape[1] == two.shape[0] for one, two in pairwise(weights))
    if not fits or not all(np.isfinite(array).all() and array.size for array in (*weights, *biases)):
        raise InputError(f"{archive.path} is damaged: its layers do not fit")
    return Network(tuple(weights), tuple(biases))


def _layer(archive: Archive, name: str, shape: tuple[int | None, ...]) -> F32:
    found = archive.array(name, shape, "fi")
    if found.dtype.kind == "i":
        if found.dtype.itemsize != np.dtype(np.float16).itemsize:
            raise InputError(f"{archive.path} is damaged: its layers do not fit")
        found = found.view(np.float16)
    return found.astype(np.float32)


def check_holds(archive: Archive, wanted: str) -> None:
    """Reject a network of another kind.

    Raises:
        InputError: the message names the file and both kinds.
    """
    found = archive.facts.get("holds")
    if found != wanted:
        raise InputError(f"{archive.path} holds a network of kind {quoted(str(found)[:20])}, and {wanted} is needed")


def kind_held(path: str) -> str:
    """What a file of a network says that it holds.

    Raises:
        InputError: no such file, or a damaged one.
    """
    with opened(path, KIND) as archive:
        return str(archive.facts.get("holds"))
