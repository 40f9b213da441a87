"""Boards of whole games: all of them up to renamings of suits, or a few drawn."""
