"""Ranges of hands: notation, grid, equity."""
