"""Frozen records with a text, and kinds of records: fields declare readers, from which parsing and writing follow.

    @dataclass(frozen=True)
    class Shuffle(Record):
        HEAD = "shuffle"
        share: Annotated[float, Share(what="the share")]
        to: Annotated[Model, MODELS.nested("the opponent that it changes")]
        seed: Annotated[int | None, Whole(what="the seed")] = None

reads `shuffle:0.3,7:nash` as `Shuffle(0.3, Nash(), 7)`. Positional fields are read as bare words in their
order, or as `key=value`, which keyword-only fields always are; a nested record follows the next colon, or `to=` if it is
keyword-only; of several the last one does, and the others are `key=value`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, get_type_hints

from counterplay.errors import InputError, UnknownError, check_nesting, quoted, unknown
from counterplay.texts.arguments import Checked, shown
from counterplay.texts.grammar import LAST, bracketed, cut, split_words
from counterplay.texts.readers import Flat, Head, Reader

T = TypeVar("T")
_SLOTS: dict[type[Any], tuple[Slot, ...]] = {}


class Slot(NamedTuple):
    """A field of a record that is part of its text."""

    field: Field[Any]
    reader: Reader

    @property
    def key(self) -> str:
        """The key of the option."""
        return self.reader.key or self.field.name

    @property
    def default(self) -> Any:
        """The default value; `MISSING` if it is required."""
        made = self.field.default_factory
        return self.field.default if made is MISSING else made()

    @property
    def keyed(self) -> bool:
        """Return whether it is written as `key=value`, not as a bare word."""
        return self.field.kw_only is True or self.reader.keyed

    @property
    def nested(self) -> bool:
        """Return whether it is the part after the last colon."""
        return self.reader.behind and not self.keyed

    def where(self, head: str) -> str:
        """Its name in messages of a record."""
        return f"{head}: {self.reader.what or self.key}" if head else self.reader.what or self.key


class Record(metaclass=Checked):
    """A frozen dataclass with a text; `from_text` and `str` are inverse.

    Attributes:
        HEAD: the name with which its text begins.
    """

    HEAD: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for slot in slots(type(self)):
            value = getattr(self, slot.field.name)
            if not (value is None and slot.default is None):
                object.__setattr__(self, slot.field.name, slot.reader.checked(value, slot.where(self.HEAD)))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The record of a text; an `InputError` names a surplus, missing or invalid word."""
        head, _, rest = text.partition(":")
        if cls.HEAD and head != cls.HEAD:
            raise InputError(f"{quoted(text)} is not {cls.HEAD}")
        if ":" in text and not slots(cls):
            raise _surplus(text, head, rest, [], [])
        inner = [slot for slot in slots(cls) if slot.nested]
        flat = [slot for slot in slots(cls) if not slot.nested and not isinstance(slot.reader, Head)]
        words, colon, behind = cut(rest, ":") if inner and flat else ("", ":", rest) if inner else (rest, "", "")
        if inner and not (colon and behind):
            usual = [slot.reader.example for slot in flat if slot.default is MISSING]
            shown = ":".join([head, *([words or ",".join(usual)] if flat else []), inner[0].reader.example])
            raise InputError(f"{quoted(text.rstrip(':'))} lacks {inner[0].reader.what}, as in {shown}")
        values = cls._values(text, head, words)
        return cls(**values, **{slot.field.name: slot.reader.read(behind, slot.where(head)) for slot in inner})

    @classmethod
    def _values(cls, text: str, head: str, words: str) -> dict[str, Any]:
        """The fields from the words after a name."""
        greedy = next((slot.key for slot in slots(cls) if slot.reader.greedy), None)
        if greedy is not None:
            return _read(cls, head, {greedy: words})
        bare, options = split_words(text, words)
        order = positional(cls)
        known = keys_of(cls)
        if "" in bare:
            raise InputError(f"{quoted(text)}: '' is not key=value")
        if len(bare) > len(order):
            raise _surplus(text, head, bare[len(order)], order, known)
        given = dict(zip(order, bare, strict=False))
        for key, word in options.items():
            if key not in known:
                raise unknown("option", key, known, lacks=head)
            if key in given:
                raise InputError(f"{head}: {key} is given twice")
            given[key] = word
        return _read(cls, head, given)

    def __str__(self) -> str:
        head, nested, last = self.HEAD, "", ""
        words: list[str] = []
        by_key, behind = False, any(slot.nested for slot in slots(type(self)))
        for slot in slots(type(self)):
            value = getattr(self, slot.field.name)
            if isinstance(slot.reader, Head):
                head = value
            elif slot.nested:
                nested = f":{slot.reader.write(value)}"
            elif slot.key == LAST:
                last = "" if value is None else f"{LAST}={slot.reader.write(value)}"
            elif isinstance(slot.reader, Flat):
                words += _options(value, slot.default)
            elif value == slot.default:
                by_key = True  # what follows is no longer at its position
            else:
                word = slot.reader.write(value)
                has_key = by_key or slot.keyed
                word = word if slot.reader.greedy else bracketed(word, bare=not has_key, behind=behind)
                words.append(f"{slot.key}={word}" if has_key else word)
        listed = ",".join([*words, last] if last else words)
        needs_colon = nested and len(slots(type(self))) > 1  # else the nested text would be taken for words
        return f"{head}{':' + listed if listed or needs_colon else ''}{nested}"


