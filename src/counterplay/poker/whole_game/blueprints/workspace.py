"""Ranges that an iteration over boards carries along, its work space, and its threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import AnyArray
from counterplay.card_abstraction.card_abstraction import CardAbstraction
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.poker.whole_game.blueprints.street_regrets import memory_of
from counterplay.poker.whole_game.holdem import HoldemGame


class Ranges(NamedTuple):
    """Reach of the entries of a street, (entries, places of the board before): of the player who moves, of the other, and
    of the model of the other if there is one."""

    own: AnyArray
    other: AnyArray
    model: AnyArray | None


class Workspace(NamedTuple):
    """Work space of one thread: by street, room for a board, for another plan and for the own one."""

    number: int
    rooms: list[Any]
    spare: list[AnyArray]
    own: list[AnyArray]
    totals: list[tuple[AnyArray, AnyArray] | None]


def workspace(game: HoldemGame, number: int) -> Workspace:
    """The work space of a thread."""
    rooms = [None, *(game.room(street) for street in range(1, game.last + 1))]
    spare = [np.zeros_like(room[0]) if room else np.zeros(0) for room in rooms]
    own = [np.zeros_like(room[0]) if room else np.zeros(0) for room in rooms]
    return Workspace(number, rooms, spare, own, [None] * (game.last + 1))


def run_parts(part: Callable[[int], AnyArray], threads: int) -> list[AnyArray]:
    """The results (entries, classes) of `part(k)` for each thread k, computed at once."""
    if threads == 1:
        return [part(0)]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(part, range(threads)))


def total_of(parts: list[AnyArray]) -> AnyArray:
    """(rows, columns) the sum of such arrays, in the first of them."""
    for other in parts[1:]:
        parts[0][:] += other
    return parts[0]


def check_room(
    game: HoldemGame, buckets: CardAbstraction, limit: float | None = None, advice: str = "ask for fewer buckets"
) -> None:
    """Refuse what does not fit.

    Args:
        game: a whole game of hold'em.
        buckets: the card abstraction of the solve.
        limit: bytes that may be taken; by default half of the machine's.
        advice: what to ask for instead.

    Raises:
        InputError: with the estimate.
    """
    needed = memory_of(game, buckets)
    check_memory(f"solving with {buckets} takes {needed / 2**30:.3g} GiB", needed, limit, advice)
