"""Kinds of records: opponents, value functions, methods. Each has one registry from names to classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from counterplay.errors import InputError, UnknownError, check_nesting, unknown
from counterplay.texts.readers import Reader

T = TypeVar("T")


class RecordKind(Generic[T]):
    """All records of one kind, found by the names with which their texts begin.

    Records nest others of their kind, so the kind is made below them, and its registry is bound to it by the `__init__` of
    their package, where it is written down.

    Args:
        what: what such a record is, for messages: "opponent".
        listed: how the names are listed where none is near; by default the names.
        other: makes a record of a text with another name, such as a file's; None where it is none.
    """

    def __init__(
        self, what: str, *, listed: Iterable[str] | None = None, other: Callable[[str], T | None] | None = None
    ) -> None:
        self.what, self.listed, self.other = what, listed, other
        self.registry: Mapping[str, type[T]] = {}

    def bind(self, registry: Mapping[str, type[T]]) -> None:
        """Set the registry."""
        self.registry = registry

    def parse(self, text: str) -> T:
        """The record of a text.

        Raises:
            InputError: there is none of that name, with the nearest that there is; or its words do not fit.
        """
        if not isinstance(text, str):
            raise InputError(f"a {self.what} is a text, not {type(text).__name__}")
        check_nesting(text)
        known: Any = self.registry.get(text.partition(":")[0])
        if known is not None:
            made: T = known.from_text(text)
            return made
        found = self.other(text) if self.other else None
        if found is None:
            raise self.unknown(text)
        return found

    def unknown(self, text: str) -> UnknownError:
        """The sentence about a text of which there is no record."""
        return unknown(self.what, text, self.registry, listed=self.listed)

    def nested(self, what: str = "", *, key: str = "", example: str = "uniform") -> Nested:
        """A field that is another record of this kind."""
        return Nested(what=what or f"the {self.what}", key=key, example=example, kind=self)


@dataclass(frozen=True, kw_only=True)
class Nested(Reader):
    """Another record by its text.

    Attributes:
        kind: of that record.
    """

    kind: RecordKind[Any]

    def read(self, word: str, where: str) -> Any:
        del where  # its own sentences name it
        return self.kind.parse(word)
