"""Boards that are dealt several in a row, while the players move on those before if a thread is free for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Deal = TypeVar("Deal")
_AHEAD = 8
"""Boards that are dealt in a row: what the first one has brought into the cache serves the others."""


def deal_ahead(pool: ThreadPoolExecutor | None, deal: Callable[[int], Deal], boards: Sequence[int]) -> Iterator[Deal]:
    """The deals of boards, in their order.

    Args:
        pool: one of its threads deals the next few boards; None to deal them in this thread, which takes less processor
            time where no core is free.
        deal: called with the number of a board.
        boards: numbers of the boards.
    """

    def deal_all(numbers: Sequence[int]) -> list[Deal]:
        return [deal(number) for number in numbers]

    if pool is None:
        for begin in range(0, len(boards), _AHEAD):
            yield from deal_all(boards[begin : begin + _AHEAD])
        return
    some = pool.submit(deal_all, boards[:1])  # nobody waits for more than the first
    for end in range(1, len(boards) + 1, _AHEAD):
        found, some = some.result(), pool.submit(deal_all, boards[end : end + _AHEAD])
        yield from found
    yield from some.result()
