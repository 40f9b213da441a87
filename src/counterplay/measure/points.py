"""The points of a frontier as a list with text forms: one line at a prompt, a picture and a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Protocol, TypeVar

from counterplay.display import brief, html_table, labelled
from counterplay.measure.frontier_point import Axes

_WIDE, _HIGH, _EDGE = 420.0, 260.0, 46.0  # of the picture, and of its margins
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


class _Point(Protocol):
    @property
    def method(self) -> str: ...
    @property
    def axes(self) -> Axes: ...


P = TypeVar("P", bound=_Point)


class Points(list[P]):
    """Points of a frontier, in the order in which they were computed.

    Attributes:
        interrupted: whether Ctrl-C cut it short.
        game_value, game_value_gap: as of `Answer`, from which gains count; None if not known.
    """

    interrupted = False
    game_value: float | None = None
    game_value_gap: float | None = None

    def __repr__(self) -> str:
        return brief(self, "", f"{len(self)} of {', '.join(dict.fromkeys(point.method for point in self))}")

    def _repr_html_(self) -> str:
        head = ("method", "dial", *(name for name, _ in self[0].axes)) if self else ("method", "dial")
        table = html_table(head, ([_cell(getattr(point, name)) for name in head] for point in self))
        return _picture(self) + table + (f"<p>{self.origin}</p>" if self.origin else "")

    @property
    def origin(self) -> str:
        """The sentence that says from which value gains count, and how well it is known; "" if it is not."""
        if self.game_value is None or self.game_value_gap is None:
            return ""
        known = f", known to {self.game_value_gap:.2g} chips" if self.game_value_gap else ""
        return f"Gain counts from the value of the game, {self.game_value:.6g} chips{known}."


def _cell(value: Any) -> str:
    return labelled("", value).strip() if value is None or isinstance(value, float) else str(value)


def _picture(points: Sequence[_Point]) -> str:
    """What is won over what is risked, a dot each, as SVG, without lines between computed points."""
    if not points:
        return ""
    (right, low, top), ((gain, _), (risk, _)) = _limits(points), points[0].axes
    colours = dict(zip(dict.fromkeys(point.method for point in points), _cycled(), strict=False))
    marks = [
        f'<circle cx="{_EDGE + (_WIDE - 2 * _EDGE) * point.axes[1][1] / right:.1f}" '
        f'cy="{_HIGH - _EDGE - (_HIGH - 2 * _EDGE) * (point.axes[0][1] - low) / (top - low):.1f}" '
        f'r="4" fill="{colours[point.method]}"/>'
        for point in points
    ]
    keys = [
        f'<text x="{_WIDE + 6:.0f}" y="{_EDGE + 16 * row:.0f}" fill="{colour}">● {escape(method)}</text>'
        for row, (method, colour) in enumerate(colours.items())
    ]
    axes = (
        f'<path d="M{_EDGE} {_EDGE / 2}V{_HIGH - _EDGE}H{_WIDE - _EDGE / 2}" fill="none" stroke="#888"/>'
        f'<text x="{_WIDE / 2}" y="{_HIGH - 8}" text-anchor="middle">{risk} (0 to {right:.3g} chips a hand)</text>'
        f'<text x="4" y="14">{gain} ({low:.3g} to {top:.3g} chips a hand)</text>'
    )
    size = f'width="{_WIDE + 110:.0f}" height="{_HIGH:.0f}"'
    return f'<svg {size} font-family="sans-serif" font-size="12">{axes}{"".join(marks)}{"".join(keys)}</svg>'


def _limits(points: Iterable[_Point]) -> tuple[float, float, float]:
    """The most that is risked, and the least and the most that is won, apart from each other."""
    gains, risks = zip(*((gain, risk) for (_, gain), (_, risk) in (point.axes for point in points)), strict=True)
    low, top = min(0.0, *gains), max(gains)
    return max(*risks, 1e-9), low, top if top > low else low + 1.0


def _cycled() -> Iterable[str]:
    from itertools import cycle

    return cycle(_COLOURS)
