"""Learned values behind the limit of a look-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from counterplay.errors import InputError
from counterplay.networks.network_path import NetworkPath, check_there, read_once
from counterplay.networks.value_network import ValueNetwork, load_value_network
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.leaf_value import Evaluate, Floats, LeafValue


@dataclass(frozen=True)
class NetworkValue(LeafValue):
    """A value function that a network learned (`counterplay learn value`).

    Attributes:
        path: of its file.
    """

    HEAD = "net"
    path: Annotated[str, NetworkPath()]

    def check(self) -> None:
        check_there(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False

    def at(self, border: Border) -> Evaluate:
        """The network's values at a border.

        Raises:
            InputError: a missing or damaged file, or a border that it was not learned for.
        """
        if not isinstance(border, Border):
            raise InputError(f"{self.name} is of an enumerated game, not of a spot of hold'em")
        net: ValueNetwork = read_once(self.path, load_value_network)
        try:
            rows = net.rows(border)
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None

        def evaluate(range0: Floats, range1: Floats) -> tuple[Floats, Floats]:
            return net.values(rows, range0, range1)

        return evaluate
