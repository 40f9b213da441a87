"""Comparisons of methods across games and opponents: `contests` checks them, `compare` computes them."""
