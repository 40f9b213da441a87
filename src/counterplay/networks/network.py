"""A feed-forward network as plain arrays, asked in NumPy, and its file (`.cpn`).

The facts of a file say what the network is of (`holds`); each kind has facts and arrays of its own beside the layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import F32, I64, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.files import NETWORK
from counterplay.texts.readers import Reader

LEAK = np.float32(0.01)
"""Slope of the hidden units below 0."""
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


class Network(NamedTuple):
    """Layers of leaky rectified units, the last one linear. weights: per layer (in, out). biases: per layer (out,); of
    the first (kinds, out): a kind of input has its own, which stands for a one-hot input."""

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
        first, second = (tuple(array.astype(np.float16).astype(np.float32) for array in part) for part in self)
        return Network(first, second)

    def answer(self, kinds: I64, inputs: F32) -> F32:
        """(n, out) the outputs. kinds: (n,) kind of each input. inputs: (n, in) numbers."""
        out = inputs @ self.weights[0]
        out += self.biases[0][kinds]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            out = np.maximum(out, LEAK * out, out=out) @ weight
            out += bias
        return out


def write_network(
    path: Path, holds: str, network: Network, facts: Mapping[str, Any], arrays: Mapping[str, AnyArray] | None = None
) -> None:
    """Write a network with the facts and arrays of its kind, arrays of any shape by name.

    Raises:
        InputError: the file cannot be written.
    """
    layers = {f"weight{k}": _halved(weight) for k, weight in enumerate(network.weights)}
    layers |= {f"bias{k}": _halved(bias) for k, bias in enumerate(network.biases)}
    write(path, KIND, {"holds": holds, **facts, "layers": len(network.weights)}, {**layers, **(arrays or {})})


def _halved(numbers: F32) -> AnyArray:
    """The numbers in 16 bits, if these hold them (see `Network.halved`); an archive takes them as whole numbers."""
    with np.errstate(over="ignore"):
        half = numbers.astype(np.float16)
    return half.view(np.int16) if numbers.any() and (half == numbers).all() else numbers


@contextmanager
def opened_network(path: str | Path, holds: str) -> Iterator[tuple[Archive, dict[str, Any]]]:
    """The archive of a network of a kind, and how it was learned.

    Raises:
        InputError: no such file, a damaged one, or a network of another kind; the message names the file.
    """
    with opened(path, KIND) as archive:
        held, about = archive.facts.get("holds"), archive.facts.get("about")
        if held != holds:
            raise InputError(f"{path} holds a network of kind {quoted(str(held)[:20])}, and {holds} is needed")
        yield archive, about if isinstance(about, dict) else {}


def read_layers(archive: Archive, count: Any = None, place: str = "") -> Network:
    """The layers of an open archive; an `InputError` if they do not fit one another, or are not finite. count, place: of
    one of several networks of an archive, how many layers it has, and what its arrays have in their names."""
    count = archive.facts.get("layers") if count is None else count
    if not (type(count) is int and 1 <= count <= _MOST_LAYERS):
        raise InputError(f"{archive.path} is damaged: it has no number of layers")
    weights = [_layer(archive, f"weight{place}{k}", (None, None)) for k in range(count)]
    outs = [weight.shape[1] for weight in weights]
    kinds = () if place else (None,)
    biases = [_layer(archive, f"bias{place}{k}", (*(() if k else kinds), outs[k])) for k in range(count)]
    fits = all(first.shape[1] == second.shape[0] for first, second in pairwise(weights))
    if not fits or not all(np.isfinite(array).all() and array.size for array in (*weights, *biases)):
        raise InputError(f"{archive.path} is damaged: its layers do not fit")
    return Network(tuple(weights), (biases[0].reshape(-1, outs[0]), *biases[1:]))


def _layer(archive: Archive, name: str, shape: tuple[int | None, ...]) -> F32:
    layer = archive.array(name, shape, "fi")
    if layer.dtype.kind == "i":
        if layer.dtype.itemsize != np.dtype(np.float16).itemsize:
            raise InputError(f"{archive.path} is damaged: its layers do not fit")
        layer = layer.view(np.float16)
    return layer.astype(np.float32)


def kind_held(path: str) -> str:
    """The kind of network that a file says it holds."""
    with opened(path, KIND) as archive:
        return str(archive.facts.get("holds"))


@dataclass(frozen=True, kw_only=True)
class NetworkPath(Reader):
    """The path of a file of a network; everything after the colon."""

    what: str = f"a {NETWORK} file"
    example: str = f"leduc{NETWORK}"
    behind: bool = True


def read_once(path: str, load: Callable[[str], Any]) -> Any:
    """The result of `load` on a file, read again only if the file has changed: an agent asks at every decision."""
    try:
        status = Path(path).stat()
    except OSError:  # the reader reports it
        return load(path)
    return _loaded(path, load, (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=8)
def _loaded(path: str, load: Callable[[str], Any], stamp: tuple[int, int]) -> Any:
    del stamp
    return load(path)
