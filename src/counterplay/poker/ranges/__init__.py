"""Ranges of hands: notation, grid, equity.

Door: `range.Range`, `range.parse_range`, `equity.equity`, `grid.show_strategy`.
"""
