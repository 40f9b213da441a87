"""Local best response (Lisý and Bowling 2017) as a rule of the walk: every action is worth what it earns if the opponent
folds to it as they do, else calls, without further bets. It is linear in their reach, so the walk has it exactly."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.betting.state import Kind, Move
from counterplay.poker.showdown.line_sweeps import add_shown_rows, line_room
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.whole_game.boards.board import DEALT, Board, even_out
from counterplay.poker.whole_game.boards.seen_boards import SeenBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, reaches
from counterplay.poker.whole_game.values.board_walk import ChoiceRule
from counterplay.poker.whole_game.values.measure import PreflopBackup, preflop_values_against
from counterplay.poker.whole_game.values.showdown_lines import LineStakes, paid_stakes
from counterplay.treeplex.memory import zeros_of

_ROWS = 64
"""Rows that are swept together, or a multiple."""


class Stake(NamedTuple):
    """theirs, ours: rows of the opponent's reach and of the player's values. half: chips won or lost, half of the
    pot."""

    theirs: int
    ours: int
    half: float


class CheckDown:
    """Showdowns of one player without further bets, over all boards that are seen. Wins less losses are summed for
    every row of the opponent's reach; pots are multiplied at the end. rows: how many there are: the opponent's, and the
    player's."""

    def __init__(
        self, game: HoldemGame, stakes: Iterable[Stake], rows: tuple[int, int], seen: SeenBoards | None = None
    ) -> None:
        from scipy.sparse import csr_array  # loads slowly, and every opponent's text loads this file

        self.game, self.rows = game, rows
        self.seen = seen or SeenBoards(game.boards)
        theirs, ours, half = np.array(list(stakes), float).reshape(-1, 3).T
        self._pots = csr_array((half, (ours.astype(int), theirs.astype(int))), shape=rows[::-1])
        self._size = -(-rows[0] // _ROWS) * _ROWS
        self._room = line_room(game.places(game.last), len(game.deck.cards) - DEALT[game.last], 1, game.dtype)

    def values(self, board: Board, reach: AnyArray) -> F64:
        """(player's rows, n) on a board of any street; reach: (opponent's rows, n or more) on it, in the game's
        dtype."""
        if board.street < self.game.last:
            return self.below(board, reach)
        rows = self._by_hand(reach[:, : len(board.hand)])
        out = zeros_of(rows.shape, self.game.dtype)
        add_shown_rows(board.layout, np.arange(len(rows), dtype=np.uint32), rows, 0, 1.0, self._room, out)
        return self._paid(out)

    def below(self, board: Board, reach: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        """(player's rows, n) over the boards after one, or over weighted `children`; reach as in `values`."""
        boards = self.seen.after(board) if children is None else children
        return even_out(board, self._paid(self._won(boards, self._by_hand(reach[:, : len(board.hand)]))))

    def _won(self, boards: Iterable[tuple[Board, float]], rows: AnyArray) -> AnyArray:
        out = zeros_of(rows.shape, self.game.dtype)
        for board, weight in boards:
            if board.street == self.game.last:
                add_shown_rows(board.layout, board.up, rows, 0, weight, self._room, out)
                continue
            below = zeros_of((len(board.hand), rows.shape[1]), self.game.dtype)
            below[:] = rows[board.up]
            np.add.at(out, board.up, weight * even_out(board, self._won(self.seen.after(board), below).T).T)
        return out

    def _by_hand(self, reach: AnyArray) -> AnyArray:
        out = zeros_of((reach.shape[1], self._size), self.game.dtype)
        out[:, : len(reach)] = reach.T
        return out

    def _paid(self, won: AnyArray) -> F64:
        return np.asarray(self._pots @ np.ascontiguousarray(won[:, : self.rows[0]].T), np.float64)


class LocalBestResponseRule(ChoiceRule):
    """The rule by which it chooses. early: boards after each flop that decisions before the flop see; all unless
    given."""

    backed = False

    def __init__(
        self, game: HoldemGame, player: int, theirs: BlueprintStrategy, early: SeenBoards | None = None
    ) -> None:
        self.game, self.player, self.theirs = game, player, theirs
        mine, other = game.sides[player], game.sides[1 - player]
        self._calls = [
            CheckDown(game, _calls(game, player, street), (theirs_rows, own_rows), None if street else early)
            for street, (theirs_rows, own_rows) in enumerate(zip(other.sizes, mine.sizes, strict=True))
        ]
        self._folds = [None, *(game.terminals(street, player, shown=False) for street in range(1, game.last + 1))]
        self._rooms = [None, *(game.room(street) for street in range(1, game.last + 1))]

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:
        room: Any = self._rooms[board.street]
        room[1][:] = 0
        evaluate(board.layout, self._folds[board.street], plan.reshape(-1), room[1], room[2])
        earned: AnyArray = room[1].reshape(-1, self.game.run_on(board.street))[: len(values)]
        rows = self.game.sides[1 - self.player].sizes[board.street]
        earned[:, : len(board.hand)] += self._calls[board.street].values(board, plan[:rows]).astype(earned.dtype)
        return earned

    def early_estimates(self, flop: Board) -> AnyArray:
        side = self.game.sides[1 - self.player]
        reach = reaches(side, self.theirs.preflop[1 - self.player]).astype(self.game.dtype)
        return self._calls[0].below(self.game.boards.root, reach, [(flop, 1.0)])

    @cached_property
    def line_guess(self) -> LineStakes:
        calls = np.array(_calls(self.game, self.player, self.game.last), float)
        return LineStakes(calls, paid_stakes(self.game, self.player).folded)


def early_choices(game: HoldemGame, player: int, theirs: BlueprintStrategy, seen: SeenBoards | None = None) -> F64:
    """(sequences, classes) 1 for the action of every decision of a player before the flop, by all flops and the boards
    seen after each."""
    rule, root = LocalBestResponseRule(game, player, theirs, seen), game.boards.root
    total = np.zeros((game.sides[player].sizes[0], game.boards.classes))
    for number, count in enumerate(game.boards.choices(root)[1].tolist()):
        total += count * rule.early_estimates(game.boards.child(root, number))
    backup = PreflopBackup(game, player, preflop_values_against(game, player, theirs), rule.backed)
    return backup.choices(np.zeros((len(game.entries), game.boards.classes)), total)


def _calls(game: HoldemGame, player: int, street: int) -> list[Stake]:
    """Of every action of a player on a street but a fold: the opponent's rows that do not fold to it, and half of the
    called pot."""
    betting, stakes = game.betting, []
    at = _sequences(game, 1 - player, street)
    for node, _, first, _ in game.sides[player].decisions[street].tolist():
        for k, child in enumerate(betting.children(node)):
            if betting.move[child] == Move.FOLD:
                continue
            put = betting.committed[child]
            half = float(betting.pot[child] - put.sum()) / 2 + float(put.max())
            rows = [at[child]]  # no answer follows, or a check is answered, which has no price
            if betting.kind[child] == 1 - player and put[player] > put[1 - player]:
                rows = [at[answer] for answer in betting.children(child) if betting.move[answer] != Move.FOLD]
            stakes += [Stake(row, first + k, half) for row in rows]
    return stakes


def _sequences(game: HoldemGame, player: int, street: int) -> dict[int, int]:
    """By betting node of a street, and after it, the player's sequence there."""
    betting, at = game.betting, {0: 0}
    if street:
        children = [betting.children(int(root)) for root in game.roots[street]]
        at = {nodes[0]: e for e, nodes in enumerate(children) if nodes}
    own = {int(node): int(first) for node, _, first, _ in game.sides[player].decisions[street]}
    todo = list(at)
    while todo:
        node = todo.pop()
        if betting.kind[node] > Kind.PLAYER1:
            continue
        for k, child in enumerate(betting.children(node)):
            at[child] = own[node] + k if node in own else at[node]
            todo.append(child)
    return at
