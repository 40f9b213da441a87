"""A look-ahead of one street of a board, behind which both players go on by portfolios: adapting beyond the depth limit
(Milec et al. 2025) where the rest of the hand is too large to be solved. A value function of both ranges may stand there
instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.continued_street import ContinuedStreet, continued_street
from counterplay.blueprints.whole_game.street_alone import StreetAlone
from counterplay.blueprints.whole_game.valued_street import ValuedStreet, valued_street, values_ranges
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import ResolvedSubtree, enter, pose
from counterplay.lookahead.search import Search
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import (
    LookAheadStrategy,
    NextStreetValues,
    Ways,
    average_by_lane,
    table_in_lanes,
)
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.value_functions.sampled_portfolio import SampledPortfolio

SOLVER = "dcfr:1,1,1,simultaneous"
"""Linear CFR, as wherever boards are drawn; both players learn from the same ones."""


class LookAheadPlays(NamedTuple):
    """The strategies of a look-ahead.

    Attributes:
        base: both players', so far.
        ways: of each player, those behind the street.
        model: of the opponent; None without.
    """

    base: BlueprintStrategy
    ways: Ways
    model: BlueprintStrategy | None = None


def look_ahead_on_board(
    game: HoldemGame,
    board: Board,
    player: int,
    plays: LookAheadPlays,
    search: Search,
    *,
    lines: Iterable[int] | None = None,
    profile: bool = False,
    seed: int | None = 0,
) -> LookAheadStrategy:
    """Solve the street of a board for a player, and what the other does in it.

    Args:
        game: a game that goes on after the board's street.
        board: the board.
        player: who searches.
        plays: the strategies.
        search: p, alpha, gadget (resolving or unsafe), when to stop, and a value function that stands behind the street
            instead of strategies.
        lines: the betting before, as numbers in `HoldemGame.roots`; all of it unless given.
        profile: alternative values are those of the opponent's part of `base`, not of a best response.
        seed: of the boards to come; None to see all of them in every iteration.

    Raises:
        InputError: as `check_look_ahead`.
    """
    check_look_ahead(game, board.street, search)
    roots = game.roots[board.street].tolist()
    asked = [k for k, node in enumerate(roots) if game.betting.children(node)] if lines is None else list(lines)
    made = _Collected(game, board, plays)
    for entry in asked:
        line = board.street, entry
        piece: StreetAlone
        if values_ranges(search.value):
            piece = valued_street(game, line, board, player, search.value)
        else:
            piece = continued_street(game, line, board, player, plays, seed)
        found = _solved(piece, plays, search, profile)
        if found is not None:
            made.add(piece, found)
    return made.strategy()


def check_look_ahead(game: HoldemGame, street: int, search: Search) -> None:
    """Refuse what no look-ahead of a street with portfolios behind it can be asked.

    Raises:
        InputError: p = 1, where there is nothing to iterate, another gadget, values by sampling, or the game ends on the
            street.
    """
    if search.p == 1.0:
        raise InputError("at p = 1 a look-ahead with portfolios is a best response: ask for cdbr or lbr")
    if search.gadget.chooses_one or search.gadget.keeps_path:
        raise InputError(
            f"a look-ahead with portfolios on a board is entered by resolving or unsafe, not {search.gadget}"
        )
    if isinstance(search.value, SampledPortfolio):
        raise InputError("on a board the boards to come are drawn anew in each iteration: give portfolio, not sampled")
    if street >= game.last:
        raise InputError("behind a portfolio there must be cards to come")


def _solved(piece: StreetAlone, plays: LookAheadPlays, search: Search, profile: bool) -> ResolvedSubtree | None:
    """The solution of one line; None where the opponent does not come."""
    begin, seconds = run_time(), search.stop.seconds
    known = known_at_board(piece, plays.base, plays.model, search, profile=profile)
    game = enter(piece, search, known)
    if game is None:
        return None
    search = search.with_seconds(seconds, run_time() - begin)
    posed = pose(game, piece, search, known, blind=True)
    found: ResolvedSubtree = posed.read(posed.solve.advance())
    if found.interrupted:
        raise KeyboardInterrupt
    return found


class _Collected:
    """Both players' strategies on a board, line by line."""

    def __init__(self, game: HoldemGame, board: Board, plays: LookAheadPlays) -> None:
        self._game, self._board, self._plays = game, board, plays
        self._tables: list[F64] = [table_in_lanes(plays.base, player, board) for player in (0, 1)]
        self._shares, self._worth = list[F64](), dict[int, NextStreetValues]()
        for side, ways in zip(game.sides, plays.ways, strict=True):
            shares = np.zeros((len(side.entries[board.street + 1]), len(ways) + 1, len(board.hand)))
            shares[:, -1] = 1.0  # as before wherever nothing is decided
            self._shares.append(shares)

    def add(self, piece: StreetAlone, found: ResolvedSubtree) -> None:
        """Take what both do after one line."""
        for player in (0, 1):
            before = piece.behaviour(self._plays.base, player)
            self._add_decisions(piece, player, found.played(player, before)[: len(before)])
            if isinstance(piece, ContinuedStreet):
                self._add_shares(piece, player, piece.shares(player, found.solution.plans[player]))
        if isinstance(piece, ValuedStreet):
            self._worth |= piece.on_boards(found.solution.plans)

    def _add_decisions(self, piece: StreetAlone, player: int, behaviour: F64) -> None:
        runs, betting, table = piece.whole.runs[player], piece.whole.betting, self._tables[player]
        lane = self._board.lane[piece.place]
        for at in piece.decisions(player):
            for node, sequence in at.nodes:
                children = betting.children(node)
                rows = np.zeros((len(children), table.shape[1]))
                for row, child in zip(rows, children, strict=True):
                    start = int(runs.start[child]) + at.first
                    np.add.at(row, lane, behaviour[start : start + len(lane)])
                table[sequence : sequence + len(children)] = rows

    def _add_shares(self, piece: ContinuedStreet, player: int, shares: F64) -> None:
        entries, even = piece.next_entries, average_by_lane(self._board, shares)
        count = len(self._plays.ways[player])
        self._shares[player][entries, :count] = even[:, :count]
        self._shares[player][entries, -1] = np.maximum(1.0 - even[:, :count].sum(axis=1), 0.0)

    def strategy(self) -> LookAheadStrategy:
        """All of it."""
        game, street = self._game, self._board.street
        first, second = (
            normalise_rows(table, side.decisions[street]).astype(game.dtype)
            for table, side in zip(self._tables, game.sides, strict=True)
        )
        ways = [*self._plays.ways[0], self._plays.base], [*self._plays.ways[1], self._plays.base]
        return LookAheadStrategy(
            game, self._plays.base, self._board, (first, second), ways, (self._shares[0], self._shares[1]), self._worth
        )
