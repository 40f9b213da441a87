"""Widgets hold the page's views; their modules stand alone."""

from __future__ import annotations

import re

import pytest

import counterplay as cp
from counterplay.page.views import node_view
from counterplay.page.widgets import FrontierChart, NodeGrid
from tests.support.page import SPOT


def test_widgets_hold_the_views_and_draw_with_the_page_s_modules() -> None:
    solved = cp.solve_spot(cp.Spot(**SPOT), iterations=20)
    grid = NodeGrid(solved, "check")
    assert grid.node == node_view(solved, "check")
    assert len(grid.classes) == 169
    game = cp.load("kuhn")
    points = cp.frontier(game, cp.opponent(game, "random:1"), ("rnr",))
    chart = FrontierChart(points)
    assert [one["gain"] for one in chart.points] == [one.gain for one in points]
    assert chart.origin.startswith(f"Gain counts from the value of the game, {points.game_value:.6g} chips")
    assert FrontierChart(list(points)).origin == ""
    for widget in (grid, chart):
        module = str(widget._esm)
        assert not re.search(r"^import ", module, re.MULTILINE)
        assert module.count("export ") == 1
        assert "body" not in str(widget._css)
    with pytest.raises(cp.InputError):
        NodeGrid(solved, "nowhere")
