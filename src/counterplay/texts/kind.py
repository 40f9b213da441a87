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
        what: noun for such a record in messages: "opponent".
        base: their base class.
        listed: the listed names if none is similar; by default all.
        accepts: the accepted forms, for messages.
        also: further valid names that are not of records.
    """

    def __init__(
        self,
        what: str,
        base: type[T],
        *,
        listed: Iterable[str] | None = None,
        accepts: str = "a text",
        also: tuple[str, ...] = (),
    ) -> None:
        self.what, self.base, self.listed, self.accepts, self._also = what, base, listed, accepts, also
        self.registry: Mapping[str, type[T]] = {}
        self._other: Callable[[Any], T | None] | None = None

    def bind(self, registry: Mapping[str, type[T]], other: Callable[[Any], T | None] | None = None) -> None:
        """Set the registry.

        Args:
            registry: classes by name.
            other: makes a record from a text with another name, such as a file's, or from any other object; returns
                None if it cannot.
        """
        self.registry, self._other = registry, other

    @property
    def names(self) -> tuple[str, ...]:
        """All valid first words, which cannot be names of modules."""
        return (*self._also, *self.registry)

    def record(self, source: Any) -> T:
        """The record of a text or another accepted form; a record is returned unchanged.

        Raises:
            InputError: not an accepted form.
        """
        if isinstance(source, self.base):
            return source
        if isinstance(source, str):
            return self.parse(source)
        found = self._other(source) if self._other else None
        if found is None:
            article = "an" if self.what[0] in "aeiou" else "a"
            raise InputError(f"{article} {self.what} must be {self.accepts}, not {type(source).__name__}")
        return found

    def parse(self, text: str) -> T:
        """The record of a text.

        Raises:
            InputError: unknown name, with the most similar known one; or invalid words.
        """
        check_nesting(text)
        known: Any = self.registry.get(text.partition(":")[0])
        if known is not None:
            made: T = known.from_text(text)
            return made
        found = self._other(text) if self._other else None
        if found is None:
            raise self.unknown(text)
        return found

    def unknown(self, text: str) -> UnknownError:
        """The error for an unknown text."""
        return unknown(self.what, text, self.names, listed=self.listed)

    def nested(self, what: str = "", *, key: str = "", example: str = "uniform", keyed: bool = False) -> Nested:
        """A field that is another record of this kind."""
        return Nested(what=what or f"the {self.what}", key=key, example=example, keyed=keyed, kind=self)


@dataclass(frozen=True, kw_only=True)
class Nested(Reader):
    """Another record by its text.

    Attributes:
        kind: kind of that record.
    """

    kind: RecordKind[Any]
    behind: bool = True

    def read(self, word: str, where: str) -> Any:
        del where  # its own sentences name it
        return self.kind.parse(word)

    def checked(self, value: Any, where: str) -> Any:
        del where
        return self.kind.record(value)
