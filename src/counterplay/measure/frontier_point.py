"""A point of a frontier; points as a file, as a picture, and as a list with text forms: one line at a prompt, a picture
and a table in a notebook. Pictures take matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from itertools import cycle, pairwise
from math import nan
from pathlib import Path
from typing import Any, Self

from counterplay.display import brief, csv_of, html_table, labelled
from counterplay.figures import axes_or_new, plotter, save_figure
from counterplay.files import write_whole
from counterplay.responses import METHODS
from counterplay.result import P, ResultList, ResultRecord

Axes = tuple[tuple[str, float], tuple[str, float]]
_ALONE, _BESIDE = ("gain", "exploitability", "dial_low", "dial_high"), ("edge", "risk")
"""Fields of points in other games, and in whole games of hold'em."""
_WIDE, _HIGH, _EDGE = 420.0, 260.0, 46.0  # of the picture, and of its margins
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


@dataclass(frozen=True, repr=False)
class Point(ResultRecord):
    """One response. Chips, seconds.

    Attributes:
        dial: p (alpha for ses), or the allowed exploitability for `safe`; None for br, bne and others without one.
        gain, exploitability: those of the response; in a whole game of hold'em NaN.
        dial_low, dial_high: for rnr, the interval of p in which it is known to be the response; else None.
        edge, risk: in a whole game, those of the response beside the blueprint; None elsewhere.
    """

    KIND = "point"
    LACKS = {"value": "gains count from that of the game", "strategies": "`respond` gives that of this dial"}  # noqa: RUF012

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

    @property
    def place(self) -> tuple[float, float]:
        """Risk and value of the point."""
        (_, gain), (_, risk) = self.axes
        return risk, gain

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> Self:
        """The point of `facts`."""
        return cls(**{"gain": nan, "exploitability": nan, **facts})

    @property
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
        numbers = (labelled(name, number) for name, number in self.axes)
        return brief(self, self.method, labelled("dial", self.dial), *numbers)


class Points(ResultList[P]):
    """Points of a frontier, in the order in which they were computed, each with `method`, `dial` and `axes`.
    interrupted: whether Ctrl-C cut it short. game_value, game_value_gap: as of `Answer`, from which gains count;
    None if not known."""

    KIND, ROWS = "frontier", "points"
    LACKS = {"exploitability": "each point has its own", "strategies": "`respond` gives those of a dial"}  # noqa: RUF012

    interrupted = False
    game_value: float | None = None
    game_value_gap: float | None = None

    @property
    def facts(self) -> dict[str, Any]:
        names = ("game_value", "game_value_gap", "interrupted")
        return {name: getattr(self, name) for name in names}

    @property
    def value(self) -> float | None:
        """The value of the game, from which gains count."""
        return self.game_value

    def plot(self, ax: Any = None) -> Any:
        """Draw the points and their lines into axes of matplotlib, by default new ones, which are returned."""
        ax = axes_or_new(ax, 7.0, 4.5)
        draw_points(self, ax)
        return ax

    def __repr__(self) -> str:
        return brief(self, "", f"{len(self)} of {', '.join(dict.fromkeys(point.method for point in self))}")

    def _repr_html_(self) -> str:
        head = ("method", "dial", *(name for name, _ in self[0].axes)) if self else ("method", "dial")
        cells = ([getattr(point, name) for name in head] for point in self)
        texts = ([x if isinstance(x, str) else labelled("", x).strip() for x in row] for row in cells)
        return self._picture() + html_table(head, texts) + (f"<p>{self.origin}</p>" if self.origin else "")

    @property
    def origin(self) -> str:
        """The sentence that says from which value gains count, and how well it is known; "" if it is not."""
        if self.game_value is None or self.game_value_gap is None:
            return ""
        known = f", known to {self.game_value_gap:.2g} chips" if self.game_value_gap else ""
        return f"Gain counts from the value of the game, {self.game_value:.6g} chips{known}."

    def _picture(self) -> str:
        """Gain over risk, a dot for each point, as SVG, without lines between computed points."""
        if not self:
            return ""
        gains, risks = zip(*((gain, risk) for (_, gain), (_, risk) in (point.axes for point in self)), strict=True)
        right, low, top = max(*risks, 1e-9), min(0.0, *gains), max(gains)
        top = top if top > low else low + 1.0
        (gain, _), (risk, _) = self[0].axes
        colours = dict(zip(dict.fromkeys(point.method for point in self), cycle(_COLOURS), strict=False))
        parts = [
            f'<svg width="{_WIDE + 110:.0f}" height="{_HIGH:.0f}" font-family="sans-serif" font-size="12">',
            f'<path d="M{_EDGE} {_EDGE / 2}V{_HIGH - _EDGE}H{_WIDE - _EDGE / 2}" fill="none" stroke="#888"/>',
            f'<text x="{_WIDE / 2}" y="{_HIGH - 8}" text-anchor="middle">{risk} (0 to {right:.3g} chips a hand)</text>',
            f'<text x="4" y="14">{gain} ({low:.3g} to {top:.3g} chips a hand)</text>',
        ]
        for point, x, y in zip(self, risks, gains, strict=True):
            left, up = (_WIDE - 2 * _EDGE) * x / right, (_HIGH - 2 * _EDGE) * (y - low) / (top - low)
            place = f'cx="{_EDGE + left:.1f}" cy="{_HIGH - _EDGE - up:.1f}"'
            parts.append(f'<circle {place} r="4" fill="{colours[point.method]}"/>')
        for row, (method, colour) in enumerate(colours.items()):
            place = f'x="{_WIDE + 6:.0f}" y="{_EDGE + 16 * row:.0f}"'
            parts.append(f'<text {place} fill="{colour}">● {escape(method)}</text>')
        return "".join([*parts, "</svg>"])


