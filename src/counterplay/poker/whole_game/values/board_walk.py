"""One depth-first walk over boards: it carries a range down the betting and the streets, and values back up.

What a player's sequences are worth on a board are the folds and showdowns there and what the boards after it are worth; a
*backup rule*, the best action of each hand or a strategy, brings that to the entries of the street. Everything is linear in
the ranges and summed over the deals, of hands and boards, that `HoldemGame.deals` counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, SeenBoards, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.board_kernels import (
    add_best,
    add_played,
    add_up_entries,
    raise_chosen,
    values_against,
)
from counterplay.poker.whole_game.values.showdown_lines import LineStakes, LineSums, ShowdownLines, showdown_lines


class ChoiceRule:
    """The choice of a player's actions: the best ones. Other rules choose by estimates of action values; if `backed`,
    the estimate of the best action after a sequence belongs to the sequence's own."""

    backed = True

    @property
    def line_guess(self) -> LineStakes | None:
        """Chips that actions on the last street seem to earn at once; None where the best ones are chosen there."""
        return None

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:  # noqa: ARG002
        """(sequences, run) what the player's sequences on a board seem to be worth right after them; None where choices
        are the best. plan: (sequences, run) the other's reach. values: (sequences, run) folds and showdowns on the
        board, of which the boards to come are no part yet."""
        return None

    def early_estimates(self, flop: Board) -> AnyArray | None:  # noqa: ARG002
        """(sequences, classes) what boards from one flop on add to what the player's sequences before the flop seem to
        be worth; None as there."""
        return None

    def raise_values(self, decisions: AnyArray, estimates: AnyArray, values: AnyArray, n: int, run: int) -> None:
        """Add to the values (sequences * run,) of every sequence those of what follows, by the actions whose estimates
        (sequences, run) are largest. n: number of hands."""
        raise_chosen(decisions, estimates.reshape(-1), values, n, run, self.backed)


class SharedBest:
    """Values of boards of the last street under the best actions, after each board of one flop: summed up once for
    walks of one player against one strategy by different rules."""

    def __init__(self) -> None:
        self._flop: tuple[int, ...] = ()
        self._known: dict[tuple[int, ...], AnyArray] = {}

    def get(self, board: Board, make: Callable[[], AnyArray]) -> AnyArray:
        if board.cards[:3] != self._flop:
            self._flop, self._known = board.cards[:3], {}
        if board.cards not in self._known:
            self._known[board.cards] = make()
        return self._known[board.cards]


