"""Values of hands in a blueprint played against itself: a number for each lane at each point of the betting.

Points are the player's own decisions and the deals of later streets, these both before and after the cards are out. All
values are in chips, against the other's range there, and averages over boards that are drawn; they are the value function
of AIVAT (Burch, Schmid, Moravčík and Bowling 2018), which needs no particular precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.poker.cards.deck import CARDS
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame, number_sequences
from counterplay.poker.whole_game.strategy import BucketedStrategy, reaches
from counterplay.poker.whole_game.values.board_walk import BoardWalk
from counterplay.poker.whole_game.values.measure import preflop_values
from counterplay.steps import Steps


@dataclass(frozen=True, eq=False)
class LaneValues:
    """Values of a player's hands.

    Attributes:
        play: the blueprint, whose lanes they are of.
        rows: per street, the row of each betting node: of the player's decisions, and of the deals before and after which
            the board of the street is out. Node 0 is the deal of the hands.
        tables: per street, (rows, lanes of all blocks) chips.
    """

    game: HoldemGame
    player: int
    play: BucketedStrategy
    rows: tuple[dict[int, int], ...]
    tables: tuple[F64, ...]

    @cached_property
    def _begins(self) -> list[AnyArray]:
        return [first_lanes(self.play, street) for street in range(self.game.last + 1)]

    def lanes(self, board: Board) -> AnyArray:
        """(n,) the lane, among those of all blocks, of the hand at each place of a board, of each class before the
        flop."""
        return _lanes_on(self.play, board, self._begins[board.street])

    def row(self, street: int, node: int) -> F64:
        """(lanes,) the values at a betting node with a board of a street."""
        return np.asarray(self.tables[street][self.rows[street][node]])


def tally_lanes(
    game: HoldemGame,
    player: int,
    play: BucketedStrategy,
    boards: int | None,
    *,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Steps[LaneValues]:
    """The values of a player's hands in a blueprint that both follow, by complete boards that are drawn, one a step. boards:
    how many; None for all. A full deck takes some 50 ms for each. watch: gets the number of boards that are done."""
    draws = (1,) * game.last if boards else ()
    seen = DrawnBoards(game.boards, np.random.default_rng(seed), draws)
    walk = _TallyWalk(game, player, play, seen)
    for k in range(boards or 1):
        seen.draw_anew()
        walk.add_board()
        if watch:
            watch(k + 1)
        yield
    tables = list[F64]()
    for sums, met in zip(walk.sums, walk.met, strict=True):  # a lane that was not met has the mean of its row
        whole = met.sum(axis=1, keepdims=True)
        mean = np.divide(sums.sum(axis=1, keepdims=True), whole, out=np.zeros_like(whole), where=whole > 0.0)
        tables.append(np.divide(sums, met, out=np.repeat(mean, sums.shape[1], axis=1), where=met > 0.0))
    return LaneValues(game, player, play, walk.rows, tuple(tables))


class _TallyWalk(BoardWalk):
    """A walk that adds up values and the hands met, by lane."""

    def __init__(self, game: HoldemGame, player: int, play: BucketedStrategy, seen: DrawnBoards) -> None:
        super().__init__(game, player, play, play, seen)
        self._play = play
        other, at = 1 - player, number_sequences(game.betting).at
        self._begins = [first_lanes(play, street) for street in range(game.last + 1)]
        found: list[tuple[dict[int, int], I64]] = []
        for street in range(game.last + 1):
            decisions = game.sides[player].decisions[street]
            own = decisions[:, 0].tolist()
            dealt = _dealt(game, street) if street or 0 in own else [0]
            later = [node for node in _dealt(game, street + 1) if node not in dealt]
            rows = {node: k for k, node in enumerate([*own, *dealt, *later])}
            found.append((rows, np.array([at[node][other] for node in own], np.int64)))
        self.rows, self._met_at = tuple(rows for rows, _ in found), [theirs for _, theirs in found]
        sizes = [game.boards.classes, *(int(play.buckets.sizes_on(s).sum()) for s in range(1, game.last + 1))]
        self.sums = [np.zeros((len(rows), n)) for rows, n in zip(self.rows, sizes, strict=True)]
        self.met = [np.zeros_like(table) for table in self.sums]

    def add_board(self) -> None:
        game, me, early = self.game, self.player, self._play.preflop
        theirs = reaches(game.sides[1 - me], early[1 - me])
        worth = preflop_values(game, me, theirs, self.entry_values())
        decisions = game.sides[me].decisions[0]
        # (sequences, classes), backwards: the value of an entry is the mean over its actions, rows first to first + count.
        for _, before, first, count in decisions[::-1]:
            worth[before] += (early[me][first : first + count] * worth[first : first + count]).sum(axis=0)
        values = _at_decisions(worth, early[me], decisions)
        self._add(game.boards.root, 0, values, theirs[self._met_at[0]] @ game.boards.meets)
        if 0 not in decisions[:, 0]:
            self._add(game.boards.root, self.rows[0][0], worth[:1], theirs[:1] @ game.boards.meets)

    def below(self, board: Board, entry: Any, children: Iterable[tuple[Board, float]] | None = None) -> F64:
        found = super().below(board, entry, children)
        game, rows, dealt = self.game, self.rows[board.street], _dealt(self.game, board.street)
        nodes = game.roots[board.street + 1].tolist()
        later = [k for k, node in enumerate(nodes) if node not in dealt]
        if later:
            theirs = entry[later][:, : len(board.hand)]
            met = _hands_met(board, theirs, game) if board.street else theirs @ game.boards.meets
            self._add(board, rows[nodes[later[0]]], found[later], met)
        return found

    def back_up(self, board: Board, weight: float, out: F64) -> None:
        super().back_up(board, weight, out)
        game, street, me, n = self.game, board.street, self.player, len(board.hand)
        room: Any = self.rooms[street]
        values, entries = self.room_values(board)[:, :n], len(game.roots[street])
        plan = room[0].reshape(-1, game.run_on(street))[:, :n]
        table, lane = self._play.on(me, board)
        found = _at_decisions(values, table[:, lane], game.sides[me].decisions[street])
        theirs, which = np.unique(np.concatenate([self._met_at[street], np.arange(entries)]), return_inverse=True)
        met = _hands_met(board, plan[theirs], game)
        self._add(board, 0, np.concatenate([found, values[:entries]]), met, which)

    def _add(self, board: Board, row: int, values: Any, met: Any, which: Any = slice(None)) -> None:
        """Add rows of hands to rows of lanes; `which` row of `met` belongs to each of `values`."""
        lane = _lanes_on(self._play, board, self._begins[board.street])
        here, place = np.unique(lane, return_inverse=True)
        rows = slice(row, row + len(values))
        self.sums[board.street][rows, here] += _summed(values, place, len(here))
        deals = self.game.deals_after(board.street)
        self.met[board.street][rows, here] += deals * _summed(met, place, len(here))[which]


def _summed(rows: AnyArray, place: AnyArray, count: int) -> F64:
    """(rows, count) of each row the sum over all that have the same place; place: (n,) from 0."""
    at = np.arange(len(rows))[:, None] * count + place
    return np.asarray(np.bincount(at.ravel(), rows.ravel(), len(rows) * count), np.float64).reshape(len(rows), count)


def _dealt(game: HoldemGame, street: int) -> list[int]:
    return game.roots[street].tolist() if 1 <= street <= game.last else []


def first_lanes(play: BucketedStrategy, street: int) -> AnyArray:
    """(blocks,) the first lane of each block of a street among those of all blocks."""
    sizes = play.buckets.sizes_on(street)
    return np.concatenate([[0], np.cumsum(sizes)[:-1]])


def _lanes_on(play: BucketedStrategy, board: Board, begins: AnyArray) -> AnyArray:
    if not board.street:
        return np.arange(len(board.hand))
    block, lane = play.buckets.lanes_on(board)
    return lane.astype(np.int64) + int(begins[block])


def _at_decisions(values: AnyArray, table: AnyArray, decisions: AnyArray) -> AnyArray:
    """(decisions, n) what each decision is worth, by its actions' values and probabilities."""
    out = np.zeros((len(decisions), values.shape[1]), values.dtype)
    for row, (_, _, first, count) in zip(out, decisions.tolist(), strict=True):
        for s in range(first, first + count):
            row += table[s] * values[s]
    return out


def _hands_met(board: Board, reach: AnyArray, game: HoldemGame) -> AnyArray:
    """(rows, n) how much of the other's reach (rows, n) each hand can meet: that of the hands without its cards."""
    cards = game.deck.hands[board.hand]
    holds = np.zeros((len(cards), CARDS), reach.dtype)
    np.put_along_axis(holds, cards, 1.0, axis=1)
    by_card = reach @ holds
    return reach.sum(axis=1)[:, None] - by_card[:, cards[:, 0]] - by_card[:, cards[:, 1]] + reach  # type: ignore[no-any-return]
