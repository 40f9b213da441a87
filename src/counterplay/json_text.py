"""Untrusted JSON: of bounded size and depth, without duplicate names, with one-sentence errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from counterplay.errors import InputError

_MOST = 2**30
"""The most bytes read from a file."""
_PIECE = 2**20
_DEEPEST = 32
"""The deepest nesting; the library's files have at most six levels."""
_TOO_DEEP = f"this is not JSON (lists and objects are nested more than {_DEEPEST} deep)"


def read_json(content: str | bytes, *, infinite: bool = True) -> Any:
    """The value of a JSON text; bytes are UTF-8. infinite: accept `NaN` and `Infinity`, which JSON lacks and Python writes.

    Raises:
        InputError: invalid JSON, a duplicate name in an object, or too deep nesting. The sentence does not name the file.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=None if infinite else _refused)
    except InputError:
        raise
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
        raise InputError(f"this is not JSON ({str(error).splitlines()[0]})") from None
    level = [value]
    for _ in range(_DEEPEST):
        inner = (
            group.values() if isinstance(group, dict) else group for group in level if isinstance(group, dict | list)
        )
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return value
    raise InputError(_TOO_DEEP)


def read_json_file(path: str | Path) -> Any:
    """The value of a JSON file of at most 1 GiB; an `OSError` if it cannot be read."""
    content = bytearray()
    with Path(path).open("rb") as stream:
        while piece := stream.read(_PIECE):  # asked for all at once, a GiB would be taken for a file of a few bytes
            content += piece
            if len(content) > _MOST:
                raise InputError("this is not JSON (it is larger than 1 GiB)")
    return read_json(bytes(content))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON document; a duplicate name is rejected, not silently overwritten."""
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"duplicate name '{next(name for name in names if names.count(name) > 1)}'")
    return named


def _refused(word: str) -> Any:
    raise InputError(f"this is not JSON ({word} is not a number)")
