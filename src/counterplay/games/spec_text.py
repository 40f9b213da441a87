"""Specs written from parameters, so that the name in a file loads the same game."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.texts.grammar import bracketed


def spec_of(name: str, factory: Callable[..., Any], **values: Any) -> str:
    """The shortest spec of `factory` called with `values`: defaults are left out.

    Positional parameters come first, without names, as in `liars_dice:1,6`; keyword-only ones as `key=value`.
    """
    bare: list[str] = []
    keyed: list[str] = []
    needed = 0
    for key, parameter in inspect.signature(factory).parameters.items():
        differs = values[key] != parameter.default
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            keyed += [f"{key}={_text(values[key])}"] if differs else []
        else:
            bare.append(_text(values[key], bare=True))
            needed = len(bare) if differs else needed
    words = bare[:needed] + keyed
    return f"{name}:{','.join(words)}" if words else name


def _text(value: Any, *, bare: bool = False) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return bracketed(str(value), bare=bare)


def cell_name(row: int, column: int) -> str:
    """A square of a board: rows are letters from the top, columns are numbers from the left; `A1` is top left."""
    return f"{chr(ord('A') + row)}{column + 1}"


def share_of(what: str, text: str) -> float:
    """A probability from a text.

    Raises:
        InputError: not a probability; `what` names the culprit.
    """
    try:
        number = float(text)
    except ValueError:
        raise InputError(f"{what}: the weight must be a number, not {quoted(text)}") from None
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{what}: the weight must be between 0 and 1, not {quoted(text)}")
    return number
