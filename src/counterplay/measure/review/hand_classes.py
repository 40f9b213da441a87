"""A range of hands by classes such as AKs, which people read more easily."""

from __future__ import annotations

import re

from counterplay.poker.cards.deck import cards_of
from counterplay.poker.ranges.grid import cell_name, cell_of

_HAND = re.compile(r"([2-9TJQKA][cdhs]){2}")
Shares = tuple[tuple[str, float], ...]


def by_classes(belief: Shares) -> Shares:
    """The shares of classes, likeliest first; what holds no hands of hold'em stays as it is."""
    if not all(_HAND.fullmatch(text) for text, _ in belief):
        return belief
    found: dict[str, float] = {}
    for text, share in belief:
        (one, other) = cards_of(text)
        name = cell_name(cell_of(max(one // 4, other // 4), min(one // 4, other // 4), one % 4 == other % 4))
        found[name] = found.get(name, 0.0) + share
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))
