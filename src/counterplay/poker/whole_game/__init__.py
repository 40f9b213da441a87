"""Whole hold'em games, solved by vectors of hands: today Flop Hold'em."""
