"""Ranges of hands: notation, grid, equity.

Door: `range.Range`, `notation.parse_range`, `equity.equity`, `grid.show_strategy`.
"""
