"""Panels of a figure, as rows and columns of the experiment's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LinePanel:
    """Numbers along an axis of opponents, with a series for each way to respond.

    Attributes:
        title: above the panel.
        measure: the measure, with units.
        rows: the opponents in order, each with its label on the axis.
        columns: the series, each with its name in the legend.
        average: the row of averages, set apart as `avg.`; empty without one.
        across: label of the axis.
    """

    title: str
    measure: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]
    average: str
    across: str

    @property
    def names(self) -> list[str]:
        """Names of the series in the legend."""
        return list(self.columns.values())


@dataclass(frozen=True)
class TradePanel:
    """Gain over exploitability, a curve for each way to respond.

    Attributes:
        title: above the panel.
        rows: the points of every curve, in order.
        columns: for each name in the legend, the columns of gain and of exploitability.
    """

    title: str
    rows: Sequence[str]
    columns: Mapping[str, tuple[str, str]]

    @property
    def names(self) -> list[str]:
        """Names of the series in the legend."""
        return list(self.columns)


@dataclass(frozen=True)
class PointPanel:
    """Points over a number, a series for each column; axes are logarithmic, unless ranks are shown.

    Attributes:
        title: above the panel.
        across: label of the horizontal axis.
        measure: label of the vertical axis.
        rows: the points of each series.
        x: horizontal position of each row, or the column with it.
        columns: the series, each with its name in the legend.
        joined: whether lines join the points, in the order of the rows.
        ranked: whether the horizontal axis shows ranks, from the smallest number.
    """

    title: str
    across: str
    measure: str
    rows: Sequence[str]
    x: str | Mapping[str, float]
    columns: Mapping[str, str]
    joined: bool = False
    ranked: bool = False

    @property
    def names(self) -> list[str]:
        """Names of the series in the legend."""
        return list(self.columns.values())


@dataclass(frozen=True)
class RangePanel:
    """Intervals, with points in or beside them.

    Attributes:
        title: above the panel.
        measure: label of the vertical axis.
        rows: the intervals in order, each with its label.
        ends: the columns of the two ends.
        columns: the points, each with its name in the legend.
    """

    title: str
    measure: str
    rows: Mapping[str, str]
    ends: tuple[str, str]
    columns: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """Names of the series in the legend."""
        return list(self.columns.values())


@dataclass(frozen=True)
class HeatPanel:
    """A matrix of numbers from 0 to 1, in digits and colours.

    Attributes:
        title: above the panel.
        rows: from the top, each with its label.
        columns: from the left, each with its label.
    """

    title: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """None: it has no series."""
        return []


@dataclass(frozen=True)
class DialPanel:
    """Numbers over a dial such as alpha, a curve for each column; rows with the same dial are averaged.

    Attributes:
        title: above the panel.
        dial: label of the horizontal axis.
        measure: label of the vertical axis, with units.
        rows: each with its dial.
        columns: the curves, each with its name in the legend.
        level: the name in the legend of a baseline; empty without one.
    """

    title: str
    dial: str
    measure: str
    rows: Mapping[str, float]
    columns: Mapping[str, str]
    level: str = ""

    @property
    def names(self) -> list[str]:
        """Names of the series in the legend."""
        return list(self.columns.values())


Panel = LinePanel | TradePanel | PointPanel | RangePanel | HeatPanel | DialPanel
