"""Learned values behind the limit of a look-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from counterplay.arrays import F64
from counterplay.errors import InputError
from counterplay.files import check_readable
from counterplay.networks.network import PUBLIC, RIVER, NetworkPath, kind_held, read_once
from counterplay.networks.public_network import PublicNetwork, load_public_network
from counterplay.networks.river_network import load_river_network
from counterplay.networks.value_network import ValueNetwork, load_value_network
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.subgames.cut_shape import Border
from counterplay.value_functions.leaf_value import Evaluate, LeafValue
from counterplay.value_functions.river_value import RiverValue


@dataclass(frozen=True)
class NetworkValue(LeafValue):
    """A value function that a network learned (`counterplay learn value`, `counterplay learn river`).

    Attributes:
        path: of its file.
    """

    HEAD = "net"
    quick: ClassVar[bool] = True
    on_way: ClassVar[bool] = True
    path: Annotated[str, NetworkPath()]

    def check(self) -> None:
        check_readable(self.path)

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - a file may change
        return False

    def at(self, border: Border | StreetEnd) -> Evaluate:
        """The network's values at a border.

        Raises:
            InputError: a missing or damaged file, or a border that it was not learned for.
        """
        held = read_once(self.path, kind_held)
        if (held == RIVER) != isinstance(border, StreetEnd):
            of = ("spots of hold'em, not of an enumerated game", "an enumerated game, not of a spot of hold'em")
            raise InputError(f"{self.name} is of {of[held != RIVER]}")
        known: Any = read_once(self.path, _READERS.get(held, load_value_network))
        try:
            return RiverValue(known).at(border) if isinstance(border, StreetEnd) else _values_of(known, border)
        except InputError as error:
            raise InputError(f"{self.path} does not fit: {error}") from None

    def on_boards(self, end: StreetEnd) -> Evaluate | None:
        """The values board by board (see `RiverValue.on_boards`); None of a network that knows no boards.

        Raises:
            InputError: as `at`.
        """
        if read_once(self.path, kind_held) != RIVER:
            return None
        return RiverValue(read_once(self.path, load_river_network)).on_boards(end)


_READERS: dict[str, Any] = {RIVER: load_river_network, PUBLIC: load_public_network}


def _values_of(net: ValueNetwork | PublicNetwork, border: Border) -> Evaluate:
    rows: Any = net.rows(border)

    def evaluate(range0: F64, range1: F64) -> tuple[F64, F64]:
        return net.values(rows, range0, range1)

    return evaluate
