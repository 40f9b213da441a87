"""A node of a solved spot as a grid for notebooks: 13×13 cells, filled in proportion to their weight."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from counterplay.arrays import F64
from counterplay.poker.cards.deck import FULL, Deck
from counterplay.poker.ranges.colours import colours
from counterplay.poker.ranges.grid import LEAST, SIDE, cell_name, shares_of, to_grid

_CELL = 30  # pixels


def grid_html(
    title: str,
    probabilities: F64,
    actions: Sequence[str],
    weights: F64,
    *,
    board: Sequence[int] = (),
    deck: Deck = FULL,
) -> str:
    """The strategy of a range: in each cell the shares of the actions from left to right, as high as the class is there.
    probabilities: (n, actions) of each hand of the deck. weights: (n,) of the hands, from 0 to 1."""
    shades = colours(actions)
    grid, there = to_grid(probabilities, weights, deck=deck), shares_of(weights, board=board, deck=deck)
    rows = []
    for i in range(SIDE):
        found = [_cell(cell_name(SIDE * i + j), grid[i, j], float(there[i, j]), shades) for j in range(SIDE)]
        rows.append(f"<tr>{''.join(found)}</tr>")
    held = weights > 0.0
    means = weights[held] @ probabilities[held] / max(float(weights.sum()), 1e-300)
    keys = (
        f'<span style="color:{shade}">■</span> {escape(name)} {mean:.1%}'
        for name, shade, mean in zip(actions, shades, means.tolist(), strict=True)
    )
    style = "border-collapse:collapse;font:11px sans-serif"
    return f"<div>{escape(title)}</div><table style='{style}'>{''.join(rows)}</table><div>{' '.join(keys)}</div>"


def _cell(name: str, odds: F64, share: float, shades: Sequence[str]) -> str:
    """One class: a picture of its own in the background."""
    size = f"width:{_CELL}px;height:{_CELL}px;padding:0;text-align:center;border:1px solid #ccc"
    if share < LEAST or not np.isfinite(odds).all():
        return f'<td style="{size};color:#999">{name}</td>'
    ends = np.cumsum(odds) * 100.0
    stops = [
        f"{shade} {end - 100.0 * part:.1f}% {end:.1f}%" for shade, end, part in zip(shades, ends, odds, strict=True)
    ]
    fill = f"linear-gradient(90deg,{','.join(stops)}) bottom/100% {100.0 * min(share, 1.0):.1f}% no-repeat"
    return f'<td style="{size};background:{fill}">{name}</td>'
