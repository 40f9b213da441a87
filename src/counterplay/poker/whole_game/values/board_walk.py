"""One depth-first walk over boards: it carries a range down the betting and the streets, and values back up.

What a player's sequences are worth on a board are the folds and showdowns there and what the boards after it are worth; a
*backup rule*, the best action of each hand or a strategy, brings that to the entries of the street. Everything is linear in
the ranges and summed over the deals, of hands and boards, that `HoldemGame.deals` counts.

On one board, kernels carry one player's range down the betting, the payoffs, and the other's values back up. A player's
strategy on a board is a table, sequences x lanes, with a lane for each place: its bucket, its number among the board's
distinct hands, or the place itself. Rows of hands are `run` apart (see `holdem`). The value of a hand is not normalised: it
is summed over the opponent's hands. Before the flop there are folds alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.jit import kernel
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.whole_game.boards.board import Board, SeenBoards, even_out
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, entry_reach
from counterplay.poker.whole_game.values.showdown_lines import LineStakes, LineSums, ShowdownLines, showdown_lines


@kernel(nogil=True, loops=True)
def spread_out(decisions: Any, entry: Any, table: Any, lane: Any, group: Any, plan: Any, run: int) -> None:
    """A player's plan: the reach of each entry by class of hand, (entries, classes), times the strategy."""
    n = len(lane)
    # Rows of `run` places: those of the entries come first; each hand has the reach of its class.
    for e in range(len(entry)):
        row, out = entry[e], plan[e * run : e * run + n]
        for i in range(n):
            out[i] = row[group[i]]
    for k in range(len(decisions)):
        before, first = decisions[k, 1], decisions[k, 2]
        # The rows of its actions: reach of the row before the decision, times the probability of the hand's lane.
        above = plan[before * run : before * run + n]
        for s in range(first, first + decisions[k, 3]):
            row, out = table[s], plan[s * run : s * run + n]
            for i in range(n):
                out[i] = above[i] * row[lane[i]]


@kernel(inner=True)
def raise_values(decisions: Any, table: Any, lane: Any, values: Any, run: int) -> None:
    """Add to the value of every sequence those of its successors, by the player's own strategy."""
    n = len(lane)
    for k in range(len(decisions) - 1, -1, -1):
        before, first = decisions[k, 1], decisions[k, 2]
        above = values[before * run : before * run + n]
        for s in range(first, first + decisions[k, 3]):
            row, below = table[s], values[s * run : s * run + n]
            for i in range(n):
                above[i] += row[lane[i]] * below[i]


@kernel(inner=True)
def raise_best(decisions: Any, values: Any, n: int, run: int) -> None:
    """Add to the value of every sequence those of its successors, by the best action of each hand."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        above, most = values[before * run : before * run + n], values[first * run : first * run + n]
        for s in range(first + 1, first + count):
            below = values[s * run : s * run + n]
            for i in range(n):
                most[i] = max(most[i], below[i])
        for i in range(n):
            above[i] += most[i]


@kernel(nogil=True, loops=True)
def raise_chosen(decisions: Any, found: Any, values: Any, n: int, run: int, backed: bool) -> None:
    """Add to the values of every sequence those of what follows, by the first action with the largest estimate. found,
    values: rows of n hands, `run` apart: estimates and values of the sequences. backed: an estimate of what follows
    belongs to the estimate before; otherwise every decision stands alone."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        for i in range(n):
            best = first * run + i
            for s in range(first + 1, first + count):
                if found[s * run + i] > found[best]:
                    best = s * run + i
            values[before * run + i] += values[best]
            if backed:
                found[before * run + i] += found[best]


@kernel(inner=True)
def add_up(rows: int, weight: float, values: Any, run: int, lane: Any, out: Any) -> None:
    """Add weighted rows of hands to rows of lanes. Neighbours are often in one lane, where every sum waits for the
    previous one; so four rows are added at once, and both halves of them."""
    n, half, full = len(lane), len(lane) // 2, rows - rows % 4
    for s in range(0, full, 4):
        for i in range(half):
            _add_four(out, s, lane[i], weight, values, s * run + i, run)
            _add_four(out, s, lane[half + i], weight, values, s * run + half + i, run)
        if n % 2:
            _add_four(out, s, lane[n - 1], weight, values, s * run + n - 1, run)
    for s in range(full, rows):
        row, own = out[s], values[s * run : s * run + n]
        for i in range(n):
            row[lane[i]] += weight * own[i]


