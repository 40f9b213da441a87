"""What the panels of a figure show, in rows and columns of the experiment's table."""

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
        average: the row of averages, which stands apart as `a`; empty if there is none.
    """

    title: str
    measure: str
    rows: Mapping[str, str]
    columns: Mapping[str, str]
    average: str


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


Panel = LinePanel | TradePanel
