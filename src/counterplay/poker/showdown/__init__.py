"""Folds and showdowns of two ranges on one board.

Door: `showdown.evaluate`, `terminals.Terminals`.
"""
