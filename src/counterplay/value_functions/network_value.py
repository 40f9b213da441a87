"""Learned values behind the limit of a look-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from counterplay.errors import InputError, quoted
from counterplay.networks.network_file import ENDING
from counterplay.networks.value_network import ValueNetwork, load_value_network
from counterplay.subgames.cut_shape import Border
from counterplay.texts.readers import Reader
from counterplay.value_functions.leaf_value import Evaluate, Floats, LeafValue


@dataclass(frozen=True, kw_only=True)
class NetworkPath(Reader):
    """The path of a file of a network; everything after the colon."""

    what: str = f"a {ENDING} file"
    example: str = f"leduc{ENDING}"
    behind: bool = True


@dataclass(frozen=True)
class NetworkValue(LeafValue):
    """A value function that a network learned (`counterplay learn value`).

    Attributes:
        path: of its file.
    """

    HEAD = "net"
    path: Annotated[str, NetworkPath()]

    def check(self) -> None:
        if not Path(self.path).is_file():
            raise InputError(f"cannot read {quoted(self.path)}: there is no such file")

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False

    def at(self, border: Border) -> Evaluate:
        """The network's values at a border.

        Raises:
            InputError: a missing or damaged file, or a border that it was not learned for.
        """
        if not isinstance(border, Border):
            raise InputError(f"{self.name} is of an enumerated game, not of a spot of hold'em")
        net = _loaded(self.path, _stamp(self.path))
        try:
            rows = net.rows(border)
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None

        def evaluate(range0: Floats, range1: Floats) -> tuple[Floats, Floats]:
            return net.values(rows, range0, range1)

        return evaluate


@lru_cache(maxsize=8)
def _loaded(path: str, stamp: tuple[int, int]) -> ValueNetwork:
    """A network, read again only if its file has changed: an agent prepares a border at every decision."""
    del stamp
    return load_value_network(path)


def _stamp(path: str) -> tuple[int, int]:
    """Time and size of a file; zeros if there is none, which reading it says."""
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
