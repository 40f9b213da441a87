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
        base: the class of them all.
        listed: how the names are listed where none is near; by default the names.
        accepts: what may stand for such a record, for messages.
        also: names with which no record's text begins, but which have a meaning where such a text is asked for.
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
            other: makes a record of a text with another name, such as a file's, or of any other object; None where it is
                none.
        """
        self.registry, self._other = registry, other

    @property
    def names(self) -> tuple[str, ...]:
        """All first words that have a meaning: none of them is a module's name."""
        return (*self._also, *self.registry)

    def record(self, source: Any) -> T:
        """The record of a text or of whatever else stands for one; a record as it is.

        Raises:
            InputError: there is none.
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
            InputError: there is none of that name, with the nearest that there is; or its words do not fit.
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
        """The sentence about a text of which there is no record."""
        return unknown(self.what, text, self.names, listed=self.listed)

    def nested(self, what: str = "", *, key: str = "", example: str = "uniform", keyed: bool = False) -> Nested:
        """A field that is another record of this kind."""
        return Nested(what=what or f"the {self.what}", key=key, example=example, keyed=keyed, kind=self)


@dataclass(frozen=True, kw_only=True)
class Nested(Reader):
    """Another record by its text.

    Attributes:
        kind: of that record.
    """

    kind: RecordKind[Any]
    behind: bool = True

    def read(self, word: str, where: str) -> Any:
        del where  # its own sentences name it
        return self.kind.parse(word)

    def checked(self, value: Any, where: str) -> Any:
        del where
        return self.kind.record(value)
