"""The grammar of short texts: `NAME:word,word,key=value,to=NESTED`, square brackets around values with commas.

Double quotes hold what brackets cannot, such as a name with one bracket; in them a backslash stands before `"` and `\\`. Of
several texts in one, as in `A;B|C`, marks separate where they stand outside brackets and quotes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from counterplay.errors import InputError, quoted

LAST = "to"
"""The key whose value is the rest of the text, commas and colons included."""
MARKS = ";|"
"""What stands between several texts."""
_SPECIAL = frozenset(",[]")
_IN_KEYS = frozenset(',=:[]"' + MARKS)
"""What a key has only in quotes."""
_OPENING = ("[", '"')
"""What a value begins with that stands in brackets or in quotes."""
_BEFORE = frozenset(",=:[ " + MARKS)
"""Behind these a value may begin."""
_QUOTES = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


class SplitWords(NamedTuple):
    """The words after a name: `bare` words in order, and `options` by key."""

    bare: list[str]
    options: dict[str, str]


def tokens(text: str, words: str, last: str = LAST) -> list[tuple[str | None, str]]:
    """The words between commas, each with its key, or None for a bare one. text: the whole text, for messages, of which
    `words` follow the name and its colon. last: the key whose value is the rest of the text.
    """
    pairs: list[tuple[str | None, str]] = []
    while words:
        key, behind = _key(words)
        value, words = (behind, "") if key == last else _value(text, behind)
        pairs.append((key, value))
    return pairs


def split_pairs(words: str, wanted: str) -> list[tuple[str, str]]:
    """Words that are all `key=value`, of which a key may stand in quotes; wanted, as in "bias takes ACTION=FACTOR"."""
    pairs = tokens(words, words, last="")
    if not words or words.endswith(","):
        pairs.append((None, ""))
    for key, value in pairs:
        if not (key and value):
            raise InputError(f"{wanted}, not {quoted(value if key is None else f'{key}={value}')}")
    return [(key or "", value) for key, value in pairs]


def split_words(text: str, words: str) -> SplitWords:
    """Bare words and options. A word without `=` that follows an option belongs to the option's value, as in
    `leaf=sampled:10,3:uniform`. An `InputError` for a key without a name or a value, or a key given twice.
    """
    split = SplitWords([], {})
    latest = ""
    for key, value in tokens(text, words):
        if key is None and not latest:
            split.bare.append(value)
        elif key is None and value:
            split.options[latest] = f"{split.options[latest]},{value}"
        elif not key:
            word = value if key is None else f"={value}"
            raise InputError(f"{quoted(text)}: {quoted(word)} is not key=value, as in key=value,to=OPPONENT")
        elif not value:
            raise InputError(f"{quoted(text)}: no value after {quoted(key + '=')}")
        elif key in split.options:
            raise InputError(f"{quoted(text)}: duplicate option {quoted(key)}")
        else:
            split.options[key], latest = value, key
    return split


def bracketed(value: str, *, bare: bool = False, behind: bool = False) -> str:
    """A value as written among words, so that `tokens` reads it back; a bare one has no key, and must not look as if it had;
    behind: the words end at a colon, which it must not have.

    It stands in square brackets if it has a comma or a bracket, begins with a quote, or has spaces around it; in double
    quotes if its brackets do not pair off.
    """
    plain = value == value.strip() and not value.startswith(_OPENING) and not _SPECIAL & set(value)
    if plain and not (bare and "=" in value) and not (behind and ":" in value):
        return value
    return _enclosing(value)


def key_text(key: str) -> str:
    """A key as written among words, so that `split_pairs` reads it back."""
    return key if key == key.strip() and not _IN_KEYS & set(key) else _in_quotes(key)


def cut(text: str, mark: str) -> tuple[str, str, str]:
    """The text before the first such mark outside brackets and quotes, the mark, and the rest; as of `str.partition`."""
    at = next(iter(_marked(text, mark)[0]), len(text))
    return text[:at], text[at : at + 1], text[at + 1 :]


def parts(text: str, mark: str) -> list[str]:
    """The texts between such marks, without spaces around them; of brackets or quotes around a whole one, their content."""
    places = _marked(text, mark)[0]
    bounds = zip([0, *(at + 1 for at in places)], [*places, None], strict=True)
    return [_content(text[start:end].strip()) for start, end in bounds]


def part_text(value: str) -> str:
    """A text as written between marks, so that `parts` reads it back."""
    places, closed = _marked(value, MARKS)
    plain = closed and not places and value == value.strip() and not value.startswith(_OPENING)
    return value if plain else _enclosing(value)


def _key(words: str) -> tuple[str | None, str]:
    """The key with which words begin, and what stands behind its `=`; None and all of them for a bare word."""
    named = _QUOTES.match(words)
    if named is not None and words.startswith("=", named.end()):
        return _unescaped(named[1]), words[named.end() + 1 :]
    key, equals, behind = words.partition("=")
    return (key, behind) if equals and "," not in key and not words.startswith(_OPENING) else (None, words)


def _value(text: str, rest: str) -> tuple[str, str]:
    """The value with which a text begins, and the rest after the comma."""
    if rest.startswith(_OPENING):
        # the part in brackets or in quotes with which a text begins, and the rest after the comma
        end = _end(rest, 0)
        if end is None or rest[end : end + 1] not in ("", ","):
            closing = "bracket" if rest.startswith("[") else "quote"
            raise InputError(f"{quoted(text)}: {quoted(rest)} has no closing {closing} before a comma")
        return _content(rest[:end]), rest[end + 1 :]
    value, _, after = rest.partition(",")
    return value, after


def _marked(text: str, marks: str) -> tuple[list[int], bool]:
    """The places of marks outside brackets and quotes, and whether all of these are closed; what is not holds nothing."""
    places: list[int] = []
    at, begins, closed = 0, True, True
    while at < len(text):
        end = _end(text, at) if closed and begins and text[at] in _OPENING else at
        if end is None:
            closed = False
        elif end > at:
            at, begins = end, False
            continue
        if text[at] in marks:
            places.append(at)
        begins = text[at] in _BEFORE
        at += 1
    return places, closed


def _end(text: str, at: int) -> int | None:
    """The place behind the brackets or quotes that open here; None if they are not closed."""
    if text[at] == "[":
        depth = 0
        for place in range(at, len(text)):
            depth += (text[place] == "[") - (text[place] == "]")
            if depth == 0:
                return place + 1
        return None
    quotes = _QUOTES.match(text, at)
    return None if quotes is None else quotes.end()


def _content(value: str) -> str:
    """What stands in brackets or quotes, if the whole value does; else the value."""
    if not value.startswith(_OPENING) or _end(value, 0) != len(value):
        return value
    return value[1:-1] if value.startswith("[") else _unescaped(value[1:-1])


def _enclosing(value: str) -> str:
    """The value in brackets, or in quotes if its own do not pair off."""
    held = f"[{value}]"
    return held if _end(held, 0) == len(held) else _in_quotes(value)


def _in_quotes(value: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'"{escaped}"'


def _unescaped(content: str) -> str:
    return re.sub(r"\\(.)", r"\1", content, flags=re.DOTALL)