class BoardWalk:
    """A walk of one player against a strategy of the other.

    Args:
        game, player: whose values are summed.
        ours: strategy of the player; None for the best response.
        seen: boards that are seen; all unless given.
        rule: by which the player chooses; the best response unless given.
        shared: with other walks of the player against the strategy.
    """

    def __init__(
        self,
        game: HoldemGame,
        player: int,
        theirs: BlueprintStrategy,
        ours: BlueprintStrategy | None = None,
        seen: SeenBoards | None = None,
        rule: ChoiceRule | None = None,
        shared: SharedBest | None = None,
    ) -> None:
        self.game, self.player, self.theirs, self.ours = game, player, theirs, ours
        self.seen, self.rule, self._shared = seen or SeenBoards(game.boards), rule or ChoiceRule(), shared
        self._estimates: list[AnyArray | None] = [None] * (game.last + 1)
        self.rooms = [None, *(game.room(street) for street in range(1, game.last + 1))]

    def entry_values(self) -> F64:
        """(entries, classes) values of the streets after the first to the player, summed over the hands of a class, all
        seen boards and the opponent's hands times their reach."""
        return self.below(self.game.boards.root, entry_reach(self.game, 1 - self.player, self.theirs))

    def sum_over(self, flops: Iterable[int]) -> F64:
        """(entries, classes) what these boards of the first street after the deal add to the entries' values, before
        they are made equal for isomorphic hands (`even_out`)."""
        root = self.game.boards.root
        boards = (self.game.boards.child(root, number) for number in flops)
        return self.below(
            root, entry_reach(self.game, 1 - self.player, self.theirs), ((b, float(b.count)) for b in boards)
        )

    def below(self, board: Board, entry: AnyArray, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        """(entries, places) values of the boards after one to the player at their entries. entry: (entries, places) the
        other's reach there. children: of these weighted boards; by default of all that are seen."""
        boards = self.seen.after(board) if children is None else children
        if self.goes_by_lines(board):  # all lines of the last street side by side
            lines = showdown_lines(self.game, self.player)

            def summed() -> F64:
                sums = lines.sums(entry[:, : len(board.hand)])
                for child, sums.weight in boards:
                    self.add_lines(lines, child, sums)
                return lines.entries(lines.worth(sums))

            return even_out(board, self.shared_sums(board, summed, children))
        out = np.zeros((len(entry), len(board.hand)))
        for child, weight in boards:
            self._sum_up(child, entry)
            self.back_up(child, weight, out)
        return even_out(board, out)

    def values_on(self, board: Board) -> AnyArray:
        """(sequences, n) by which the player's actions on a board are compared: what each earns by folds, showdowns and
        boards right after it, or seems to earn by the rule."""
        self.pay(board, self.reach(board))
        found = self.estimates_on(board)
        if found is None:
            if board.street < self.game.last:
                self.add_below(board, self.below(board, self.met_after(board)))
            found = self.room_values(board)
        return found[:, : len(board.hand)].copy()

    def hand_values(self, board: Board) -> AnyArray:
        """(entries, n) what the entries of the street are worth on it, by the backup rule."""
        return self.values_at(board, self.reach(board))

    def values_at(self, board: Board, entry: AnyArray) -> AnyArray:
        """`hand_values` against a reach (entries, places of the board before)."""
        self._sum_up(board, entry)
        self.back_up(board, 1.0, np.zeros((len(entry), len(board.before.hand) if board.before else 0)))
        return self.room_values(board)[: len(entry), : len(board.hand)].copy()

    def _sum_up(self, board: Board, entry: AnyArray) -> None:
        """Leave in the room of the street what the player's sequences are worth right after them."""
        self.pay(board, entry)
        if board.street < self.game.last:
            self.add_below(board, self.below(board, self.met_after(board)))

    def pay(self, board: Board, entry: AnyArray) -> None:
        """Leave in the room of the street what folds and showdowns on the board earn, and what the rule makes of it.
        entry: (entries, places of the board before) the other's reach."""
        game, street, them = self.game, board.street, self.game.sides[1 - self.player]
        room: Any = self.rooms[street]
        strategy = (entry, *self.theirs.on(1 - self.player, board))
        values_against(
            board.layout, game.terminals_on[street - 1][self.player], them.decisions[street], strategy, board.up,
            game.run_on(street), room,
        )  # fmt: skip
        self._estimates[street] = self.rule.estimates(board, self._plan(street), self.room_values(board))

    def met_after(self, board: Board) -> AnyArray:
        """(entries, places) the other's reach where the next street is dealt, after `pay`."""
        them = self.game.sides[1 - self.player]
        return np.asarray(self._plan(board.street)[them.entries[board.street + 1]])

    def add_below(self, board: Board, below: AnyArray) -> None:
        """Add what the boards to come are worth, (entries, places), to the sequences after which they are dealt."""
        add_rows(self.room_values(board), self.game.sides[self.player].entries[board.street + 1], below)

    def estimates_on(self, board: Board) -> AnyArray | None:
        """(sequences, run) what sequences seem to be worth by the rule, after `pay`; None where choices are the
        best."""
        return self._estimates[board.street]

    def _plan(self, street: int) -> AnyArray:
        room: Any = self.rooms[street]
        return np.asarray(room[0].reshape(-1, self.game.run_on(street)))

    def goes_by_lines(self, board: Board) -> bool:
        return 0 < board.street == self.game.last - 1

    @property
    def best_at_last(self) -> bool:
        return self.ours is None and self.rule.line_guess is None

    def shared_sums(self, board: Board, make: Callable[[], AnyArray], children: object = None) -> F64:
        """(..., entries, places) sums over the boards of the last street after one, if all are seen shared with other
        walks."""
        if self._shared is None or children is not None or not self.best_at_last:
            return make()
        found = self._shared.get(board, lambda: make().astype(self.game.dtype))
        return np.asarray(found, np.float64)  # as they are: lines are summed up in this dtype

    def add_lines(self, lines: ShowdownLines, board: Board, sums: LineSums) -> None:
        if self.rule.line_guess is None:
            lines.add(board, self.theirs, self.ours, sums)
        else:
            lines.add_called(board, self.theirs, self.rule.line_guess, sums)

    def back_up(self, board: Board, weight: float, out: F64) -> None:
        """Add the weighted values of the entries to `out` (entries, places of the board before)."""
        street, side = board.street, self.game.sides[self.player]
        run = self.game.run_on(street)
        room: Any = self.rooms[street]
        estimates = self._estimates[street]
        if estimates is not None:
            self.rule.raise_values(side.decisions[street], estimates, room[1], len(board.hand), run)
            add_up_entries(weight, board.up, run, room, out)
        elif self.ours is None:
            add_best(side.decisions[street], weight, board.up, run, room, out)
        else:
            add_played(side.decisions[street], weight, board.up, *self.ours.on(self.player, board), run, room, out)

    def room_values(self, board: Board) -> AnyArray:
        room: Any = self.rooms[board.street]
        rows = room[1].reshape(-1, self.game.run_on(board.street))
        return np.asarray(rows[: self.game.sides[self.player].sizes[board.street]])

    def reach(self, board: Board) -> AnyArray:
        """(entries, places of the board before) the other's reach where the street is dealt."""
        game, other = self.game, 1 - self.player
        if board.before is None or not board.before.cards:
            return entry_reach(game, other, self.theirs)
        before, side = board.before, game.sides[other]
        if len(side.entries[board.street]) == 1:
            return self._line_reach(board, 0)[None]
        table, lane = self.theirs.on(other, before)
        plan = np.empty((side.sizes[before.street], len(before.hand)), game.dtype)
        above = self.reach(before)
        plan[: len(above)] = above[:, before.up]
        for _, parent, first, count in side.decisions[before.street]:
            plan[first : first + count] = plan[parent] * table[first : first + count][:, lane]
        return plan[side.entries[board.street]]

    def _line_reach(self, board: Board, entry: int) -> AnyArray:
        """(places of the board before,) the row of `reach` of one entry, from the decisions on its way alone."""
        game, other, before = self.game, 1 - self.player, board.before
        if before is None or not before.cards:
            return np.asarray(entry_reach(game, other, self.theirs)[entry])
        side, (table, lane) = game.sides[other], self.theirs.on(other, before)
        sequence, decisions, way = int(side.entries[board.street][entry]), side.decisions[before.street], list[int]()
        while sequence >= len(side.entries[before.street]):
            way.append(sequence)
            sequence = int(decisions[np.searchsorted(decisions[:, 2], sequence, "right") - 1, 1])
        plan = self._line_reach(before, sequence)[before.up].astype(game.dtype)
        for sequence in reversed(way):
            plan *= table[sequence][lane]
        return plan


def add_rows(values: AnyArray, sequences: I64, below: AnyArray) -> None:
    """Add to rows of `values` (sequences, run) what follows them, (entries, places)."""
    n = below.shape[1]
    for sequence, row in zip(sequences.tolist(), below, strict=True):
        values[sequence, :n] += row
