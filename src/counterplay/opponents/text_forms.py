"""The forms of opponents' texts: their words and numbers, read and refused before there is a game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.catalogue import OPPONENTS, heads
from counterplay.errors import InputError, check_nesting, quoted, unknown
from counterplay.games.plugin import import_object, is_plugin
from counterplay.opponents.biased import factors_of
from counterplay.solvers.minimiser import MINIMISERS, minimiser

FILES = (".json", ".cps", ".spot")
"""Endings of files that hold strategies."""
HEADS = tuple(heads(OPPONENTS))
_DIGITS = 18
"""Longest whole number that is read; it fits 64 bits."""
_LARGEST = 1e9
"""Alpha of a Dirichlet distribution; beyond it sums overflow."""


class Snapshot(NamedTuple):
    """A solver in training: `method` after so many `iterations`."""

    method: str
    iterations: int
    current: bool
    simultaneous: bool


def check_form(text: str) -> None:
    """Refuse a text that no game could make an opponent of; what depends on the game is seen when it is there.

    Raises:
        InputError: naming the word, the file or the module.
    """
    check_nesting(text)
    head, _, rest = text.partition(":")
    if head in CHANGED:
        _, inner = changed(text)
        check_form(inner)
    elif text.endswith(FILES):
        if not Path(text).is_file():
            raise InputError(f"cannot read {quoted(text)}: there is no such file")
    elif head == "br":
        check_form(answered(rest))
    elif head in MINIMISERS:
        snapshot(head, rest)
    elif head == "random":
        draws(rest or "0")
    elif not (text in HEADS or head == "last"):
        if not is_plugin(text, HEADS):
            raise no_opponent(text)
        import_object(text, "opponent", HEADS)


def no_opponent(text: str) -> InputError:
    """The sentence about a text that means nobody."""
    return unknown("opponent", text, HEADS, listed=OPPONENTS)


def answered(rest: str) -> str:
    """The opponent in `br:OPPONENT`."""
    if not rest:
        raise InputError("'br' lacks the opponent that it responds to, as in br:uniform")
    return rest


def changed(text: str) -> tuple[Any, str]:
    """Of an opponent who is another one changed: how, and the other one's text."""
    head, _, rest = text.partition(":")
    words, colon, inner = rest.partition(":")
    if not colon:
        raise InputError(f"{quoted(text)} lacks the opponent that it changes, as in {head}:{words or '0.2'}:uniform")
    return CHANGED[head](words), inner


def snapshot(method: str, rest: str) -> Snapshot:
    """From `N`, `N,current`, `N,simultaneous`; parameters of the method stand in front, as in `1.5,0,2:100`."""
    parameters, colon, end = rest.rpartition(":")
    method = f"{method}:{parameters}" if colon else method
    words = end.split(",")
    flags = set(words[1:])
    iterations = whole(method, "iterations", words[0])
    for word in sorted(flags - {"current", "simultaneous"}):
        raise unknown("flag", word, ("current", "simultaneous"), lacks=f"{method}:{iterations}")
    minimiser(method)
    return Snapshot(method, iterations, "current" in flags, "simultaneous" in flags)


def draws(rest: str) -> tuple[int, float]:
    """Seed and alpha of `random:SEED,ALPHA`."""
    words = rest.split(",")
    if len(words) > 2:
        raise InputError(
            f"random takes a seed and perhaps an alpha, as in random:7 or random:7,0.5, not {quoted(rest)}"
        )
    alpha = _positive("random", "alpha", words[1]) if len(words) == 2 else 1.0
    if alpha > _LARGEST:
        raise InputError(f"random: alpha is at most {_LARGEST:g}, where every action is alike, not {quoted(words[1])}")
    return whole("random", "the seed", words[0]), alpha


def _seeded(name: str, what: str, read: Callable[..., Any], words: str, **limits: int) -> tuple[Any, int | None]:
    number, comma, seed = words.partition(",")
    return read(name, what, number, **limits), whole(name, "the seed", seed) if comma else None


def whole(name: str, what: str, text: str, least: int = 0) -> int:
    """A whole number."""
    if len(text) > _DIGITS:
        raise InputError(f"{name}: {what} must have at most {_DIGITS} digits, not {len(text)}")
    if not text.isdecimal() or int(text) < least:
        raise InputError(f"{name}: {what} must be a whole number from {least} on, not {quoted(text)}")
    return int(text)


def _number(name: str, what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name}: {what} must be a number, not {quoted(text)}") from None


def _share(name: str, what: str, text: str) -> float:
    number = _number(name, what, text)
    if not 0.0 <= number <= 1.0:
        raise InputError(f"{name}: {what} must be between 0 and 1, not {quoted(text)}")
    return number


def _positive(name: str, what: str, text: str) -> float:
    number = _number(name, what, text)
    if not 0.0 < number < float("inf"):
        raise InputError(f"{name}: {what} must be above 0, not {quoted(text)}")
    return number


CHANGED: dict[str, Callable[[str], Any]] = {
    "noise": lambda words: _share("noise", "the weight", words),
    "shuffle": lambda words: _seeded("shuffle", "the share", _share, words),
    "observed": lambda words: _seeded("observed", "hands", whole, words, least=1),
    "bias": factors_of,
}
"""Opponents who are others changed, each with what reads its words."""
