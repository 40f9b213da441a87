"""A few letters that tell strategies of whole games from each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy


@runtime_checkable
class OwnTables(Protocol):
    """A strategy that has such boards, or is made of others that may have."""

    def own_tables(self, player: int) -> Iterator[AnyArray]:
        """(sequences, lanes) of each of a player's boards, in an order that the boards alone decide."""


def own_tables(play: BlueprintStrategy, player: int) -> Iterator[AnyArray]:
    """(sequences, lanes) of each of a player's boards; none where all boards share tables, or a rule makes them."""
    return play.own_tables(player) if isinstance(play, OwnTables) else iter(())


def digest_of(game: HoldemGame, player: int, play: BlueprintStrategy) -> str:
    """Letters that tell a player's strategy from others: before the flop, on one board of every street, and on every
    board that was solved for it alone."""
    board, tables = game.boards.root, [play.preflop[player]]
    for _ in range(game.last):
        board = game.boards.child(board, 0)
        tables += [np.asarray(part) for part in play.on(player, board)]
    tables += own_tables(play, player)
    return hashlib.sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in tables)).hexdigest()[:16]
