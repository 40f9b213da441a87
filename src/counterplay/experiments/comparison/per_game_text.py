"""Texts of the command line that are meant for one game, or one method, of several.

`leduc=s1;s2` is meant for Leduc, and a text without a game's name for all games. So it is with opponents and with value
functions; of those `abd=portfolio:uniform;nash` is meant for one method, and `leduc=abd=...` for one method in one game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterplay.errors import InputError, quoted


def shares(text: str) -> tuple[float, ...]:
    """Numbers split by commas.

    Raises:
        InputError: there is none, or one is no number.
    """
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise InputError(f"--within takes numbers split by commas, as in 0.01,0.05,0.2, not {quoted(text)}") from None


def name_of(spec: str) -> str:
    """The game's name without its parameters."""
    return spec.partition(":")[0]


def opponents_of(spec: str, specs: Iterable[str], texts: Sequence[str]) -> list[str]:
    """The opponents that are meant for a game, each once."""
    meant = (text for given in texts for text in _meant(given, spec, specs))
    return list(dict.fromkeys(word.strip() for text in meant for word in text.split(";") if word.strip()))


def values_of(spec: str, specs: Iterable[str], methods: Iterable[str], texts: Sequence[str]) -> dict[str, str]:
    """The value function's text that is meant for each method of a game, of those that have one."""
    chosen: dict[str, str] = {}
    for given in texts:
        for text in _meant(given, spec, specs):
            head, _, rest = text.partition("=")
            chosen |= {head: rest} if head in methods else dict.fromkeys(methods, text)
    return chosen


def _meant(text: str, spec: str, specs: Iterable[str]) -> list[str]:
    """The text without a game's name in front; nothing if another game is meant."""
    for other in specs:
        for name in (other, name_of(other)):
            if text.startswith(f"{name}="):
                rest = text.removeprefix(f"{name}=")
                return [rest] if name in (spec, name_of(spec)) else []
    return [text]
