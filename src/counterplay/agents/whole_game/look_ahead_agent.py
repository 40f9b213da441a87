"""Agents of whole hold'em games that look ahead to the end of one street, with portfolios behind it, and solve each board of
the next street again when it is dealt."""

from __future__ import annotations

from dataclasses import replace

from counterplay.agents.whole_game.agents import StreetSearchAgent
from counterplay.agents.whole_game.search_settings import SearchSettings
from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.blueprints.whole_game.portfolio_look_ahead import LookAheadPlays, look_ahead_on_board
from counterplay.blueprints.whole_game.valued_street import valued_board
from counterplay.budget import limited_seconds
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.lookup import probabilities
from counterplay.poker.whole_game.rules import Holdem
from counterplay.poker.whole_game.strategies.look_ahead_strategy import LookAheadStrategy
from counterplay.solvers.cfr import Stop


class LookAheadAgent(StreetSearchAgent):
    """Decides one street by a look-ahead (see `portfolio_look_ahead`), and solves the boards after it again: what it decided
    is the blueprint there.

    Args:
        rules: rules of the game.
        asked: search settings with a look-ahead of the street before the first that is solved to the end.
        seat: 0 or 1.
        draws: seed of its draws.
    """

    def __init__(self, rules: Holdem, asked: SearchSettings, seat: int, draws: int) -> None:
        assert asked.ahead is not None
        self._settings, (self._ahead, self._ways), self._seed = asked, asked.ahead, draws
        self._looked: tuple[tuple[int, tuple[int, ...]], LookAheadStrategy] | None = None
        super().__init__(rules, asked, seat, draws)

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        street = int(self._rules.betting.street[node])
        if street < self._street - 1:
            return super().rows(node, board)
        with limited_seconds(self._ahead.stop.seconds):
            look = self._look(node, board, self._ahead)
        if street == self._street - 1:
            return probabilities(self._game, look, node, board)
        self._asked = replace(self._settings, blueprint=look)
        return super().rows(node, board)

    def _piece(self, entry: int, board: tuple[int, ...], given: F64 | None) -> BoardSubtree:
        """With the alternative values that the look-ahead counted on, if it is over a network."""
        worth = None if self._looked is None else self._looked[1].worth.get(entry)
        if worth is None:
            return super()._piece(entry, board, given)
        return valued_board(self._game, entry, board, self.seat, worth)

    def _look(self, node: int, board: tuple[int, ...], search: Search) -> LookAheadStrategy:
        """The look-ahead on the way to a node; it is kept until another one is asked for."""
        street = self._street - 1
        shown = (*sorted(board[: DEALT[1]]), *board[DEALT[1] : DEALT[street]])
        roots = self._game.roots[street].tolist()
        entry = max(k for k, root in enumerate(roots) if root < node)  # the last one before it in the walk of the tree
        if self._looked is None or self._looked[0] != (entry, shown):
            asked, (at, _) = self._settings, self._game.boards.find_board(shown)
            plays = LookAheadPlays(asked.blueprint, self._ways, asked.model if search.p > 0.0 else None)
            found = look_ahead_on_board(
                self._game, at, self.seat, plays, search, lines=[entry], profile=asked.profile, seed=self._seed
            )
            self._looked = (entry, shown), found
            self._kept.clear()  # solves of later boards began with another one
        return self._looked[1]

    def _warm(self) -> None:
        """Also one iteration of a look-ahead."""
        super()._warm()
        game, street = self._game, self._street - 1
        board = game.boards.root
        for _ in range(street):
            board = game.boards.child(board, 0)
        entry = next(k for k, node in enumerate(game.roots[street].tolist()) if game.betting.children(node))
        brief = replace(self._ahead, stop=Stop(iterations=1))
        self._look(game.betting.children(int(game.roots[street][entry]))[0], board.cards, brief)
        self._looked = None
