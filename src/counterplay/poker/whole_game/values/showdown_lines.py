"""The last street of a whole game for one player who answers a fixed strategy: its lines of betting side by side."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.showdown.line_sweeps import (
    LinePlan,
    LineRoom,
    add_shown_rows,
    line_room,
)
from counterplay.poker.showdown.line_values import add_chosen_lines, add_lines
from counterplay.poker.showdown.simd_lanes import BLOCK
from counterplay.poker.whole_game.boards.board import DEALT, Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.line_layout import LineLayout
from counterplay.poker.whole_game.values.line_stakes import LineStakes, paid_stakes
from counterplay.treeplex.memory import zeros_of

Array = NDArray[Any]
_KEPT = 16
"""Tables of strategies whose plans are kept."""


@lru_cache(maxsize=8)
def showdown_lines(game: HoldemGame, player: int) -> ShowdownLines:
    """The lines of a player, made once a game."""
    return ShowdownLines(game, player)


@dataclass
class LineSums:
    """Sums over boards of the last street after one board.

    Attributes:
        reach: (places, lines) of the opponent.
        out: (places, lines) what lines are worth.
        shown: (places, lines) of lines that have ended, wins less losses.
        room: work space.
        weight: what the next board counts.
        spare: more work space, where actions are chosen by other numbers.
    """

    reach: Array
    out: Array
    shown: Array
    room: LineRoom
    weight: float = 1.0
    spare: LineRoom | None = None


class ShowdownLines:
    """The lines of the last street.

    Attributes:
        size: numbers of a row of lines.
        paid: what the player earns.
    """

    def __init__(self, game: HoldemGame, player: int) -> None:
        self.game, self.player = game, player
        self.paid = paid_stakes(game, player)
        self._layout = layout = LineLayout(game, player, self.paid)
        self._lines, self._width, self._played, self.street = layout.lines, layout.width, layout.played, layout.street
        ended, wide = self._lines.size - self._played * self._width, BLOCK * self._width
        self.size = self._played * self._width - (-ended // wide * wide)
        self._halves = np.zeros(self.size, game.dtype)
        for _, own, half in self.paid.shown:
            bundle, position, k = layout.where[player][int(own)]
            if bundle >= self._played:
                assert position == 0
                self._halves[bundle * self._width + k] = half
        self._plans: OrderedDict[tuple[int, int], tuple[Array, Any]] = OrderedDict()

    def add(self, board: Board, theirs: BlueprintStrategy, ours: BlueprintStrategy | None, sums: LineSums) -> None:
        """Add what the lines of a board are worth, those that have ended too.

        Args:
            board: of the last street.
            theirs: the opponent's strategy.
            ours: the player's strategy; None for the best actions.
        """
        self._add_open(board, theirs, ours, sums)
        self._add_ended(board, sums)

    def best_of(
        self, board: Board, theirs: BlueprintStrategy, plays: Iterable[BlueprintStrategy], entry: Array
    ) -> Array:
        """(n, lines) what lines are worth on one board to each hand by the best of several strategies of the player.

        Args:
            entry: (entries, places of the board before) the opponent's reach.
        """
        here = replace(board, up=np.arange(len(board.hand), dtype=np.uint32))
        sums = self.sums(entry[:, board.up])
        best = np.full_like(sums.out, -np.inf)
        for play in plays:
            sums.out[...] = 0.0
            self._add_open(here, theirs, play, sums)
            np.maximum(best, sums.out, out=best)
        self._add_ended(here, sums)  # they are worth the same by every strategy
        return np.asarray(best + sums.shown * self._halves)

    def _add_open(
        self, board: Board, theirs: BlueprintStrategy, ours: BlueprintStrategy | None, sums: LineSums
    ) -> None:
        """Add what the lines are worth in which there is something left to decide."""
        if self._played:
            table, lane = theirs.on(1 - self.player, board)
            own, own_lane, lanes = zeros_of((0,), self.game.dtype), lane, 0
            if ours is not None:
                mine, own_lane = ours.on(self.player, board)
                own, lanes = self._own_plan(mine), mine.shape[1]
            add_lines(
                self.street, board.layout, board.up, lane, self._plan(table, self.paid), own_lane, own, lanes, sums.reach,
                sums.weight, sums.room, sums.out,
            )  # fmt: skip

    def add_called(self, board: Board, theirs: BlueprintStrategy, guess: LineStakes, sums: LineSums) -> None:
        """The same under the actions that seem best at each decision by itself, if they earn what `guess` says at once."""
        table, lane = theirs.on(1 - self.player, board)
        self._add_chosen(board, theirs, (lane, self._plan(table, guess), sums.reach), False, sums)

    def add_against(
        self, board: Board, theirs: BlueprintStrategy, met: tuple[BlueprintStrategy, Array, LineStakes | None],
        sums: LineSums,
    ) -> None:  # fmt: skip
        """The same under actions that are chosen against another strategy of the opponent and its reach, (places, lines) as
        in `LineSums`: the best ones, or those that seem best if they earn what a guess says at once."""
        other, reach, guess = met
        table, lane = other.on(1 - self.player, board)
        plan = self._plan(table, self.paid if guess is None else guess)
        self._add_chosen(board, theirs, (lane, plan, reach), guess is None, sums)

    def _add_chosen(
        self, board: Board, theirs: BlueprintStrategy, guess: tuple[Any, ...], backed: bool, sums: LineSums
    ) -> None:
        if self._played:
            sums.spare = sums.spare or self._room()
            table, lane = theirs.on(1 - self.player, board)
            add_chosen_lines(
                self.street, board.layout, board.up, lane, self._plan(table, self.paid), sums.reach, *guess, backed,
                sums.weight, sums.room, sums.spare, sums.out,
            )  # fmt: skip
        self._add_ended(board, sums)

    def _add_ended(self, board: Board, sums: LineSums) -> None:
        """Add wins less losses of lines that have ended."""
        add_shown_rows(
            board.layout, board.up, sums.reach, self._played * self._width, sums.weight, sums.room, sums.shown
        )

    def sums(self, entry: Array) -> LineSums:
        """Nothing yet, from (entries, places) of the opponent's reach."""
        places = entry.shape[1]
        reach = self._rows(places)
        reach[:, self._lines.slots] = entry.T
        return LineSums(reach, self._rows(places), self._rows(places), self._room())

    def worth(self, sums: LineSums) -> Array:
        """(places, lines) what they are worth over all boards that were added."""
        return np.asarray(sums.out + sums.shown * self._halves)

    def entries(self, rows: Array) -> Array:
        """(entries, places) of (places, lines)."""
        return np.asarray(rows[:, self._lines.slots].T, np.float64)

    def _plan(self, table: Array, stakes: LineStakes) -> LinePlan:
        """The opponent's strategy, (sequences, lanes), times what is earned against it."""

        def make() -> LinePlan:
            other, blocks = 1 - self.player, self.street.bundles
            shown = self._layout.plan(table, other, self._layout.terms(stakes.shown), blocks[:, 2])
            return LinePlan(
                shown, self._layout.plan(table, other, self._layout.terms(stakes.folded), blocks[:, 1]), table.shape[1]
            )

        found: LinePlan = self._kept((id(table), id(stakes)), table, make)
        return found

    def _own_plan(self, table: Array) -> Array:
        """The player's own strategy."""
        blocks = self.street.bundles[:, 1]
        found: Array = self._kept(
            (id(table), 0), table, lambda: self._layout.plan(table, self.player, self._layout.own_terms, blocks)
        )
        return found

    def _kept(self, key: tuple[int, int], table: Array, make: Callable[[], Any]) -> Any:
        """What is made of a table; that of the last few is kept."""
        found = self._plans.pop(key, None)
        if found is None or found[0] is not table:
            found = table, make()
        self._plans[key] = found
        while len(self._plans) > _KEPT:
            self._plans.popitem(last=False)
        return found[1]

    def _rows(self, places: int) -> Array:
        """(places, lines) zeros."""
        return zeros_of((places, self.size), self.game.dtype)

    def _room(self) -> LineRoom:
        game, last = self.game, self.game.last
        blocks = int(self.street.bundles[:, 1].max(initial=1))
        return line_room(game.places(last), len(game.deck.cards) - DEALT[last], blocks, game.dtype)
