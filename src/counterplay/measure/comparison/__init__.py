"""Comparisons of methods across games and opponents.

Door: `contests.contests` checks them, `comparison.compare` computes them.
"""
