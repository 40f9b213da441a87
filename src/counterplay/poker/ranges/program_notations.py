"""Ranges as other programs write them. Each reads back to the same weights, to ten digits of a percent.

| name | example | what it is |
|---|---|---|
| `plain` | `QQ+,AKs:0.5` | players' notation, as in `notation.py`; PioSOLVER's viewer and postflop-solver take it too |
| `percent` | `QQ+,AKs:50%` | the same with weights in percent |
| `gto+` | `QQ+,[50.0]AKs[/50.0]` | GTO+: terms of one weight between brackets, in percent |
| `pio` | `0 0.5 1 ...` | PioSOLVER's files: a weight for each hand of the deck, from 2d2c to AsAh |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted, unknown
from counterplay.games.spec_text import share_of
from counterplay.poker.cards.deck import Deck
from counterplay.poker.ranges.notation import format_range, parse_range, plain, terms_of

_GROUP = re.compile(r"\[(?P<open>[^][/]*)\](?P<terms>[^][]*)\[/(?P<close>[^][]*)\]")
_NUMBER = re.compile(r"[0-9.eE+-]+")
_FEW, _ODD = 3, 0.1
"""Words in a text without commas are weights of hands if there are more than so many, and at most this share of them are no
numbers.
"""
_DIGITS = 10


def read_range(text: str, deck: Deck) -> F64:
    """(n,) weights of the hands of the deck, from any of these notations."""
    words = text.split()
    odd = [place for place, word in enumerate(words) if not _NUMBER.fullmatch(word)]
    if len(words) > _FEW and len(odd) <= _ODD * len(words):
        for place in odd:  # refused before the number of words is, which they explain
            _read_weight(place, words[place])
        return _read_weights(words, deck)
    if "[" in text or "]" in text:
        text = _without_brackets(text)
    return parse_range(text, deck)


def write_range(weights: F64, deck: Deck, notation: str) -> str:
    """A range in one of these notations. weights: (n,) of the hands of the deck, from 0 to 1."""
    if notation not in NOTATIONS:
        raise unknown("notation", notation, NOTATIONS, lacks="a range")
    return NOTATIONS[notation](weights, deck)


def _write_percent(weights: F64, deck: Deck) -> str:
    return ",".join(body if w == 1.0 else f"{body}:{_percent(w)}%" for body, w in terms_of(weights, deck))


def _write_gto(weights: F64, deck: Deck) -> str:
    """Terms of one weight that follow each other share a bracket; hands follow the classes that they override."""
    groups = []
    for weight, terms in groupby(terms_of(weights, deck), lambda term: term[1]):
        bodies = ",".join(body for body, _ in terms)
        share = _percent(weight)
        groups.append(bodies if weight == 1.0 else f"[{share}]{bodies}[/{share}]")
    return ",".join(groups)


def _write_weights(weights: F64, deck: Deck) -> str:  # noqa: ARG001 - all notations take the same two
    return " ".join(plain(float(weight)) for weight in weights)


NOTATIONS: dict[str, Callable[[F64, Deck], str]] = {
    "plain": format_range,
    "percent": _write_percent,
    "gto+": _write_gto,
    "pio": _write_weights,
}


def _percent(weight: float) -> str:
    """A share in percent, with a decimal point as GTO+ writes it: "50.0"."""
    return repr(round(100.0 * weight, _DIGITS))


def _read_weights(words: list[str], deck: Deck) -> F64:
    if len(words) != len(deck.hands):
        raise InputError(
            f"a range as weights must have {len(deck.hands):,} of them, one for each hand, not {len(words):,}"
        )
    return np.array([_read_weight(place, word) for place, word in enumerate(words)])


def _read_weight(place: int, word: str) -> float:
    """A word as the weight of the hand at a place, from 0, in the order of the deck."""
    return share_of(f"weight {place + 1:,} of a range", word)


def _without_brackets(text: str) -> str:
    """GTO+ to players' notation: the weight of a bracket behind each term in it."""

    def spread(group: re.Match[str]) -> str:
        share, terms = group["open"].strip(), [term.strip() for term in group["terms"].split(",")]
        if share != group["close"].strip():
            close = quoted(f"[/{group['close'].strip()}]")
            raise InputError(f"the bracket {quoted(f'[{share}]')} of a range is closed by {close}")
        if any(":" in term for term in terms):
            raise InputError(f"a term in the bracket {quoted(f'[{share}]')} of a range has a weight of its own")
        return ",".join(f"{term}:{share}%" for term in terms if term)

    found = _GROUP.sub(spread, text)
    if "[" in found or "]" in found:
        raise InputError("a bracket of a range is not closed: write [50.0]AKs,AQs[/50.0]")
    return found
