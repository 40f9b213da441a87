"""The grammar of short texts: `NAME:word,word,key=value,to=NESTED`, square brackets around values that hold commas."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.errors import InputError, quoted

LAST = "to"
"""The key whose value is all that follows it, commas and colons included."""
_SPECIAL = frozenset(",[]")


class SplitWords(NamedTuple):
    """What stands behind a name: `bare` words in their order, and `options` by their keys."""

    bare: list[str]
    options: dict[str, str]


def split_words(text: str, words: str) -> SplitWords:
    """Bare words and options. A word without `=` that follows an option belongs to the option's value, as in
    `value=sampled:10,3:uniform`.

    Args:
        text: the whole text, for messages.
        words: what stands behind the name and its colon.

    Raises:
        InputError: a key without a name or a value, a key given twice, or a bracket that is not closed before a comma.
    """
    found = SplitWords([], {})
    key = ""
    while words:
        word, _, after = words.partition(",")
        name, equals, value = word.partition("=")
        if word.startswith("["):
            equals, (value, after) = "", _in_brackets(text, words)
            word = value
        if not equals:
            if not key:
                found.bare.append(word)
            elif word:
                found.options[key] = f"{found.options[key]},{word}"
            else:
                raise InputError(f"{quoted(text)}: {quoted(word)} is not key=value, as in key=value,to=OPPONENT")
            words = after
            continue
        key = name
        if key == LAST:
            value, after = words.partition("=")[2], ""
        elif value.startswith("["):
            value, after = _in_brackets(text, words.partition("=")[2])
        if not key:
            raise InputError(f"{quoted(text)}: {quoted(word)} is not key=value, as in key=value,to=OPPONENT")
        if not value:
            raise InputError(f"{quoted(text)}: no value after {quoted(key + '=')}")
        if key in found.options:
            raise InputError(f"{quoted(text)}: duplicate option {quoted(key)}")
        found.options[key] = value
        words = after
    return found


def bracketed(value: str) -> str:
    """A value as it stands among words: in square brackets where it holds a comma or a bracket."""
    return f"[{value}]" if _SPECIAL & set(value) else value


def _in_brackets(text: str, rest: str) -> tuple[str, str]:
    """What stands between a bracket and the one that closes it, and what follows the comma behind that."""
    depth = 0
    for at, char in enumerate(rest):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            if rest[at + 1 :].startswith(",") or at + 1 == len(rest):
                return rest[1:at], rest[at + 2 :]
            break
    raise InputError(f"{quoted(text)}: {quoted(rest)} has no closing bracket before a comma")
