"""Readers of single words of a text: parsing, writing and errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from counterplay.errors import InputError, nearest, quoted
from counterplay.texts.grammar import key_text

_DIGITS = 18
"""The most digits of a whole number, which fits 64 bits."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A word without conversion.

    Attributes:
        what: name of the word in messages ("the weight"); by default that of its field.
        key: key of a `key=value` word; by default the name of its field.
        example: an example, for messages about a missing word.
        behind: the value is all that follows the next colon, if its field is positional.
        greedy: the value is all the words together, commas included.
        keyed: always `key=value`, although its field is positional in code.
    """

    what: str = ""
    key: str = ""
    example: str = "0.5"
    keyed: bool = False
    behind: bool = False
    greedy: bool = False

    def read(self, word: str, where: str) -> Any:
        """The value of a word; where: name and field for messages, as in "noise: the weight"."""
        if not word:
            raise InputError(f"{where} must not be empty")
        return word

    def write(self, value: Any) -> str:
        """The word of a value; `read` is its inverse."""
        return str(value)

    def checked(self, value: Any, where: str) -> Any:
        """A field's value from Python, checked like its word."""
        try:
            word = value if isinstance(value, str) else self.write(value)
        except (TypeError, ValueError):
            word = str(value)
        return self.read(word, where)


@dataclass(frozen=True, kw_only=True)
class Parsed(Reader):
    """A word that a function parses, with its own errors; `text` is the inverse."""

    parse: Callable[[str], Any]
    text: Callable[[Any], str] = str

    def read(self, word: str, where: str) -> Any:
        del where
        return self.parse(word)

    def write(self, value: Any) -> str:
        return self.text(value)


@dataclass(frozen=True, kw_only=True)
class NumberPairs(Reader):
    """Words such as `fold=10,raise=0.5`, as pairs of a key and a number; from Python a mapping, too."""

    parse: Callable[[str], Mapping[str, float]]
    greedy: bool = True

    def read(self, word: str, where: str) -> tuple[tuple[str, float], ...]:
        del where
        return tuple(self.parse(word).items())

    def write(self, value: Any) -> str:
        pairs = value.items() if isinstance(value, Mapping) else value
        return ",".join(f"{key_text(key)}={number_text(number)}" for key, number in pairs)


@dataclass(frozen=True, kw_only=True)
class Whole(Reader):
    """A whole number from `least` to `most`, of at most `digits` digits."""

    least: int = 0
    most: int | None = None
    digits: int = _DIGITS
    example: str = "10"

    def read(self, word: str, where: str) -> int:
        if len(word) > self.digits:
            raise InputError(f"{where} must have at most {self.digits} digits, not {len(word)}")
        if not word.isdecimal() or int(word) < self.least:
            raise InputError(f"{where} must be a whole number of at least {self.least}, not {quoted(word)}")
        if self.most is not None and int(word) > self.most:
            raise InputError(f"{where} must be at most {self.most}, not {quoted(word)}")
        return int(word)


@dataclass(frozen=True, kw_only=True)
class Real(Reader):
    """A finite number from 0 to `most`."""

    most: float = 1e15

    def read(self, word: str, where: str) -> float:
        number = read_number(word, where)
        if number > self.most:
            raise InputError(f"{where} must be at most {self.most:g}, not {quoted(word)}")
        if not 0.0 <= number < inf:
            raise InputError(f"{where} must be a number of at least 0, not {quoted(word)}")
        return number

    def write(self, value: Any) -> str:
        return number_text(value)


@dataclass(frozen=True, kw_only=True)
class Share(Real):
    """A number from 0 to 1."""

    def read(self, word: str, where: str) -> float:
        number = read_number(word, where)
        if not 0.0 <= number <= 1.0:
            raise InputError(f"{where} must be between 0 and 1, not {quoted(word)}")
        return number


@dataclass(frozen=True, kw_only=True)
class Positive(Real):
    """A finite number above 0, at most `most`."""

    def read(self, word: str, where: str) -> float:
        number = read_number(word, where)
        if not 0.0 < number < inf:
            raise InputError(f"{where} must be above 0, not {quoted(word)}")
        if number > self.most:
            raise InputError(f"{where} must be at most {self.most:g}, not {quoted(word)}")
        return number


@dataclass(frozen=True, kw_only=True)
class OneOf(Reader):
    """One of some words."""

    words: Collection[str]

    def read(self, word: str, where: str) -> str:
        if word not in self.words:
            *first, last = self.words
            near = nearest(word, self.words)
            meant = f"; did you mean {quoted(near)}?" if near else ""
            raise InputError(f"{where} is {', '.join(first)} or {last}, not {quoted(word)}{meant}")
        return word


@dataclass(frozen=True, kw_only=True)
class YesNo(OneOf):
    """Yes or no."""

    words: Collection[str] = ("yes", "no")

    def read(self, word: str, where: str) -> Any:
        return super().read(word, where) == "yes"

    def write(self, value: Any) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True, kw_only=True)
class Head(Reader):
    """The first word of the text itself, for a record with several names."""

    words: Collection[str]

    def read(self, word: str, where: str) -> str:
        if word not in self.words:
            raise InputError(f"{where} is one of {', '.join(self.words)}, not {quoted(word)}")
        return word


@dataclass(frozen=True, kw_only=True)
class Flat(Reader):
    """Another record, whose options are among the options of this one."""

    record: type[Any]

    def checked(self, value: Any, where: str) -> Any:
        del where  # the record has seen to it itself
        return value


def read_number(word: str, where: str) -> float:
    """Any number, infinite ones and NaN included."""
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{where} must be a number, not {quoted(word)}") from None


def number_text(number: float) -> str:
    """The shortest text that is read as this number."""
    return str(int(number)) if number == number // 1 and abs(number) < 1e15 else repr(float(number))


def whole_of(word: str, digits: int = 9) -> int | None:
    """The number of a text of decimal digits; None if it is another text, or has more than so many digits: `int` has an
    error of its own for thousands of them.
    """
    return int(word) if word.isdecimal() and len(word) <= digits else None
