"""Executors of pieces of work: one by one in this process, or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from counterplay.work.work import Work

Begin = Callable[[str], None]
"""Called with the key of a piece when its computation begins."""


Results = Generator[tuple[str, Any], None, None]
"""Keys and results as they are finished; closing it ends the computation."""


class Executor(Protocol):
    """Computes pieces. Results do not depend on the executor."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        """Compute these pieces of some work.

        Raises:
            InputError: of a piece.
        """

    def held(self) -> AbstractContextManager[None]:
        """A context in which the workers stay from one call of `compute` to the next: for work after work."""

    def size(self) -> int:
        """The number of workers.

        Raises:
            InputError: they are elsewhere, and cannot be asked.
        """


class InProcess:
    """Computes the pieces one by one in this process."""

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        for key in keys:
            begin(key)
            yield key, work.compute(key)

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()

    def size(self) -> int:
        return 1
