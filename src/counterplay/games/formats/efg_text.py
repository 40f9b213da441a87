"""The words of a Gambit .efg file, each with its line, and the errors that name both."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NamedTuple

from counterplay.errors import InputError, quoted

_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{},"]+)|(")', re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:/(\d+\.?\d*|\.\d+))?", re.ASCII)
_COUNT = re.compile(r"\d{1,9}", re.ASCII)


class Word(NamedTuple):
    """A quoted text, a brace, a plain word, or the end of the file (an empty plain word)."""

    text: str
    quoted: bool
    line: int


class Words:
    """The words of a file in order, with one question for each thing the format may ask for next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._words = _split(path, _content(path))
        self._at = 0

    @property
    def line(self) -> int:
        """The line of the next word."""
        return self._words[self._at].line

    def error(self, sentence: str, line: int | None = None) -> InputError:
        """An error at the next word, or at another line."""
        return InputError(f"{self.path}, line {self.line if line is None else line}: {sentence}")

    def expected(self, what: str) -> InputError:
        """The error that the next word is not what it should be."""
        word = self._words[self._at]
        shown = quoted(word.text)[1:-1]
        found = f'"{shown}"' if word.quoted else f"'{shown}'" if shown else "the end of the file"
        return self.error(f"expected {what}, found {found}")

    def _next(self) -> str:
        self._at += 1
        return self._words[self._at - 1].text

    def sees_quoted(self) -> bool:
        return self._words[self._at].quoted

    def sees(self, text: str) -> bool:
        word = self._words[self._at]
        return word.text == text and not word.quoted

    def quoted(self, what: str) -> str:
        if not self.sees_quoted():
            raise self.expected(f"{what} in quotes")
        return self._next()

    def plain(self, *choices: str) -> str:
        if not any(self.sees(choice) for choice in choices):
            raise self.expected(" or ".join(f"'{choice}'" for choice in choices))
        return self._next()

    def end(self) -> None:
        if not self.sees(""):
            raise self.expected("the end of the file")

    def count(self, what: str, low: int) -> int:
        """A whole number, `low` or more."""
        word = self._words[self._at]
        if word.quoted or not _COUNT.fullmatch(word.text) or int(word.text) < low:
            raise self.expected(f"{what} (a whole number, {low} or more)")
        return int(self._next())

    def number(self, what: str) -> float:
        """A decimal number or a fraction."""
        word = self._words[self._at]
        match = None if word.quoted else _NUMBER.fullmatch(word.text)
        over = float(match[2]) if match and match[2] else 1.0
        value = float(match[1]) / over if match and over else math.nan
        if not math.isfinite(value):
            raise self.expected(f"{what} (a number)")
        self._at += 1
        return value


def _content(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # older files


def _split(path: Path, text: str) -> list[Word]:
    words, line, at = [], 1, 0
    for match in _WORD.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        quoted, brace, plain, open_quote = match.groups()
        if open_quote:
            raise InputError(f"{path}, line {line}: expected a closing quote, found the end of the file")
        if quoted is None:
            words.append(Word(brace or plain, False, line))
        else:
            words.append(Word(re.sub(r'\\(["\\])', r"\1", quoted), True, line))
    words.append(Word("", False, line + text.count("\n", at)))
    return words
