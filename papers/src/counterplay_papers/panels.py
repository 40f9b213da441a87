"""Panels of a figure: rows and columns of the experiment's table, and how they are drawn on axes of matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from math import log10, sqrt
from statistics import fmean, stdev
from typing import Any

Found = Mapping[tuple[str, str], float]
"""What was computed, by row and column."""
Styles = Mapping[str, Mapping[str, Any]]
"""Colour, marker and dashes of every name in the legend."""


@dataclass(frozen=True)
class Panel:
    """A panel of curves or points.

    Attributes:
        title: above it.
        rows: of the table, in order, each with its label or its place along the horizontal axis.
        columns: of the table, each with its name in the legend.
        across, measure: labels of the axes, with units.
    """

    title: str
    rows: Mapping[str, Any]
    columns: Mapping[str, Any]
    _: KW_ONLY
    across: str = ""
    measure: str = ""

    @property
    def names(self) -> list[str]:
        """Names in the legend."""
        return list(self.columns.values())

    def is_computed(self, found: Found) -> bool:
        """Return whether there is anything to draw."""
        return any((row, column) in found for row in self.rows for column in self.columns)

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """Draw what was computed."""
        raise NotImplementedError

    def _label(self, axes: Any) -> None:
        axes.set_xlabel(self.across)
        axes.set_ylabel(self.measure)


@dataclass(frozen=True)
class LinePanel(Panel):
    """Numbers along an axis of opponents. average: the row of averages, set apart as `avg.`; empty without one."""

    _: KW_ONLY
    average: str = ""

    def is_computed(self, found: Found) -> bool:
        return super().is_computed(found) or any((self.average, column) in found for column in self.columns)

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """The opponents that were computed, from left to right, and the average apart from them."""
        rows = [row for row in self.rows if any((row, column) in found for column in self.columns)]
        ticks, apart = [self.rows[row] for row in rows], len(rows) + _APART
        for number, (column, name) in enumerate(self.columns.items()):
            at = [(x, found[row, column]) for x, row in enumerate(rows) if (row, column) in found]
            if at:
                axes.plot(*zip(*at, strict=True), label=name, linewidth=0.9, **styles[name])
            if (self.average, column) in found:
                aside = (number + 0.5) / len(self.columns) - 0.5  # beside each other, for averages are often close
                axes.plot(apart + aside, found[self.average, column], **styles[name])
        axes.axhline(0.0, color="black", linewidth=0.8)
        every = 1 + len(rows) // _TICKS
        places: list[float] = list(range(0, len(rows), every))
        words = ticks[::every]
        if self.average:
            axes.axvline(apart - 0.5 * (1.0 + _APART), color="grey", linewidth=0.8, linestyle=":")
            places, words = [*places, apart], [*words, _AVERAGE]
        axes.set_xticks(places, words)
        self._label(axes)
        if self.average:
            axes.set_xlabel(f"{self.across}; {_AVERAGE}: average over these")


_APART, _AVERAGE = 0.4, "avg."
"""Distance of the averages from the last opponent, beyond one place of the axis, and their tick."""
_TICKS = 12
"""The most opponents that each have a name on the axis."""


@dataclass(frozen=True)
class TradePanel(Panel):
    """Gain over exploitability; for each name in the legend the columns of gain and of exploitability."""

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    def is_computed(self, found: Found) -> bool:
        return any(all((row, x) in found for x in pair) for row in self.rows for pair in self.columns.values())

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """The points of a curve are joined in their order, for more trust need not mean more exploitability."""
        for name, (gain, risk) in self.columns.items():
            at = [
                (found[row, risk], found[row, gain]) for row in self.rows if {(row, risk), (row, gain)} <= found.keys()
            ]
            if at:
                axes.plot(*zip(*at, strict=True), label=name, linewidth=1.2, **styles[name])
        axes.set_xlabel("exploitability (chips)")
        axes.set_ylabel("gain (chips)")


@dataclass(frozen=True)
class PointPanel(Panel):
    """Points over a number on logarithmic axes; rows are placed by their numbers, or by a column `x`.

    Attributes:
        x: the column with the horizontal position; empty where `rows` have it.
        joined: whether lines join the points, in the order of the rows.
        ranked: whether the horizontal axis shows ranks, from the smallest number; axes are linear then.
    """

    _: KW_ONLY
    x: str = ""
    joined: bool = False
    ranked: bool = False

    def _places(self, found: Found) -> dict[str, float]:
        across = {row: found.get((row, self.x)) if self.x else at for row, at in self.rows.items()}
        return {row: number for row, number in across.items() if number is not None}

    def is_computed(self, found: Found) -> bool:
        return any((row, column) in found for row in self._places(found) for column in self.columns)

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """The grey line is where both axes are equal, the black one 0."""
        known = self._places(found)
        ranks = {row: rank + 1.0 for rank, row in enumerate(sorted(known, key=known.__getitem__))}
        place = ranks if self.ranked else known
        for column, name in self.columns.items():
            at = [(place[row], found[row, column]) for row in self.rows if row in known and (row, column) in found]
            if at:
                style = styles[name] if self.joined else {**styles[name], "linestyle": ""}
                axes.plot(*zip(*at, strict=True), label=name, linewidth=0.9, **style)
        if self.ranked:
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.xaxis.get_major_locator().set_params(integer=True)
        else:
            _log_ticks(axes.xaxis, list(known.values()))
            _log_ticks(axes.yaxis, [found[row, c] for row in known for c in self.columns if (row, c) in found])
            if self.x and known:
                ends = [min(known.values()), max(known.values())]
                axes.plot(ends, ends, color="grey", linewidth=0.8, zorder=0)
        self._label(axes)


_DECADES, _FEW = 1.5, 0.5
"""Below so many decades an axis has ticks at 1, 2 and 5; below so few at some even numbers."""


def _log_ticks(axis: Any, numbers: Sequence[float]) -> None:
    """Make an axis logarithmic, with few plain ticks, for the usual ones overprint where there is less than a decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    positive = [number for number in numbers if number > 0.0]
    if not positive:
        return
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    decades = log10(max(positive) / min(positive))
    if decades < _FEW:
        axis.set_major_locator(MaxNLocator(4))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < _DECADES else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axis.set_minor_formatter(NullFormatter())


