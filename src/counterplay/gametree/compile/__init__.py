"""Histories to a compiled game: treeplexes, payoff, levels, public states."""
