"""The picture of a frontier: no line of a method exceeds the largest possible gain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from counterplay.measure.figures import plotter, save_figure
from counterplay.measure.frontier_point import Point
from counterplay.responses import METHODS

SAFE = "safe"
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
        method: sorted(_place(x) for x in points if x.method == method)
        for method in dict.fromkeys(x.method for x in points)
    }
    if SAFE in drawn:
        drawn[SAFE] = hull([_place(x) for x in points])
    return drawn


def _place(point: Point) -> tuple[float, float]:
    """What a point risks and wins."""
    (_, gain), (_, risk) = point.axes
    return risk, gain


def hull(points: Sequence[tuple[float, float]]) -> Line:
    """The least concave line that does not fall and has no point above it, over all exploitabilities of the points."""
    top: Line = []
    for cost, gain in sorted(points, key=lambda point: (point[0], -point[1])):
        if top and (gain <= top[-1][1] or cost == top[-1][0]):
            continue
        while len(top) > 1 and _is_below(top[-1], top[-2], (cost, gain)):
            top.pop()
        top.append((cost, gain))
    right = max(cost for cost, _ in points)
    return [*top, (right, top[-1][1])] if right > top[-1][0] else top


def _is_below(middle: tuple[float, float], left: tuple[float, float], right: tuple[float, float]) -> bool:
    """Whether a point is on or below the line between two others."""
    risen, run = right[1] - left[1], right[0] - left[0]
    return (middle[1] - left[1]) * run <= risen * (middle[0] - left[0])


def write_plot(points: Sequence[Point], path: Path, title: str) -> None:
    """All points as a picture; the format follows the file's ending."""
    pyplot = plotter()
    figure, axes = pyplot.subplots(figsize=(7.0, 4.5), layout="constrained")
    for method, line in lines(points).items():
        marker = _MARKS.get(method, "o")
        mine = [_place(x) for x in points if x.method == method]
        size = 12 if METHODS[method].DIAL is None else 5
        (shown,) = axes.plot(*zip(*mine, strict=True), marker=marker, linestyle="", markersize=size, label=method)
        style = "-" if method == SAFE else "--" if method in _JOINED else ":"
        if len(line) > 1:
            axes.plot(*zip(*line, strict=True), color=shown.get_color(), linestyle=style, linewidth=1.2)
    (gain, _), (risk, _) = points[0].axes
    axes.set_xlabel(f"{risk} (chips a hand)")
    axes.set_ylabel(f"{gain} against the model (chips a hand)")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    save_figure(figure, path, pyplot)
