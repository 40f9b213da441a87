"""Limits of what others may ask of this program: seconds, a number of things, bytes.

A budget is held around the work (`Budget.held`), and loops that grow with the input report what they did (`spend`). Without
a budget, as in Python and on the command line, nothing is limited. An agent holds one from the question to its answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf

from counterplay.errors import InputError


class BudgetError(InputError):
    """A request that takes more than its budget."""


class BusyError(InputError):
    """A request that cannot be taken now; later it can."""


class Deadline:
    """A moment on the clock. seconds: from now on; None for never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, not below 0."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True)
class Budget:
    """Limits of one request: seconds by the clock, things that are listed one by one, such as nodes of a betting tree, and
    bytes that are sent.
    """

    seconds: float = 1e6
    count: int = 10**18
    bytes: int = 10**18

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context in which `spend` keeps to the budget; one that is held already bounds its seconds, too."""
        before = _HELD.set(_Account(self, Deadline(min(self.seconds, time_left()))))
        try:
            yield
        finally:
            _HELD.reset(before)


@dataclass
class _Account:
    budget: Budget
    deadline: Deadline
    spent: int = 0


_HELD: ContextVar[_Account | None] = ContextVar("held", default=None)

QUESTION = Budget(seconds=5.0, count=400_000, bytes=1_000_000)
"""Of a request of the page or of an assistant that is answered at once: the size of a spot, the check of a range."""
UPLOAD = Budget(seconds=120.0, bytes=28_000_000)
"""Of files that are sent, and of reading them again."""
IN_FLIGHT = Budget(bytes=4 * UPLOAD.bytes)
"""Of all requests together whose content is arriving or being answered."""
WAITING = Budget(count=8)
"""Of requests that wait for the process that answers them."""
JOBS = Budget(count=20)
"""Of jobs that wait for the one before them."""


@contextmanager
def limited_seconds(seconds: float) -> Iterator[None]:
    """A context in which solves end after so many seconds, by the clock on the wall, whatever else takes of them."""
    with Budget(seconds=min(seconds, Budget.seconds)).held():
        yield


def time_left() -> float:
    """Seconds left of the budget that is held; infinite without one."""
    account = _HELD.get()
    return inf if account is None else account.deadline.left


def spend(what: str, number: int = 0) -> None:
    """Report so many things of a kind in the budget that is held, 0 to look at the clock alone; without effect where none is
    held. A `BudgetError` if it is spent.
    """
    account = _HELD.get()
    if account is None:
        return
    account.spent += number
    if account.spent > account.budget.count:
        raise BudgetError(f"more than {account.budget.count:,} {what} are not counted for a request: ask for less")
    if not account.deadline.left:
        raise BudgetError(f"{what} take more than the {account.budget.seconds:g} seconds of a request: ask for less")
