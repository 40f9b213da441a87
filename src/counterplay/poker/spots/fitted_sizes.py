"""As many bet sizes as fit in memory: a ladder of menus, from the richest down, and the first one that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from counterplay.errors import InputError
from counterplay.memory_limit import default_memory
from counterplay.poker.public_tree.size_estimate import SINGLE, SpotSize, size_of
from counterplay.poker.spots.spot import Spot

FIT = "fit"
"""Where sizes of bets may stand: choose them."""
_THIN = "merge: 10%; force: 20%"
LADDER = tuple(
    f"{sizes}; {_THIN}"
    for sizes in (
        "25%, 50%, 75%, 125%, 200%, a; raise: 2.5x, 4x, a",
        "33%, 75%, 150%, a; raise: 2.5x, a",
        "33%, 75%, a; raise: 2.5x, a",
        "50%, 100%, a; raise: 2.5x, a",
        "33%, 75%; raise: 3x; river raise: 3x, a",
        "66%; raise: 3x; river raise: 3x, a",
        "66%; raise: a",
        "a",
    )
)
"""Menus, the richest first."""


def fit_sizes(
    spot: Spot, *, memory: float | None = None, measure: Callable[[Spot], SpotSize] | None = None
) -> tuple[Spot, SpotSize]:
    """The spot with the richest menu of the ladder whose solve fits, and its size.

    Args:
        spot: its own sizes do not matter.
        memory: GiB; half of the machine's by default.
        measure: the size of a solve; by default of one in float32 whose nodes are shown.

    Raises:
        InputError: even the poorest menu does not fit; the message has its size.
    """
    measure = measure or (lambda asked: size_of(asked.betting, asked.cards, alike=True, precision=SINGLE))
    limit = default_memory() if memory is None else memory * 2**30
    *richer, poorest = (replace(spot, bets=sizes) for sizes in LADDER)
    for asked in richer:
        try:
            found = measure(asked)
        except InputError:  # more betting than can be counted
            continue
        if found.memory <= limit:
            return asked, found
    found = measure(poorest)
    found.check(limit)
    return poorest, found
