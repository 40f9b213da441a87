"""Boards of whole games: all of them up to suit isomorphism, or a random sample."""

from counterplay.poker.whole_game.boards.board import Board, GameBoards
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards, SeenBoards

__all__ = ["Board", "DrawnBoards", "GameBoards", "SeenBoards"]
