"""Gain against exploitability over p, a panel for each opponent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from counterplay_papers.cells.model_cells import EXPLOITABILITY, GAIN, Way, cells_of, column
from counterplay_papers.experiment import Cell
from counterplay_papers.panels import TradePanel


def tradeoffs(
    name: str,
    spec: str,
    opponents: Sequence[str],
    methods: Mapping[str, Callable[[float], Way]],
    trust: Sequence[float],
    slow: Callable[[str, float], bool],
) -> tuple[list[Cell], list[TradePanel]]:
    """A row for each opponent and p, such as `leduc, cfr:5, p=0.5`.

    Args:
        name: the game, in the names of rows and in titles.
        spec: the game, to load.
        opponents: their texts.
        methods: the response of each name for a p.
        trust: the p in order.
        slow: whether `--quick` leaves out an opponent's p.
    """
    cells: list[Cell] = []
    panels = []
    for source in opponents:
        rows = {f"{name}, {source}, p={p:g}": p for p in trust}
        for row, p in rows.items():
            ways = {method: way(p) for method, way in methods.items()}
            cells += cells_of(row, spec, source, ways, [GAIN, EXPLOITABILITY], slow(source, p))
        columns = {method: (column(method, GAIN), column(method, EXPLOITABILITY)) for method in methods}
        panels.append(TradePanel(f"{name}, {source}", tuple(rows), columns))
    return cells, panels
