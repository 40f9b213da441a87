"""The text of an agent of Flop Hold'em: its head, and options of the form key=value, each error one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterplay.errors import InputError, nearest, quoted, unknown
from counterplay.texts.grammar import LAST, split_words

_DIGITS = 9
_LARGEST = 1e15
"""No amount of chips, seconds or GiB is larger."""


@dataclass(frozen=True)
class Options:
    """The options of one text. head: its first word. given: by key.

    All readers raise an InputError that names head and key.
    """

    head: str
    given: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read(text: str) -> Options:
        """Parse a text; errors as in `parse`."""
        return Options(*parse(text))

    def __contains__(self, key: str) -> bool:
        return key in self.given

    def allow(self, known: Sequence[str]) -> None:
        """Reject an unknown key."""
        for key in self.given:
            if key not in known:
                raise unknown("option", key, known, lacks=self.head)

    def model(self) -> str:
        """The text of the opponent, which is required."""
        if LAST not in self.given:
            raise InputError(f"{self.head} needs a model of the opponent, as in {self.head}:to=uniform")
        return self.given[LAST]

    def text(self, key: str, usual: str) -> str:
        """The text of an option."""
        return self.given.get(key, usual)

    def one_of(self, key: str, words: Sequence[str], usual: str) -> str:
        """One of some words."""
        word = self.given.get(key, usual)
        if word not in words:
            near = nearest(word, words)
            meant = f"; did you mean {quoted(near)}?" if near else ""
            raise InputError(
                f"{self.head}: {key} must be {', '.join(words[:-1])} or {words[-1]}, not {quoted(word)}{meant}"
            )
        return word

    def number(self, key: str, usual: float | None = None) -> float | None:
        """A finite number of at least 0."""
        return self.sure(key) if key in self.given else usual

    def sure(self, key: str) -> float:
        """The number of a given key."""
        try:
            number = float(self.given[key])
        except ValueError:
            number = -1.0
        if number > _LARGEST:
            raise InputError(f"{self.head}: {key} must be at most {_LARGEST:g}, not {quoted(self.given[key])}")
        if not 0.0 <= number <= _LARGEST:
            raise InputError(f"{self.head}: {key} must be a number of at least 0, not {quoted(self.given[key])}")
        return number

    def share(self, key: str) -> float:
        """A required number from 0 to 1."""
        if key not in self.given:
            raise InputError(f"{self.head} needs {key}, as in {self.head}:{key}=0.5,to=uniform")
        number = self.sure(key)
        if number > 1.0:
            raise InputError(f"{self.head}: {key} must be between 0 and 1, not {self.given[key]}")
        return number

    def limits(self) -> tuple[float | None, int | None, float | None]:
        """Seconds, iterations and gap of a solve, if given."""
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
            more = f" of at least {least}" if least else ""
            raise InputError(f"{self.head}: {key} must be a whole number{more}, not {quoted(word)}")
        return int(word)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Head and options of `METHOD:key=value,...,to=OPPONENT` (see `texts.grammar`).

    Raises:
        InputError: a word that is not key=value, a duplicate key, or nothing after a key.
    """
    head, _, rest = text.partition(":")
    bare, options = split_words(text, rest)
    if bare:
        raise InputError(f"{quoted(text)}: {quoted(bare[0])} is not key=value, as in {head}:key=value,to=OPPONENT")
    return head, options