def is_cut(points: Sequence[Point]) -> bool:
    """Return whether rnr may have more corners: the intervals of p of two neighbours do not meet."""
    mine = sorted((x.dial_low, x.dial_high or 0.0) for x in points if x.dial_low is not None)
    return any(one[1] < other[0] for one, other in pairwise(mine))


def write_csv(points: Sequence[Point], path: Path) -> None:
    """All points as a CSV file, whole or not at all: with gain and exploitability, or with edge and risk."""
    names = list(points[0].facts) if points else [one.name for one in fields(Point) if one.name not in _BESIDE]
    write_whole(path, csv_of(names, (tuple(point.facts.values()) for point in points)))


_SAFE = "safe"
_JOINED = ("rnr", "mix")
"""Methods that have responses between two of their points, on the line or above it. The lines of others are dotted."""
_MARKS = dict(zip(METHODS, cycle("*os^DvP<Xh"), strict=False))

Line = list[tuple[float, float]]
"""Pairs of exploitability and gain."""


def lines(points: Sequence[Point]) -> dict[str, Line]:
    """The line of each method, from left to right.

    A mixture of two strategies has the mean of their gains and at most the mean of their exploitabilities. So `safe`
    gains at least the upper hull of all points; that is its line, to the right end of the picture. The lines of the
    others join their own points, and are below.
    """
    drawn = {
        method: sorted(x.place for x in points if x.method == method)
        for method in dict.fromkeys(x.method for x in points)
    }
    if _SAFE in drawn:
        drawn[_SAFE] = hull([x.place for x in points])
    return drawn


def hull(points: Sequence[tuple[float, float]]) -> Line:
    """The least concave line that does not fall and has no point above it, over all exploitabilities of the points."""
    top: Line = []
    for cost, gain in sorted(points, key=lambda point: (point[0], -point[1])):
        if top and (gain <= top[-1][1] or cost == top[-1][0]):
            continue
        while len(top) > 1:
            (left, low), (middle, between) = top[-2:]
            if (between - low) * (cost - left) > (gain - low) * (middle - left):
                break
            top.pop()  # on or below the line between its neighbours
        top.append((cost, gain))
    right = max(cost for cost, _ in points)
    return [*top, (right, top[-1][1])] if right > top[-1][0] else top


def write_plot(points: Sequence[Point], path: Path, title: str) -> None:
    """All points as a picture; the format follows the file's ending."""
    pyplot = plotter()
    figure, axes = pyplot.subplots(figsize=(7.0, 4.5), layout="constrained")
    draw_points(points, axes)
    axes.set_title(title)
    save_figure(figure, path, pyplot)


def draw_points(points: Sequence[Point], axes: Any) -> None:
    """Draw points of a frontier, and the line of each method, into axes of matplotlib."""
    for method, line in lines(points).items():
        marker = _MARKS.get(method, "o")
        mine = [x.place for x in points if x.method == method]
        size = 12 if METHODS[method].DIAL is None else 5
        (shown,) = axes.plot(*zip(*mine, strict=True), marker=marker, linestyle="", markersize=size, label=method)
        style = "-" if method == _SAFE else "--" if method in _JOINED else ":"
        if len(line) > 1:
            axes.plot(*zip(*line, strict=True), color=shown.get_color(), linestyle=style, linewidth=1.2)
    (gain, _), (risk, _) = points[0].axes
    axes.set_xlabel(f"{risk} (chips a hand)")
    axes.set_ylabel(f"{gain} against the model (chips a hand)")
    axes.grid(alpha=0.3)
    axes.legend()
