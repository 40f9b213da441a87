"""The grammar of short texts: `NAME:word,word,key=value,to=NESTED`, square brackets around values with commas.

Double quotes hold what brackets cannot, such as a name with one bracket; in them a backslash stands before `"` and `\\`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from counterplay.errors import InputError, quoted

LAST = "to"
"""The key whose value is the rest of the text, commas and colons included."""
_SPECIAL = frozenset(",[]")
_OPENING = ("[", '"')
"""What a value begins with that stands in brackets or in quotes."""
_IN_QUOTES = re.compile(r'"((?:[^"\\]|\\.)*)"(?:,|\Z)', re.DOTALL)


class SplitWords(NamedTuple):
    """The words after a name: `bare` words in order, and `options` by key."""

    bare: list[str]
    options: dict[str, str]


def tokens(text: str, words: str, last: str = LAST) -> list[tuple[str | None, str]]:
    """The words between commas, each with its key, or None for a bare one.

    Args:
        text: the whole text, for messages.
        words: the part after the name and its colon.
        last: the key whose value is the rest of the text.

    Raises:
        InputError: a bracket or a quote that is not closed before a comma.
    """
    found: list[tuple[str | None, str]] = []
    while words:
        word, _, after = words.partition(",")
        key, equals, value = word.partition("=")
        if word.startswith(_OPENING):
            value, after = _enclosed(text, words)
            found.append((None, value))
        elif not equals:
            found.append((None, word))
        else:
            behind = words.partition("=")[2]
            if key == last:
                value, after = behind, ""
            elif value.startswith(_OPENING):
                value, after = _enclosed(text, behind)
            found.append((key, value))
        words = after
    return found


def split_words(text: str, words: str) -> SplitWords:
    """Bare words and options. A word without `=` that follows an option belongs to the option's value, as in
    `value=sampled:10,3:uniform`.

    Args:
        text: the whole text, for messages.
        words: the part after the name and its colon.

    Raises:
        InputError: a key without a name or a value, a key given twice, or a bracket or a quote that is not closed before
            a comma.
    """
    found = SplitWords([], {})
    latest = ""
    for key, value in tokens(text, words):
        if key is None and not latest:
            found.bare.append(value)
        elif key is None and value:
            found.options[latest] = f"{found.options[latest]},{value}"
        elif not key:
            word = value if key is None else f"={value}"
            raise InputError(f"{quoted(text)}: {quoted(word)} is not key=value, as in key=value,to=OPPONENT")
        elif not value:
            raise InputError(f"{quoted(text)}: no value after {quoted(key + '=')}")
        elif key in found.options:
            raise InputError(f"{quoted(text)}: duplicate option {quoted(key)}")
        else:
            found.options[key], latest = value, key
    return found


def bracketed(value: str, *, bare: bool = False) -> str:
    """A value as written among words, so that `tokens` reads it back.

    It stands in square brackets if it has a comma or a bracket, begins with a quote, or has spaces around it; in double
    quotes if its brackets do not pair off.

    Args:
        value: the value.
        bare: whether it has no key, so that it must not look as if it had one.
    """
    plain = value == value.strip() and not value.startswith(_OPENING) and not _SPECIAL & set(value)
    if plain and not (bare and "=" in value):
        return value
    held = f"[{value}]"
    if _closing(held) == len(held) - 1:
        return held
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'"{escaped}"'


def _enclosed(text: str, rest: str) -> tuple[str, str]:
    """The part in brackets or in quotes with which a text begins, and the rest after the comma."""
    if rest.startswith("["):
        end = _closing(rest)
        if end is not None and rest[end + 1 : end + 2] in ("", ","):
            return rest[1:end], rest[end + 2 :]
        raise InputError(f"{quoted(text)}: {quoted(rest)} has no closing bracket before a comma")
    found = _IN_QUOTES.match(rest)
    if found is None:
        raise InputError(f"{quoted(text)}: {quoted(rest)} has no closing quote before a comma")
    return re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), rest[found.end() :]


def _closing(rest: str) -> int | None:
    """The place of the bracket that closes the first one."""
    depth = 0
    for at, char in enumerate(rest):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            return at
    return None
