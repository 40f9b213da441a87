"""Widgets for notebooks (extra `counterplay[notebook]`): the page's grid of a node, and a frontier.

They are drawn by the page's own modules, joined into one, since a widget has a single file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from counterplay.measure.frontier_point import Point
from counterplay.page.views import classes_view, node_view
from counterplay.poker.spots.solution import SolvedSpot

_STATIC = Path(__file__).parent / "static"
_SCOPE = ".counterplay"
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=function|const|async)", re.MULTILINE)


class NodeGrid(anywidget.AnyWidget):
    """A node of a solved spot: strategy, EV, equity and range, class by class."""

    classes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    node = traitlets.Dict().tag(sync=True)

    def __init__(self, solved: SolvedSpot, path: str = "", **more: Any) -> None:
        """A node of a spot. Errors as in `SolvedSpot.node`.

        Args:
            solved: from `solve_spot` or a file; or an answer.
            path: of the node, such as "x b100 c Ah".
        """
        super().__init__(classes=classes_view(), node=node_view(solved, path), **more)


class FrontierChart(anywidget.AnyWidget):
    """Gain against exploitability, method by method, with the numbers of the point under the pointer, and the value from
    which gains count."""

    points = traitlets.List(traitlets.Dict()).tag(sync=True)
    origin = traitlets.Unicode().tag(sync=True)

    def __init__(self, points: Iterable[Point], **more: Any) -> None:
        """A frontier. points: from `cp.frontier`."""
        super().__init__(points=[point.facts for point in points], origin=getattr(points, "origin", ""), **more)


def join_modules(*names: str) -> str:
    """The page's modules as one, the last with its exports."""
    texts = [(_STATIC / name).read_text(encoding="utf-8") for name in names]
    plain = [_IMPORT.sub("", text) for text in texts]
    return "\n".join([*(_EXPORT.sub("", text) for text in plain[:-1]), plain[-1]])


def scope_style() -> str:
    """The page's rules for grids and charts, and its colours, for elements inside a widget alone."""
    text = (_STATIC / "style.css").read_text(encoding="utf-8")
    colours = re.search(r":root \{(.*?)\}", text, re.DOTALL)
    assert colours
    rules = [
        f"{_SCOPE} {line}" for line in text.splitlines() if line.startswith(("svg.", ".swatch", "table", "th,", "td"))
    ]
    return "\n".join([f"{_SCOPE} {{{colours[1]}}}", *rules])


NodeGrid._esm = join_modules("dom.js", "grid.js", "strip.js", "widget_node.js")
FrontierChart._esm = join_modules("dom.js", "chart.js", "frontier.js", "widget_frontier.js")
NodeGrid._css = FrontierChart._css = scope_style()
