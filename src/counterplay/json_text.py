"""Untrusted JSON: of bounded size and depth, without duplicate names, and refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from counterplay.errors import InputError

_MOST = 2**30
"""Bytes of a file that are read."""
_PIECE = 2**20
_DEEPEST = 32
"""Lists and objects inside each other: no file of ours has more than six."""


def read_json(content: str | bytes, *, infinite: bool = True) -> Any:
    """What a JSON text holds.

    Args:
        content: the text; bytes are UTF-8.
        infinite: let `NaN` and `Infinity` pass, which JSON has not and Python writes: whoever reads them must look.

    Raises:
        InputError: no JSON, a name that stands twice in an object, or lists and objects nested too deeply. The sentence does
            not name the file.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=None if infinite else _refused)
    except InputError:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
        raise InputError(f"this is not JSON ({str(error).splitlines()[0]})") from None
    _check_depth(found)
    return found


def read_json_file(path: str | Path) -> Any:
    """The same of a file.

    Raises:
        InputError: as `read_json`, or the file is larger than a GiB.
        OSError: it cannot be read.
    """
    content = bytearray()
    with Path(path).open("rb") as stream:
        while piece := stream.read(_PIECE):  # asked for all at once, a GiB would be taken for a file of a few bytes
            content += piece
            if len(content) > _MOST:
                raise InputError("this is not JSON (it is larger than 1 GiB)")
    return read_json(bytes(content))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON document; a name that stands in it twice is refused, not silently overwritten."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise InputError(f"duplicate name '{next(name for name in names if names.count(name) > 1)}'")
    return found


def _refused(word: str) -> Any:
    raise InputError(f"this is not JSON ({word} is no number)")


def _check_depth(document: Any) -> None:
    level = [document]
    for _ in range(_DEEPEST):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> InputError:
    return InputError(f"this is not JSON (lists and objects are nested more than {_DEEPEST} deep)")