@dataclass(frozen=True)
class RangePanel(Panel):
    """Intervals, with points in or beside them. ends: the columns of the two ends."""

    ends: tuple[str, str]

    def is_computed(self, found: Found) -> bool:
        return any(all((row, end) in found for end in self.ends) for row in self.rows) or super().is_computed(found)

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """For each row a grey bar from one end to the other, and the points side by side over it."""
        for at, row in enumerate(self.rows):
            if all((row, end) in found for end in self.ends):
                ends = [found[row, end] for end in self.ends]
                axes.plot([at, at], ends, color="lightgrey", linewidth=24.0, solid_capstyle="butt", zorder=0)
                axes.plot([at, at], ends, color="black", linewidth=0.0, marker="_", markersize=24, zorder=1)
        for number, (column, name) in enumerate(self.columns.items()):
            aside = 0.8 * ((number + 0.5) / len(self.columns) - 0.5)
            points = [(at + aside, found[row, column]) for at, row in enumerate(self.rows) if (row, column) in found]
            if points:
                axes.plot(*zip(*points, strict=True), label=name, **{**styles[name], "linestyle": ""})
        axes.set_xticks(range(len(self.rows)), list(self.rows.values()))
        axes.set_ylabel(self.measure)


@dataclass(frozen=True)
class HeatPanel(Panel):
    """A matrix of numbers from 0 to 1, in digits and colours; rows from the top and columns from the left have labels."""

    @property
    def names(self) -> list[str]:
        return []

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """Red is 0, green 1; what was not computed stays white."""
        del styles
        absent = float("nan")
        matrix = [[found.get((row, column), absent) for column in self.columns] for row in self.rows]
        axes.imshow(matrix, vmin=0.0, vmax=1.0, cmap="RdYlGn", aspect="auto")
        for down, row in enumerate(matrix):
            for right, number in enumerate(row):
                if number == number:
                    axes.text(right, down, f"{number:.2f}", ha="center", va="center", fontsize="x-small")
        axes.set_xticks(range(len(self.columns)), list(self.columns.values()), rotation=90, fontsize="small")
        axes.set_yticks(range(len(self.rows)), list(self.rows.values()), fontsize="small")
        axes.grid(visible=False)


@dataclass(frozen=True)
class DialPanel(Panel):
    """Numbers over a dial such as alpha; rows with equal dials are averaged, with bars of a standard error.

    level: the name in the legend of a baseline; empty without one.
    """

    _: KW_ONLY
    level: str = ""

    def draw(self, axes: Any, found: Found, styles: Styles) -> None:
        """The horizontal axis is the whole dial, whatever was computed."""
        for column, name in self.columns.items():
            by_dial: dict[float, list[float]] = {}
            for row, at in self.rows.items():
                if (row, column) in found:
                    by_dial.setdefault(at, []).append(found[row, column])
            if not by_dial:
                continue
            means = [fmean(some) for some in by_dial.values()]
            if name == self.level:
                axes.plot(list(by_dial), means, label=name, linewidth=1.6, linestyle="--", color="black")
                continue
            errors = [stdev(some) / sqrt(len(some)) if len(some) > 1 else 0.0 for some in by_dial.values()]
            axes.errorbar(list(by_dial), means, errors, linewidth=1.0, capsize=2, **styles[name])
            axes.plot([], [], label=name, **styles[name])  # so that the legend has no bars
        first, last = min(self.rows.values()), max(self.rows.values())
        aside = _MARGIN * (last - first)
        axes.set_xlim(first - aside, last + aside)
        self._label(axes)


_MARGIN = 0.05
"""Share of the dial that is free on both sides of it."""
