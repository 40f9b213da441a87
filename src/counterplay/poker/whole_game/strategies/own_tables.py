"""Tables of boards that were solved for a strategy alone, which no other board of it tells anything of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.strategy import BlueprintStrategy


@runtime_checkable
class OwnTables(Protocol):
    """A strategy that has such boards, or is made of others that may have."""

    def own_tables(self, player: int) -> Iterator[AnyArray]:
        """(sequences, lanes) of each of a player's boards, in an order that the boards alone decide."""


def own_tables(play: BlueprintStrategy, player: int) -> Iterator[AnyArray]:
    """(sequences, lanes) of each of a player's boards; none where all boards share tables, or a rule makes them."""
    return play.own_tables(player) if isinstance(play, OwnTables) else iter(())
