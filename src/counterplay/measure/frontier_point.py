"""A point of a frontier, and points as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import nan
from pathlib import Path
from typing import Any, Self

from counterplay.display import brief, labelled
from counterplay.files import write_whole
from counterplay.tables import csv_of

Axes = tuple[tuple[str, float], tuple[str, float]]
_ALONE, _BESIDE = ("gain", "exploitability", "dial_low", "dial_high"), ("edge", "risk")
"""Fields of points in other games, and in whole games of hold'em."""


@dataclass(frozen=True)
class Point:
    """One response. Chips, seconds.

    Attributes:
        method: name of the method.
        dial: p (alpha for ses), or the allowed exploitability for `safe`; None for br, bne and others without one.
        gain, exploitability: those of the response; in a whole game of hold'em NaN.
        seconds: time of the computation.
        dial_low, dial_high: for rnr, the interval of p in which it is known to be the response; else None.
        edge, risk: in a whole game, those of the response beside the blueprint; None elsewhere.
    """

    method: str
    dial: float | None
    gain: float
    exploitability: float
    seconds: float
    dial_low: float | None = None
    dial_high: float | None = None
    edge: float | None = None
    risk: float | None = None

    @property
    def axes(self) -> Axes:
        """Value and risk of the point, each with its name."""
        if self.edge is None or self.risk is None:
            return ("gain", self.gain), ("exploitability", self.exploitability)
        return ("edge", self.edge), ("risk", self.risk)

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Self:
        """The point of `facts`."""
        return cls(**{"gain": nan, "exploitability": nan, **facts})

    def facts(self) -> dict[str, Any]:
        """The fields as plain numbers: gain and exploitability, or edge and risk."""
        others = _BESIDE if self.edge is None else _ALONE
        return {name: number for name, number in vars(self).items() if name not in others}

    @property
    def dial_text(self) -> str:
        """The dial, or the interval of it."""
        if self.dial_low is not None and self.dial_high is not None:
            ends = [f"{end:.3g}" for end in (self.dial_low, self.dial_high)]
            if ends[0] != ends[1]:
                return "-".join(ends)
        return "" if self.dial is None else f"{self.dial:.4g}"

    def __repr__(self) -> str:
        return brief(
            self,
            self.method,
            labelled("dial", self.dial),
            *(labelled(name, number) for name, number in self.axes),
        )


def is_cut(points: Sequence[Point]) -> bool:
    """Whether rnr may have more corners: the intervals of p of two neighbours do not meet."""
    mine = sorted((x.dial_low, x.dial_high or 0.0) for x in points if x.dial_low is not None)
    return any(one[1] < other[0] for one, other in pairwise(mine))


def write_csv(points: Sequence[Point], path: Path) -> None:
    """All points as a CSV file, whole or not at all: with gain and exploitability, or with edge and risk."""
    names = list(points[0].facts()) if points else [one.name for one in fields(Point) if one.name not in _BESIDE]
    write_whole(path, csv_of(names, (tuple(point.facts().values()) for point in points)))