@kernel(inline=True, inner=True)
def _add_four(out: Any, s: int, k: int, weight: float, values: Any, at: int, run: int) -> None:
    out[s, k] += weight * values[at]
    out[s + 1, k] += weight * values[at + run]
    out[s + 2, k] += weight * values[at + 2 * run]
    out[s + 3, k] += weight * values[at + 3 * run]


def values_against(
    board: Any, terminals: Any, theirs: Any, strategy: tuple[Any, Any, Any], group: Any, run: int, room: Any,
    model: tuple[float, Any, Any] | None = None,
) -> None:  # fmt: skip
    """Write to room[1] the value of every sequence of a player by the folds and showdowns right after it. strategy: the
    opponent's entry, table and lane. group: class of the hand at each place. room: of `HoldemGame.room`. model:
    probability, decided before the deal, with which the opponent plays another strategy; that, and room for its plan."""
    plan, values, scratch = room
    if model is not None:
        p, other, spare = model
        spread_out(theirs, *other, group, spare, run)
    spread_out(theirs, *strategy, group, plan, run)
    if model is not None:
        _blend(plan, spare, p)
    values[:] = 0
    evaluate(board, terminals, plan, values, scratch)


@kernel(nogil=True, loops=True)
def _blend(plan: Any, model: Any, p: float) -> None:
    for i in range(len(plan)):
        plan[i] = p * model[i] + (1 - p) * plan[i]


@kernel(nogil=True, loops=True)
def add_best(ours: Any, weight: float, group: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, under best play after them."""
    raise_best(ours, room[1], len(group), run)
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_played(ours: Any, weight: float, group: Any, table: Any, lane: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, under a strategy; with as many rows as there
    are sequences, of all of them."""
    raise_values(ours, table, lane, room[1], run)
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_up_entries(weight: float, group: Any, run: int, room: Any, out: Any) -> None:
    """Add to `out` (entries, classes) the weighted values of the entries, once those of their successors are
    included."""
    add_up(len(out), weight, room[1], run, group, out)


@kernel(nogil=True, loops=True)
def add_ranges(entry: Any, weight: float, group: Any, lane: Any, out: Any) -> None:
    """Add to `out` (entries, lanes) the weighted reach of the hands in each lane."""
    for e in range(len(entry)):
        row, into = entry[e], out[e]
        for i in range(len(lane)):
            into[lane[i]] += weight * row[group[i]]


@kernel(loops=True)
def add_met(folded: Any, player: int, weight: float, reach: Any, meets: Any, out: Any) -> None:
    """Add to `out` (sequences, classes) the values of a player's preflop sequences by folds before the flop. reach:
    (sequences, classes) the opponent's, times whom payoffs count `weight`."""
    for k in range(len(folded)):
        theirs, into = reach[int(folded[k, 1 - player])], out[int(folded[k, player])]
        for c in range(len(meets)):
            amount, row = weight * folded[k, 2 + player] * theirs[c], meets[c]
            for d in range(len(meets)):
                into[d] += amount * row[d]


@kernel(loops=True)
def raise_classes(decisions: Any, table: Any, group: Any, worth: Any, out: Any) -> None:
    """Add to the values of classes before the flop, (sequences, classes), those of their successors, under a strategy
    by bucket; then sum all of them by bucket in `out`."""
    for k in range(len(decisions) - 1, -1, -1):
        before, first = decisions[k, 1], decisions[k, 2]
        for s in range(first, first + decisions[k, 3]):
            for c in range(len(group)):
                worth[before, c] += table[s, group[c]] * worth[s, c]
    for s in range(len(out)):
        for c in range(len(group)):
            out[s, group[c]] += worth[s, c]


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
