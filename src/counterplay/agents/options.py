"""The text of an agent: its head, and options of the form key=value, read and refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from counterplay.errors import InputError, nearest, quoted, unknown

_LAST = "to"
"""The key after which the rest of a text is an opponent's, commas and colons included."""
_DIGITS = 9
_LARGEST = 1e15
"""No amount of chips, seconds or GiB is larger."""


@dataclass(frozen=True)
class Options:
    """The options of one text. head: its first word. given: by key.

    Whatever reads an option raises an InputError that names head and key.
    """

    head: str
    given: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(text: str) -> Options:
        """From a text; errors as in `parse`."""
        return Options(*parse(text))

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def but(self, **changes: str) -> Options:
        """The same with some options set otherwise."""
        return replace(self, given={**self.given, **changes})

    def without(self, *keys: str) -> Options:
        """The same with some options left out."""
        return replace(self, given={key: text for key, text in self.given.items() if key not in keys})

    def allow(self, known: Sequence[str]) -> None:
        """Refuse an unknown key."""
        for key in self.given:
            if key not in known:
                raise unknown("option", key, known, lacks=self.head)

    def model(self) -> str:
        """The text of the opponent, which must be there."""
        if _LAST not in self.given:
            raise InputError(f"{self.head} needs a model of the opponent, as in {self.head}:to=uniform")
        return self.given[_LAST]

    def text(self, key: str, usual: str) -> str:
        """As it stands."""
        return self.given.get(key, usual)

    def one_of(self, key: str, words: Sequence[str], usual: str) -> str:
        """One of some words."""
        word = self.given.get(key, usual)
        if word not in words:
            near = nearest(word, words)
            meant = f"; did you mean {quoted(near)}?" if near else ""
            raise InputError(f"{self.head}: {key} is {', '.join(words[:-1])} or {words[-1]}, not {quoted(word)}{meant}")
        return word

    def number(self, key: str, usual: float | None = None) -> float | None:
        """A finite number from 0 on."""
        return self.sure(key) if key in self.given else usual

    def sure(self, key: str) -> float:
        """The same of a key that is there."""
        try:
            number = float(self.given[key])
        except ValueError:
            number = -1.0
        if number > _LARGEST:
            raise InputError(f"{self.head}: {key} must be at most {_LARGEST:g}, not {quoted(self.given[key])}")
        if not 0.0 <= number <= _LARGEST:
            raise InputError(f"{self.head}: {key} must be a number from 0 on, not {quoted(self.given[key])}")
        return number

    def share(self, key: str) -> float:
        """A number from 0 to 1 that must be given."""
        if key not in self.given:
            raise InputError(f"{self.head} needs {key}, as in {self.head}:{key}=0.5,to=uniform")
        number = self.sure(key)
        if number > 1.0:
            raise InputError(f"{self.head}: {key} must be between 0 and 1, not {self.given[key]}")
        return number

    def limits(self) -> tuple[float | None, int | None, float | None]:
        """Seconds, iterations and gap of a solve, where they are given."""
        seconds, iterations, gap = self.number("seconds"), self.whole("iterations", least=1), self.number("gap")
        if seconds == 0.0:
            raise InputError(f"{self.head}: seconds must be above 0")
        if gap == 0.0 and seconds is None and iterations is None and self.text("solver", "") != "lp":
            raise InputError(f"{self.head}: a gap of 0 is never reached; iterations= or seconds= must end the solve")
        return seconds, iterations, gap

    def whole(self, key: str, usual: int | None = None, *, least: int = 0) -> int | None:
        """A whole number."""
        if key not in self.given:
            return usual
        word = self.given[key]
        if not word.isdecimal() or len(word) > _DIGITS or int(word) < least:
            more = f" from {least} on" if least else ""
            raise InputError(f"{self.head}: {key} must be a whole number{more}, not {quoted(word)}")
        return int(word)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Head and options of `METHOD:key=value,...,to=OPPONENT`; `to=` takes all that follows it. A word without `=` belongs
    to the value before it, as in `value=sampled:10,3:uniform`; and in square brackets a value may hold any commas.

    Raises:
        InputError: a word that is not key=value, a duplicate key, or nothing after a key.
    """
    head, _, rest = text.partition(":")
    options: dict[str, str] = {}
    key = ""
    while rest:
        word, _, after = rest.partition(",")
        if key and word and "=" not in word:
            options[key], rest = f"{options[key]},{word}", after
            continue
        key, equals, value = word.partition("=")
        if key == _LAST and equals:
            value, after = rest.partition("=")[2], ""
        elif value.startswith("["):
            value, after = _in_brackets(text, rest.partition("[")[2])
        if not key or not equals:
            raise InputError(f"{quoted(text)}: {quoted(word)} is not key=value, as in {head}:key=value,to=OPPONENT")
        if not value:
            raise InputError(f"{quoted(text)}: no value after {quoted(key + '=')}")
        if key in options:
            raise InputError(f"{quoted(text)}: duplicate option {quoted(key)}")
        options[key] = value
        rest = after
    return head, options


def _in_brackets(text: str, rest: str) -> tuple[str, str]:
    """What stands before the closing bracket, and behind it and its comma."""
    value, closed, after = rest.partition("]")
    if not closed or (after and not after.startswith(",")):
        raise InputError(f"{quoted(text)}: {quoted('[' + rest)} has no closing bracket before a comma")
    return value, after[1:]
