"""Rows of results between techniques, and the claims of Kubíček et al. 2026, section 8.1, about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from counterplay_papers.cells.ggse_cells import TECHNIQUES
from counterplay_papers.experiment import Reference, follows

_SAFE = tuple(TECHNIQUES)[1:]
_MARGIN = tuple(name for name in TECHNIQUES if name.startswith("max-margin"))


class TechniqueResults(Protocol):
    """What techniques win from each other: members as of `nested_solving.NestedResults`."""

    @property
    def wins(self) -> Mapping[tuple[str, str], float]: ...
    @property
    def worst(self) -> Mapping[str, float]: ...
    @property
    def margins(self) -> Mapping[str, float]: ...


Compute = Callable[[TechniqueResults], float]
Row = tuple[str, str, Reference | None, Compute]
"""Row, column, the reference and our number."""


def technique_rows(name: str) -> list[Row]:
    """A row for each technique in a game of this name: its worst result, and what it wins as player 0 from each."""
    made: list[Row] = []
    for one in TECHNIQUES:
        row = f"{name}, {one}"
        made.append((row, "worst", None, partial(_worst, one)))
        made.append((row, "±", None, partial(_margin, one)))
        made += [(row, f"against {other}", None, partial(_win, one, other)) for other in TECHNIQUES]
    return made


def claim_rows(name: str) -> list[Row]:
    """The three claims: of Liar's dice the paper says the opposite about unsafe and max-margin."""
    sign, claim = 1.0 if name.startswith("goofspiel") else -1.0, f"{name}, claim"
    return [
        (claim, "a prior is no worse (%)", follows(100.0), _prior_helps),
        (claim, "sign of unsafe less the best max-margin", follows(sign), _unsafe_leads),
        (claim, "rank of resolving blueprint", None, _rank),
    ]


def _worst(name: str, found: TechniqueResults) -> float:
    return found.worst[name]


def _margin(name: str, found: TechniqueResults) -> float:
    return found.margins[name]


def _win(first: str, second: str, found: TechniqueResults) -> float:
    return found.wins[first, second]


def _prior_helps(found: TechniqueResults) -> float:
    """The share of safe techniques with a prior whose worst result is no less than without one."""
    pairs = [(found.worst[name], found.worst[name.split()[0]]) for name in _SAFE if " " in name]
    return 100.0 * sum(mine >= plain - 1e-6 for mine, plain in pairs) / len(pairs)


def _unsafe_leads(found: TechniqueResults) -> float:
    return 1.0 if found.worst["unsafe"] > max(found.worst[name] for name in _MARGIN) else -1.0


def _rank(found: TechniqueResults) -> float:
    """From 1, by the worst result."""
    return 1.0 + sum(found.worst[name] > found.worst["resolving blueprint"] + 1e-9 for name in TECHNIQUES)