def slots(cls: type[Any]) -> tuple[Slot, ...]:
    """The fields of a record class in its text, in order."""
    if cls not in _SLOTS:
        hints = get_type_hints(cls, include_extras=True)
        noted = [(field, getattr(hints[field.name], "__metadata__", ())) for field in fields(cls)]
        made = [Slot(field, note) for field, notes in noted for note in notes if isinstance(note, Reader)]
        last = next((slot.field.name for slot in reversed(made) if slot.nested), None)
        _SLOTS[cls] = tuple(
            Slot(slot.field, replace(slot.reader, keyed=True)) if slot.nested and slot.field.name != last else slot
            for slot in made
        )
    return _SLOTS[cls]


def positional(cls: type[Any]) -> list[str]:
    """The options of a record that need no key, in their order: those of its positional fields, up to a flat record."""
    keys: list[str] = []
    for slot in slots(cls):
        if isinstance(slot.reader, Flat) or slot.field.kw_only is True:
            break
        if not (slot.reader.behind or isinstance(slot.reader, Head)):
            keys.append(slot.key)
    return keys


def keys_of(cls: type[Any]) -> list[str]:
    """The options of a record, with those of its flat records."""
    keys: list[str] = []
    for slot in slots(cls):
        if isinstance(slot.reader, Flat):
            keys += keys_of(slot.reader.record)
        elif not slot.nested and not isinstance(slot.reader, Head):
            keys.append(slot.key)
    return keys


def _read(cls: type[Any], head: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a record from the words of its options."""
    values: dict[str, Any] = {}
    for slot in slots(cls):
        reader, name = slot.reader, slot.field.name
        if isinstance(reader, Head):
            values[name] = head
        elif isinstance(reader, Flat):
            inner = _read(reader.record, head, given)
            if inner:
                values[name] = reader.record(**inner) if slot.default is MISSING else replace(slot.default, **inner)
        elif given.get(slot.key):
            values[name] = reader.read(given[slot.key], slot.where(head))
        elif slot.default is MISSING and not slot.nested:
            raise InputError(f"{head} needs {reader.what or slot.key}, as in {head}:{usage(cls)}")
    return values


def _options(value: Any, default: Any) -> list[str]:
    """The options of a flat record that differ from the default."""
    words = []
    for slot in slots(type(value)):
        own = getattr(value, slot.field.name)
        usual = slot.default if default is MISSING else getattr(default, slot.field.name)
        if isinstance(slot.reader, Flat):
            words += _options(own, usual)
        elif own != usual:
            words.append(f"{slot.key}={bracketed(slot.reader.write(own))}")
    return words


def usage(cls: type[Any]) -> str:
    """An example of the words that a record needs."""
    needed = [slot for slot in slots(cls) if slot.default is MISSING and not isinstance(slot.reader, Head)]
    words = [f"{slot.key}={slot.reader.example}" if slot.keyed else slot.reader.example for slot in needed]
    inner = [slot.nested for slot in needed]
    first = ",".join(word for word, is_nested in zip(words, inner, strict=True) if not is_nested)
    return ":".join([first, *(word for word, is_nested in zip(words, inner, strict=True) if is_nested)])


def _surplus(text: str, head: str, word: str, order: list[str], known: list[str]) -> InputError:
    """The error for a surplus bare word."""
    if known and not order:
        return InputError(
            f"{quoted(text)}: {quoted(word)} is not key=value; the options of {head} are {', '.join(known)}"
        )
    there = ", ".join(order) or "none"
    return InputError(f"{head}: {quoted(word)} is one word too many; it takes {there}")


class RecordKind(Generic[T]):
    """All records of one kind, found by the names with which their texts begin.

    Records nest others of their kind, so the kind is made below them; the `__init__` of their package binds the registry.

    Args:
        what: noun for such a record in messages: "opponent".
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
        """Set the classes by name; other: makes a record from a text with another name, such as a file's, or from any other
        object, and returns None if it cannot.
        """
        self.registry, self._other = registry, other

    @property
    def names(self) -> tuple[str, ...]:
        """All valid first words, which cannot be names of modules."""
        return (*self._also, *self.registry)

    def record(self, source: Any) -> T:
        """The record of a text or another accepted form; a record is returned unchanged."""
        if isinstance(source, self.base):
            return source
        if isinstance(source, str):
            return self.parse(source)
        article = "an" if self.what[0] in "aeiou" else "a"
        if isinstance(source, type) and issubclass(source, self.base):
            name, words = source.__name__, usage(source)
            call = f"{name}(...), or its text {getattr(source, 'HEAD', '')}:{words}" if words else f"{name}()"
            raise InputError(f"{name} is a kind of {self.what}; write the {self.what} that you mean, as {call}")
        record = self._other(source) if self._other else None
        if record is None:
            raise InputError(f"{article} {self.what} must be {self.accepts}, not {shown(source)}")
        return record

    def parse(self, text: str) -> T:
        """The record of a text; an `InputError` names the most similar known name, or the invalid word."""
        check_nesting(text)
        known: Any = self.registry.get(text.partition(":")[0])
        if known is not None:
            return known.from_text(text)  # type: ignore[no-any-return]
        record = self._other(text) if self._other else None
        if record is None:
            raise self.unknown(text)
        return record

    def unknown(self, text: str) -> UnknownError:
        """The error for an unknown text."""
        return unknown(self.what, text, self.names, listed=self.listed)

    def nested(self, what: str = "", *, key: str = "", example: str = "uniform", keyed: bool = False) -> Nested:
        """A field that is another record of this kind."""
        return Nested(what=what or f"the {self.what}", key=key, example=example, keyed=keyed, kind=self)


@dataclass(frozen=True, kw_only=True)
class Nested(Reader):
    """Another record, of this kind, by its text."""

    kind: RecordKind[Any]
    behind: bool = True

    def read(self, word: str, where: str) -> Any:
        del where  # its own sentences name it
        return self.kind.parse(word)

    def checked(self, value: Any, where: str) -> Any:
        del where
        return self.kind.record(value)
