"""Spots: a board, two ranges, chips and bets; solved, saved, played. A spot stands for its game where one is asked for."""

from counterplay.poker.spots import spot_game

__all__ = ["spot_game"]
