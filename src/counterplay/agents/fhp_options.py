"""The options of a text such as `ses:alpha=0.5,to=uniform`, read for Flop Hold'em: each a number, a word or a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterplay.errors import InputError

_DIGITS = 9


@dataclass(frozen=True)
class Options:
    """The options of one text. head: its first word. given: by key."""

    head: str
    given: Mapping[str, str] = field(default_factory=dict)

    def allow(self, known: Sequence[str]) -> None:
        """Refuse a key that there is none of.

        Raises:
            InputError: naming it, and those that there are.
        """
        for key in self.given:
            if key not in known:
                raise InputError(f"in Flop Hold'em {self.head} has no option '{key}'; it has {', '.join(known)}")

    def text(self, key: str, usual: str) -> str:
        """As it stands."""
        return self.given.get(key, usual)

    def one_of(self, key: str, words: Sequence[str], usual: str) -> str:
        """One of some words.

        Raises:
            InputError: another one.
        """
        word = self.given.get(key, usual)
        if word not in words:
            raise InputError(f"in Flop Hold'em {self.head} takes {key}={', '.join(words)}, not '{word}'")
        return word

    def number(self, key: str, usual: float | None = None) -> float | None:
        """A number from 0 on.

        Raises:
            InputError: it is none.
        """
        if key not in self.given:
            return usual
        try:
            number = float(self.given[key])
        except ValueError:
            number = -1.0
        if not 0.0 <= number < float("inf"):
            raise InputError(f"{self.head}: {key} must be a number from 0 on, not '{self.given[key]}'")
        return number

    def share(self, key: str) -> float:
        """A number from 0 to 1 that must be given.

        Raises:
            InputError: it is missing or none.
        """
        number = self.number(key)
        if number is None:
            raise InputError(f"{self.head} needs {key}, as in {self.head}:{key}=0.5,to=uniform")
        if number > 1.0:
            raise InputError(f"{self.head}: {key} must be between 0 and 1, not {self.given[key]}")
        return number

    def whole(self, key: str, usual: int | None = None, *, least: int = 1) -> int | None:
        """A whole number.

        Raises:
            InputError: it is none, or too small.
        """
        if key not in self.given:
            return usual
        word = self.given[key]
        if not word.isdecimal() or len(word) > _DIGITS or int(word) < least:
            raise InputError(f"{self.head}: {key} must be a whole number from {least} on, not '{word}'")
        return int(word)
