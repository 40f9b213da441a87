"""Kubíček et al. 2026, figure 3: exploitability over the iterations of CFR+ for one blueprint. It prints no numbers.

The paper does not say which blueprint; ours is the average of 22 iterations of CFR.
"""

from __future__ import annotations

from counterplay_papers.cells.ggse_cells import (
    BEFORE,
    CONTINUATION,
    GOOFSPIEL_1,
    LIARS_DICE,
    TECHNIQUES,
    resolve_settings,
    row_cells,
)
from counterplay_papers.experiment import Cell, Experiment
from counterplay_papers.panels import PointPanel
from counterplay_papers.paper_sources import GGSE

_SOURCE = "cfr:22"
_ITERATIONS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_QUICK = (10, 1000)


def experiment() -> Experiment:
    """A panel for each place, a row for each number of iterations."""
    cells: list[Cell] = []
    panels = []
    for spot in (GOOFSPIEL_1, LIARS_DICE):
        rows = {f"{spot.name}, {_SOURCE}, {number} iterations": float(number) for number in _ITERATIONS}
        for row, number in rows.items():
            ways = {name: resolve_settings(name, "cfr+", int(number)) for name in TECHNIQUES}
            bounds = {BEFORE: BEFORE, CONTINUATION: CONTINUATION}
            cells += row_cells(spot, _SOURCE, row, {**bounds, **ways}, number not in _QUICK)
        columns = {CONTINUATION: "optimal continuation", **{name: name for name in TECHNIQUES}, BEFORE: BEFORE}
        panels.append(
            PointPanel(spot.name, "iterations", "exploitability (chips)", tuple(rows), rows, columns, joined=True)
        )
    title = f"exploitability over iterations of CFR+, blueprint {_SOURCE} (chips; Goofspiel for points)"
    return Experiment("ggse-convergence", title, f"{GGSE}, figure 3", 4, cells, [panels])
