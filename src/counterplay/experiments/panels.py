"""Panels of a figure, as rows and columns of the experiment's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LinePanel:
    """One number after the other along an axis of opponents, a series for each way to respond.

    Attributes:
        title: above the panel.
        measure: what the numbers are, with units.
        rows: the opponents in order, each with what stands below it.
        columns: the series, each with its name in the legend.
        average: the row of averages, which stands apart as `avg.`; empty if there is none.
        across: what the opponents are told apart by.
    """

    title: str
    measure: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]
    average: str
    across: str

    @property
    def names(self) -> list[str]:
        """What the legend calls its series."""
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
        """What the legend calls its series."""
        return list(self.columns)


@dataclass(frozen=True)
class PointPanel:
    """Points over a number, a series for each column; both axes are logarithmic, but not with ranks.

    Attributes:
        title: above the panel.
        across: what the numbers across are.
        measure: what the numbers upward are.
        rows: the points of every series.
        x: the number across of each row, or the column in which it stands.
        columns: the series, each with its name in the legend.
        joined: by lines, in the order of the rows.
        ranked: across stand the ranks of the numbers, from the smallest, and not the numbers.
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
        """What the legend calls its series."""
        return list(self.columns.values())


@dataclass(frozen=True)
class RangePanel:
    """Intervals with points in and beside them.

    Attributes:
        title: above the panel.
        measure: what the numbers are.
        rows: the intervals in order, each with what stands below it.
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
        """What the legend calls its series."""
        return list(self.columns.values())


@dataclass(frozen=True)
class HeatPanel:
    """A matrix of numbers from 0 to 1, written and as colours.

    Attributes:
        title: above the panel.
        rows: from above, each with what stands beside it.
        columns: from the left, each with what stands below it.
    """

    title: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """It has no series."""
        return []


@dataclass(frozen=True)
class DialPanel:
    """One number over a dial such as alpha, a curve for each column; rows of the same number on the dial are averaged.

    Attributes:
        title: above the panel.
        dial: what the numbers across are.
        measure: what the numbers upward are, with units.
        rows: each with its number on the dial.
        columns: the curves, each with its name in the legend.
        level: the name in the legend that is a baseline; empty if there is none.
    """

    title: str
    dial: str
    measure: str
    rows: Mapping[str, float]
    columns: Mapping[str, str]
    level: str = ""

    @property
    def names(self) -> list[str]:
        """What the legend calls its series."""
        return list(self.columns.values())


Panel = LinePanel | TradePanel | PointPanel | RangePanel | HeatPanel | DialPanel
