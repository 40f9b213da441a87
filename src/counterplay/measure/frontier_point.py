"""A point of a frontier, and points as a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path

from counterplay.display import brief, labelled
from counterplay.files import write_whole
from counterplay.tables import csv_of


@dataclass(frozen=True)
class Point:
    """One response. Chips, seconds.

    Attributes:
        method: name of the method.
        dial: p (alpha for ses), or the allowed exploitability for `safe`; None for br, bne and others without one.
        gain, exploitability: those of the response.
        seconds: time of the computation.
        dial_low, dial_high: for rnr, the interval of p in which it is known to be the response; else None.
    """

    method: str
    dial: float | None
    gain: float
    exploitability: float
    seconds: float
    dial_low: float | None = None
    dial_high: float | None = None

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
            labelled("gain", self.gain),
            labelled("exploitability", self.exploitability),
        )


def is_cut(points: Sequence[Point]) -> bool:
    """Whether rnr may have more corners: the intervals of p of two neighbours do not meet."""
    mine = sorted((x.dial_low, x.dial_high or 0.0) for x in points if x.dial_low is not None)
    return any(one[1] < other[0] for one, other in pairwise(mine))


def write_csv(points: Sequence[Point], path: Path) -> None:
    """All points as a CSV file, whole or not at all."""
    write_whole(
        path, csv_of([field.name for field in fields(Point)], (tuple(vars(point).values()) for point in points))
    )
