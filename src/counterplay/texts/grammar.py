"""The grammar of short texts: `NAME:word,word,key=value,to=NESTED`, square brackets around values with commas."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.errors import InputError, quoted

LAST = "to"
"""The key whose value is the rest of the text, commas and colons included."""
_SPECIAL = frozenset(",[]")


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
        InputError: a bracket that is not closed before a comma.
    """
    found: list[tuple[str | None, str]] = []
    while words:
        word, _, after = words.partition(",")
        key, equals, value = word.partition("=")
        if word.startswith("["):
            value, after = _in_brackets(text, words)
            found.append((None, value))
        elif not equals:
            found.append((None, word))
        elif key == last:
            value, after = words.partition("=")[2], ""
            found.append((key, value))
        else:
            if value.startswith("["):
                value, after = _in_brackets(text, words.partition("=")[2])
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
        InputError: a key without a name or a value, a key given twice, or a bracket that is not closed before a comma.
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


def bracketed(value: str) -> str:
    """A value as written among words: in square brackets if it has a comma or a bracket."""
    return f"[{value}]" if _SPECIAL & set(value) else value


def _in_brackets(text: str, rest: str) -> tuple[str, str]:
    """The part between a bracket and its closing one, and the rest after the comma."""
    depth = 0
    for at, char in enumerate(rest):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            if rest[at + 1 :].startswith(",") or at + 1 == len(rest):
                return rest[1:at], rest[at + 2 :]
            break
    raise InputError(f"{quoted(text)}: {quoted(rest)} has no closing bracket before a comma")
