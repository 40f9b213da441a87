"""Texts of the command line that apply to one game, or to one method, of several.

`leduc=s1;s2` applies to Leduc, a text without a game's name to all games. This holds for opponents and value functions; of
these, `abd=portfolio:uniform;nash` applies to one method, and `leduc=abd=...` to one method in one game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterplay.errors import InputError, quoted
from counterplay.texts.grammar import parts


def shares(text: str) -> tuple[float, ...]:
    """Numbers separated by commas.

    Raises:
        InputError: none, or one that is not a number.
    """
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"--within takes numbers split by commas, as in 0.01,0.05,0.2, not {quoted(text)}") from None


def name_of(spec: str) -> str:
    """The game's name without its parameters."""
    return spec.partition(":")[0]


def opponents_of(spec: str, specs: Iterable[str], texts: Sequence[str]) -> list[str]:
    """The opponents in a game, each once."""
    meant = (text for given in texts for text in _meant(given, spec, specs))
    return list(dict.fromkeys(word for text in meant for word in parts(text, ";") if word))


def values_of(spec: str, specs: Iterable[str], methods: Iterable[str], texts: Sequence[str]) -> dict[str, str]:
    """The text of the value function of each method in a game, if it has one."""
    chosen: dict[str, str] = {}
    for given in texts:
        for text in _meant(given, spec, specs):
            head, _, rest = text.partition("=")
            chosen |= {head: rest} if head in methods else dict.fromkeys(methods, text)
    return chosen


def _meant(text: str, spec: str, specs: Iterable[str]) -> list[str]:
    """The text without a game's name in front; nothing if it applies to another game."""
    for other in specs:
        for name in (other, name_of(other)):
            if text.startswith(f"{name}="):
                rest = text.removeprefix(f"{name}=")
                return [rest] if name in (spec, name_of(spec)) else []
    return [text]
