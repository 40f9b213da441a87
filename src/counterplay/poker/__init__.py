"""Poker: cards, hands, ranks of hands, ranges and their grids."""
