"""Boards of whole games: all of them up to suit isomorphism, or a random sample."""

from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, GameBoards, SeenBoards

__all__ = ["Board", "DrawnBoards", "GameBoards", "SeenBoards"]
