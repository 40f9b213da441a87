"""A record of work: independent pieces under keys, each of which gives plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

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


class WorkRecipe:
    """Base of frozen dataclasses that go to other processes: their fields go, what they have cached does not."""

    def __reduce__(self) -> tuple[Any, ...]:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return _rebuilt, (type(self), plain)


def _rebuilt(kind: type[Any], plain: dict[str, Any]) -> Any:
    return kind(**plain)
