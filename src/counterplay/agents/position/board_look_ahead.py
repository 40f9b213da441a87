"""Positions in whole games of hold'em that look ahead to the end of one street, with portfolios behind it, and solve each
board of the next street again when it is dealt."""

from __future__ import annotations

from dataclasses import replace

from counterplay.agents.position.board_search_settings import SearchSettings
from counterplay.agents.position.whole_game import BoardSearch, Line
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


class LookAheadSearch(BoardSearch):
    """Decides the street before the first that is solved to the end by a look-ahead (see `portfolio_look_ahead`), and solves
    the boards after it again: what it decided is the blueprint there.

    Args:
        rules: rules of the game.
        settings: with a look-ahead.
        seat: 0 or 1.
        seed: of what the look-ahead draws.
    """

    def __init__(self, rules: Holdem, settings: SearchSettings, seat: int, seed: int) -> None:
        assert settings.ahead is not None
        self._given, (self._ahead, self._ways), self._seed = settings, settings.ahead, seed
        self._looked: tuple[Line, LookAheadStrategy] | None = None
        super().__init__(rules, settings, seat)

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        street = int(self.rules.betting.street[node])
        if street < self.street - 1:
            return super().rows(node, board)
        with limited_seconds(self._ahead.stop.seconds):
            look = self._look(node, board, self._ahead)
        if street == self.street - 1:
            return probabilities(self.game, look, node, board)
        self.settings = replace(self._given, blueprint=look)
        return super().rows(node, board)

    def piece(self, entry: int, board: tuple[int, ...], given: F64 | None) -> BoardSubtree:
        """With the alternative values that the look-ahead counted on, if it is over a network."""
        worth = None if self._looked is None else self._looked[1].worth.get(entry)
        if worth is None:
            return super().piece(entry, board, given)
        return valued_board(self.game, entry, board, self.seat, worth)

    def _look(self, node: int, board: tuple[int, ...], search: Search) -> LookAheadStrategy:
        """The look-ahead on the way to a node; it is kept until another one is asked for."""
        street = self.street - 1
        shown = (*sorted(board[: DEALT[1]]), *board[DEALT[1] : DEALT[street]])
        roots = self.game.roots[street].tolist()
        entry = max(k for k, root in enumerate(roots) if root < node)  # the last one before it in the walk of the tree
        if self._looked is None or self._looked[0] != (entry, shown):
            given, (at, _) = self._given, self.game.boards.find_board(shown)
            plays = LookAheadPlays(given.blueprint, self._ways, given.model if search.p > 0.0 else None)
            found = look_ahead_on_board(
                self.game, at, self.seat, plays, search, lines=[entry], profile=given.profile, seed=self._seed
            )
            self._looked = (entry, shown), found
            self.kept.clear()  # solves of later boards began with another one
        return self._looked[1]

    def warm(self) -> None:
        """One iteration of a look-ahead, too."""
        super().warm()
        betting, roots = self.game.betting, self.game.roots[self.street - 1].tolist()
        first = next(children[0] for node in roots if (children := betting.children(node)))
        self._look(first, self.first_board(self.street - 1).cards, replace(self._ahead, stop=Stop(iterations=1)))
        self._looked = None
