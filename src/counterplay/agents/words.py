"""The options in an agent's text: key=value, read and refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterplay.errors import InputError

Options = Mapping[str, str]
_DIGITS = 9


def only(head: str, options: Options, known: Sequence[str]) -> None:
    """Refuse an option that there is none of."""
    for key in options:
        if key not in known:
            raise InputError(f"{head} has no option '{key}'; it has {', '.join(known)}")


def read_choice(head: str, key: str, text: str, choices: Mapping[str, bool]) -> bool:
    """One of some words."""
    if text not in choices:
        raise InputError(f"{head}: {key} is {' or '.join(choices)}, not '{text}'")
    return choices[text]


def read_number(head: str, key: str, text: str) -> float:
    """A finite number from 0 on."""
    try:
        number = float(text)
        if not 0.0 <= number < float("inf"):
            raise ValueError
    except ValueError:
        raise InputError(f"{head}: {key} must be a number from 0 on, not '{text}'") from None
    return number


def read_probability(head: str, text: str) -> float:
    """p."""
    number = read_number(head, "p", text)
    if number > 1.0:
        raise InputError(f"{head}: p must be between 0 and 1, not {text}")
    return number


def read_whole(head: str, key: str, text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal() or len(text) > _DIGITS:
        raise InputError(f"{head}: {key} must be a whole number, not '{text}'")
    return int(text)
