"""Spots: a board, two ranges, chips and bets; solved, saved, played. A spot is accepted wherever a game is."""

from counterplay.poker.spots import spot_game

__all__ = ["spot_game"]
