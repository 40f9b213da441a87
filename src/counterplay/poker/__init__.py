"""Poker: cards, ranges, betting, public trees, spots, node locks and whole games."""
