"""Ways to damage JSON and text: values of another kind, names, words, lines, numbers, encodings, and traps."""

from __future__ import annotations

import json
import random
from typing import Any

from attack.words import JUNK

TRAPS = ("booby:trap", "os:system", "booby", "booby.trap:x", "__import__('booby')", "subprocess:run")
"""Texts that name code; none of it may ever run."""
_MARK = "mark of the attack"
_WORTHS = (
    "null", "true", "-1", "0", "1.5", "1e999", "NaN", "-Infinity", '""', '"x"', "[]", "{}", "[[[]]]", '{"a":1}',
    '"\\u0000\\n\\u001b[31m"',
    "1" * 400, '"' + "x" * 3000 + '"',
)  # fmt: skip
"""What is put into a JSON document, as it is written there."""
_INSTEAD = (
    b"", b"[]", b"3", b"null", b'"x"', b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b"{", b'{"a": 1, "a": 2}',
)  # fmt: skip
_WORDS = ("nan", "inf", "-1", "1e308", "1e-300", "1" * 400, *["{", "}", '"', "[", "#", ":"], "\x00", "\ufeff", "\u2028")
_ENDS = ("\r\n", "\r", "\x0b", "\u2028", " ")
_ENCODINGS = ("utf-16", "utf-32", "utf-8-sig", "cp037")


def document(content: bytes, draw: random.Random) -> bytes:
    """A JSON document with one value of another kind, another name, a trap, or something else in its place."""
    if draw.random() < 0.1:
        return draw.choice((*_INSTEAD, content[:-1]))
    whole = json.loads(content)
    places = list(_places(whole))
    if not places:
        return b"{}"
    holder, key = draw.choice(places)
    kind = draw.randrange(5)
    if kind == 0 and isinstance(holder, dict):
        holder[draw.choice((*TRAPS, "x", "", "é"))] = holder.pop(key)
    elif kind == 1:
        del holder[key]
    elif kind == 2:
        holder[key] = draw.choice(TRAPS)
    elif kind == 3 and isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
        holder[key] = draw.choice((holder[key] + 1, -holder[key], holder[key] * 1.0001, 10**30))
    else:
        holder[key] = _MARK
    return json.dumps(whole).replace(f'"{_MARK}"', draw.choice(_WORTHS)).encode()


def _places(value: Any) -> Any:
    """Every holder with every key of it; of long lists the first ones."""
    keys = list(value)[:50] if isinstance(value, dict) else range(min(3, len(value))) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def text(content: bytes, draw: random.Random) -> bytes:
    """A text with words of another kind in it, lines twice or missing, other numbers, traps, a line of
    16,000 letters, in another encoding."""
    whole = content.decode("utf-8", "replace")
    lines, words = whole.splitlines(keepends=True), whole.split(" ")
    line, at, kind = draw.randrange(len(lines)), draw.randrange(len(words)), draw.randrange(8)
    if kind == 0:
        return "".join([*lines[:line], *lines[line + 1 :]]).encode()
    if kind == 1:
        return "".join([*lines[:line], draw.choice(lines) * draw.choice((1, 2, 200)), *lines[line:]]).encode()
    if kind == 2:
        return whole.replace("\n", draw.choice(_ENDS)).encode()
    if kind == 3:
        return whole.encode(draw.choice(_ENCODINGS))
    if kind == 7:
        lines[line] = (
            lines[line].rstrip("\n") + draw.choice(("x", "ab ", "$", "'", "[")) * draw.choice((600, 16_000)) + "\n"
        )
        return "".join(lines).encode()
    words[at] = (
        draw.choice((*TRAPS, *JUNK)) if kind == 4 else words[at] * draw.choice((2, 1000)) if kind == 5 else words[at]
    )
    if kind == 6:
        words.insert(at, draw.choice(_WORDS))
    return " ".join(words).encode("utf-8", "replace")
