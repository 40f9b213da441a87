"""The rest of a hand after one line of betting: a whole game in which all other lines are left out.

Boards and the streets before are those of the whole game. From the line's street on sequences are numbered anew, so that a
walk over boards takes only the time and the memory of this line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, U32, AnyArray
from counterplay.poker.whole_game.boards.board import Board, DrawnBoards, deals_to_come
from counterplay.poker.whole_game.holdem import HoldemGame, StreetDecisions, terminal_nodes
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.poker.whole_game.values.board_walk import BoardWalk


@dataclass(frozen=True, eq=False)
class RestOfGame:
    """A game of one line from a street on; betting nodes are those of the whole. kept: of each street from that on and
    of each player, the sequences of the whole game."""

    game: HoldemGame
    street: int
    kept: dict[int, tuple[I64, I64]]

    def strategy(self, play: BlueprintStrategy) -> RestStrategy:
        """A strategy of the whole game in the numbers of the rest."""
        return RestStrategy(self, play)


@dataclass(frozen=True, eq=False)
class RestStrategy:
    """A strategy's rows of a line."""

    rest: RestOfGame
    play: BlueprintStrategy
    _latest: dict[tuple[int, int], tuple[Any, Any]] = field(default_factory=dict, repr=False)

    @property
    def preflop(self) -> tuple[F64, F64]:
        return self.play.preflop

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.play.on(player, board)
        if board.street < self.rest.street:
            return table, lane
        found = self._latest.get((player, board.street))
        if found is None or found[0] is not table:  # boards that share lanes share a table
            rows = np.ascontiguousarray(table[self.rest.kept[board.street][player]])
            found = self._latest[player, board.street] = table, rows
        return found[1], lane


def rest_of_game(game: HoldemGame, street: int, entry: int) -> RestOfGame:
    """The rest of a hand from a street on (1 for the flop) after one line, a number in `HoldemGame.roots` of the
    street."""
    root = int(game.roots[street][entry])
    end = int(game.betting.end[root])
    roots, payoffs = list(game.roots), list(game.payoffs)
    parts = [(list(side.decisions), list(side.entries), list(side.sizes)) for side in game.sides]
    kept: dict[int, tuple[I64, I64]] = {}
    before: list[I64 | None] = [None, None]
    for number in range(street, game.last + 1):
        lines = np.flatnonzero((game.roots[number] >= root) & (game.roots[number] < end))
        roots[number] = game.roots[number][lines]
        # (sequences,) of each player: the new numbers of all, and the old ones of those that are kept.
        numbers, old = list[I64](), list[I64]()
        for side, part, above in zip(game.sides, parts, before, strict=True):
            decisions = side.decisions[number]
            decisions = decisions[(decisions[:, 0] >= root) & (decisions[:, 0] < end)].copy()
            acts = (np.arange(first, first + count) for _, _, first, count in decisions.tolist())
            old.append(np.concatenate([lines, *acts]))
            numbers.append(np.full(side.sizes[number], -1, np.int64))
            numbers[-1][old[-1]] = np.arange(len(old[-1]))
            decisions[:, 1:3] = numbers[-1][decisions[:, 1:3]]
            entries = side.entries[number][lines]
            part[0][number], part[1][number] = decisions, entries if above is None else above[entries]
            part[2][number] = len(old[-1])
        nodes = terminal_nodes(game.betting, number)
        paid = game.payoffs[number - 1][:, (nodes >= root) & (nodes < end)]
        for player in (0, 1):
            for column, owner in ((0, 1 - player), (1, player)):
                paid[player, :, column] = numbers[owner][paid[player, :, column].astype(np.int64)]
        payoffs[number - 1], kept[number], before = paid, (old[0], old[1]), [numbers[0], numbers[1]]
    first, second = (StreetDecisions(tuple(d), tuple(e), tuple(s)) for d, e, s in parts)
    return RestOfGame(replace(game, sides=(first, second), roots=tuple(roots), payoffs=tuple(payoffs)), street, kept)


class RunOutValues:
    """Values of a line's streets to come, with a board of the line's street, if players 0 and 1 go on by one of their
    plays. Boards of each street are drawn, which gives unbiased estimates; all are seen where `random` is None."""

    def __init__(
        self,
        game: HoldemGame,
        line: tuple[int, int],
        board: Board,
        plays: tuple[Sequence[BlueprintStrategy], Sequence[BlueprintStrategy]],
        random: np.random.Generator | None,
    ) -> None:
        rest = rest_of_game(game, *line)
        self._board, self._dtype, self.drawn = board, game.dtype, random is not None
        self._deals = deals_to_come(game.deck, board.street, game.last)
        each = (1,) * (game.last + 1)
        self._seen = None if random is None else DrawnBoards(rest.game.boards, random, each)
        known = [[rest.strategy(play) for play in side] for side in plays]
        self._walks = [
            [[BoardWalk(rest.game, who, theirs, ours, self._seen) for theirs in known[1 - who]] for ours in known[who]]
            for who in (0, 1)
        ]

    def draw(self) -> None:
        if self._seen is not None:
            self._seen.draw_anew()

    def values(self, player: int, reach: AnyArray) -> F64:
        """(own strategies, ends, places) chips of a player by each of their strategies, for each pair of hands of reach
        1. reach: (strategies of the other, ends, places of the board)."""
        entries = reach.astype(self._dtype)
        met = [k for k, entry in enumerate(entries) if entry.any()]
        found = [
            sum((walks[k].below(self._board, entries[k]) for k in met), np.zeros(reach.shape[1:]))
            for walks in self._walks[player]
        ]
        return np.stack(found) / self._deals
