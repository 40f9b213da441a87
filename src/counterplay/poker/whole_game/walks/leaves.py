"""Values at the limit of a look-ahead over boards: hands checked down, or both players going on by a strategy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from numpy.typing import NDArray

from counterplay.poker.whole_game.board_walk import BoardWalk
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.boards.seen_boards import SeenBoards
from counterplay.poker.whole_game.holdem import Floats, HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.walks.check_down import CheckDown, Stake


class StreetLeaf(Protocol):
    """Value to a player of the streets beyond a look-ahead."""

    def below(self, board: Board, entry: NDArray[Any], children: Iterable[tuple[Board, float]] | None = None) -> Floats:
        """(entries, places) as `BoardWalk.below`."""


class EquityLeaf:
    """Nobody bets any more: hands are worth their share of the pot.

    Args:
        game: of both players; the leaf is the same for both.
        seen: boards that are seen; all unless given.
    """

    def __init__(self, game: HoldemGame, seen: SeenBoards | None = None) -> None:
        self._at = [None, *(_entries(game, street, seen) for street in range(1, game.last + 1))]

    def below(self, board: Board, entry: NDArray[Any], children: Iterable[tuple[Board, float]] | None = None) -> Floats:
        known = self._at[board.street + 1]
        assert known is not None
        return known.below(board, entry, children)


def _entries(game: HoldemGame, street: int, seen: SeenBoards | None) -> CheckDown:
    """Of the entries of a street; there both players have put in the same."""
    nodes = game.roots[street].tolist()
    stakes = [Stake(k, k, float(game.betting.pot[node]) / 2) for k, node in enumerate(nodes)]
    return CheckDown(game, stakes, (len(nodes), len(nodes)), seen)


def strategy_leaf(game: HoldemGame, player: int, play: BlueprintStrategy, seen: SeenBoards | None = None) -> StreetLeaf:
    """Both go on as a strategy says, the opponent from the range with which they came: the values of a blueprint."""
    return BoardWalk(game, player, play, play, seen)
