"""A record of work: independent pieces under keys, each of which gives plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

Result = Any
"""What a piece gives: numbers, texts, None, NumPy arrays, and lists and dicts of them (see `encoding`)."""


class Work(Protocol):
    """Pieces that do not depend on each other, so that they may be computed in any order and in any process.

    Equal `identity` and key mean an equal result.
    """

    def identity(self) -> Mapping[str, Any]:
        """Everything that results depend on but the key: plain JSON values. A record of another identity is not used."""

    def keys(self) -> Sequence[str]:
        """The pieces, in the order in which one process computes them; no key twice."""

    def compute(self, key: str) -> Result:
        """The result of one piece.

        Raises:
            InputError: it cannot be computed; that ends the work.
        """


@runtime_checkable
class SizedWork(Work, Protocol):
    """Work whose pieces take more and less time; all of them are wanted, so that the order does not matter."""

    def piece_size(self, key: str) -> float:
        """How long a piece takes, in any unit; a rough number will do."""


@runtime_checkable
class RoomyWork(Work, Protocol):
    """Work that knows how much memory it takes."""

    def worker_memory(self) -> float:
        """About the most bytes that a worker takes for itself, beside what it has from the process that gives the work."""


def largest_first(work: Work, keys: Sequence[str]) -> list[str]:
    """The keys in the order in which several workers get them: large pieces first where the work knows their sizes, so
    that small ones fill the gaps at the end; else as they are."""
    return sorted(keys, key=work.piece_size, reverse=True) if isinstance(work, SizedWork) else list(keys)


class WorkRecipe:
    """Base of frozen dataclasses that go to other processes: their fields go, what they have cached does not."""

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return _rebuilt, (type(self), plain)


def _rebuilt(kind: type[Any], plain: dict[str, Any]) -> Any:
    return kind(**plain)


@dataclass(frozen=True)
class SomePieces(WorkRecipe):
    """Some of the pieces of work, whose record they share.

    Attributes:
        whole: the work.
        chosen: the keys.
    """

    whole: Work
    chosen: tuple[str, ...]

    def identity(self) -> Mapping[str, Any]:
        return self.whole.identity()

    def keys(self) -> Sequence[str]:
        return self.chosen

    def compute(self, key: str) -> Result:
        return self.whole.compute(key)
