"""Spots: a board, two ranges, chips and bets; solved, saved, played. A spot is accepted wherever a game is."""

from counterplay.poker.spots import spot_conversion

__all__ = ["spot_conversion"]
