"""A TOML table of a hand, read by lines where it has the plain form that programs write, else by `tomllib`.

Both give the same (a test holds them to that); the first is several times faster.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from counterplay.opponents.histories.hand_record import HandError

_LINE = re.compile(r"^([A-Za-z_]+) = (.*)$", re.MULTILINE)
_NUMBERS = re.compile(r"\[(?:-?\d+(?:\.\d+)?(?:, -?\d+(?:\.\d+)?)*)?\]")
_TEXTS = re.compile(r"\['[^'\n]*'(?:, '[^'\n]*')*\]")
_TEXT = re.compile(r"'[^'\n]*'")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PLAIN = (
    "variant", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions", "players", "hand", "venue",
    "currency", "currency_symbol", "finishing_stacks", "winnings",
)  # fmt: skip
"""The fields that are used."""


def read_table(text: str) -> dict[str, Any]:
    """The fields that are used; numbers as texts, exactly as they are written. A HandError for what is not TOML."""
    plain = _plain_table(text)
    if plain is not None:
        return plain
    try:
        found = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise HandError("format", f"this is not TOML: {error}") from None

    def textual(value: Any) -> Any:
        return [textual(one) for one in value] if isinstance(value, list) else str(value)

    return {name: textual(found[name]) for name in _PLAIN if name in found}


def _plain_table(text: str) -> dict[str, Any] | None:
    """The fields of a table in plain form; None for any other."""
    if '"' in text or "#" in text or "'''" in text or "\r" in text:
        return None
    rows = _LINE.findall(text)
    if len(rows) != sum(map(bool, map(str.strip, text.split("\n")))):
        return None
    table = dict(rows)
    if len(table) != len(rows):
        return None
    out: dict[str, Any] = {}
    for name in _PLAIN:
        if name not in table:
            continue
        value = _plain_value(table[name].rstrip(" \t"))
        if value is None:
            return None
        out[name] = value
    return out


def _plain_value(text: str) -> str | list[str] | None:
    """A value in plain form, numbers as texts; None for any other."""
    if text.startswith("['"):
        return text[2:-2].split("', '") if _TEXTS.fullmatch(text) else None
    if text.startswith("["):
        return (text[1:-1].split(", ") if len(text) > 2 else []) if _NUMBERS.fullmatch(text) else None
    if text.startswith("'"):
        return text[1:-1] if _TEXT.fullmatch(text) else None
    return text if _NUMBER.fullmatch(text) else None


def text_of(value: Any) -> str:
    """A value as TOML: texts, numbers and lists of them."""
    if isinstance(value, list):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if "'" in value or not value.isprintable() else f"'{value}'"
    return f"{value:.12g}"
