"""Boards of whole games: all of them up to suit isomorphism, or a random sample."""

from counterplay.poker.whole_game.boards.board import Board, GameBoards
from counterplay.poker.whole_game.boards.seen_boards import AllBoards, DrawnBoards, SeenBoards
from counterplay.poker.whole_game.boards.street_boards import StreetBoards

__all__ = ["AllBoards", "Board", "DrawnBoards", "GameBoards", "SeenBoards", "StreetBoards"]
