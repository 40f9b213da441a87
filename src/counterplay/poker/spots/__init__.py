"""Spots: a board, two ranges, chips and bets; solved, saved, played."""
