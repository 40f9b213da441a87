"""Trust in a model row by row: at each decision of each lane its player follows it with some probability, drawn anew there,
and is free otherwise (data-biased responses, Johanson and Bowling 2009); and decisions that stand, which always are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, U32, AnyArray, Flags
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BlueprintStrategy, BucketedStrategy, LastBoardCache, ModelMixture
from counterplay.poker.whole_game.values.board_kernels import raise_classes
from counterplay.poker.whole_game.values.board_walk import BoardWalk, ChoiceRule
from counterplay.poker.whole_game.values.measure import preflop_values_against


class TrustedRows(NamedTuple):
    """Rows of a model on a board: (sequences, lanes) probabilities, and those with which it is followed; (n,) lane of
    the hand at each place."""

    table: AnyArray
    trust: AnyArray
    lane: U32

    def followed(self, free: AnyArray) -> AnyArray:
        """(sequences, n) what is played where the free player chooses (sequences, n) `free`."""
        trust = self.trust[:, self.lane]
        with np.errstate(invalid="ignore", over="ignore"):  # row 0 of `free` is neither written nor read
            return np.ascontiguousarray(trust * self.table[:, self.lane] + (1.0 - trust) * free, free.dtype)


class RowTrust:
    """The trust in a model at all of its rows: p where it was in training, 0 where it never was, and p at all of them
    if it does not tell; 1 where it is drawn for whole hands."""

    def __init__(self, game: HoldemGame, mixture: ModelMixture) -> None:
        self.player, self.game, self._mixture = mixture.player, game, mixture
        self._latest = LastBoardCache()
        classes = np.arange(game.boards.classes, dtype=np.uint32)
        self._early = self._rows(game.boards.root, mixture.model.preflop[self.player], classes)

    def binds(self, street: int) -> bool:  # noqa: ARG002 - decisions that stand do so on some streets only
        """Return whether rows of a street are trusted."""
        return True

    def on(self, board: Board) -> TrustedRows:
        """The rows of a board after the flop is dealt."""
        model = self._mixture.model
        return self._latest.get(self.player, board, lambda who, here: self._rows(here, *model.on(who, here)))

    def before_flop(self, free: F64, group: U32) -> F64:
        """(sequences, classes) what is played where the free player chooses (sequences, lanes); group: (classes,)
        lanes."""
        return self._early.followed(free[:, group])

    def raise_before_flop(self, free: F64, group: U32, worth: F64, summed: F64) -> None:
        """Add to (sequences, lanes) `summed` the values of all sequences before the flop (see `raise_classes`)."""
        by_class = np.zeros_like(worth)
        played, every = self.before_flop(free, group), self._early.lane
        raise_classes(self.game.sides[self.player].preflop, played, every, worth, by_class)
        np.add.at(summed.T, group, by_class.T)

    def _rows(self, board: Board, table: AnyArray, lane: U32) -> TrustedRows:
        mixture, model = self._mixture, self._mixture.model
        trust = np.full(table.shape, mixture.p if mixture.by_row else 1.0, table.dtype)
        if mixture.by_row and getattr(model, "tells_visits", False):
            trust *= getattr(model, "known_on")(self.player, board)  # noqa: B009
        return TrustedRows(table, trust, lane)


class StandingDecisions(RowTrust):
    """The decisions of a player before a street, bound to a strategy: trusted rows with probability 1. street: at whose
    deal the player becomes free. beside: whether the player is also free wherever no betting leads to that street."""

    def __init__(
        self, game: HoldemGame, player: int, play: BlueprintStrategy, street: int = 1, *, beside: bool = False
    ) -> None:
        self.play, self.street = play, street
        side, betting, self._rows_on = game.sides[player], game.betting, list[Flags]()
        nodes = [int(node) for node in game.roots[street] if betting.children(int(node))]
        for before in range(street):  # of each street, (sequences,) whether each stands
            self._rows_on.append(np.zeros(side.sizes[before], np.bool_))
            for node, _, first, count in side.decisions[before].tolist():
                leads = any(node < later < int(betting.end[node]) for later in nodes)
                self._rows_on[-1][first : first + count] = leads or not beside
        super().__init__(game, ModelMixture(player, play, 1.0, by_row=True))

    def binds(self, street: int) -> bool:
        return street < self.street

    def all_on(self, street: int) -> bool:
        """Return whether all decisions of a street stand."""
        side = self.game.sides[self.player]
        return self.binds(street) and bool(self._rows_on[street][side.decisions[street][:, 2]].all())

    def raise_rows(self, street: int, played: AnyArray, worth: AnyArray) -> None:
        """Add to the values (sequences, hands) of every sequence those of what follows: the mean where a decision
        stands, else the best."""
        for _, before, first, count in self.game.sides[self.player].decisions[street][::-1].tolist():
            rows = slice(first, first + count)
            stands = self._rows_on[street][first]
            worth[before] += (played[rows] * worth[rows]).sum(axis=0) if stands else worth[rows].max(axis=0)

    def freed(self, street: int, table: AnyArray) -> AnyArray:
        """(sequences, lanes) the player's own reach: free decisions as in `table`, others at 1, since what stands
        weighs alike in all iterations."""
        return np.where(self._rows_on[street][:, None], table.dtype.type(1.0), table)

    def continued(self, free: BucketedStrategy) -> BlueprintStrategy:
        """The strategy before the street, a free one from there on."""
        if self.street == 1 and self.all_on(0):
            early = list(free.preflop)
            early[self.player] = self.play.preflop[self.player]
            return BucketedStrategy(free.buckets, (early[0], early[1]), free.tables)
        return ContinuedStrategy(self, free)

    def best_value(self, theirs: BlueprintStrategy) -> float:
        """Chips a hand of a player who responds best where they are free."""
        game, player = self.game, self.player
        walk = BoardWalk(game, player, theirs, rule=_Continuing(self) if self.street > 1 else None)
        worth = preflop_values_against(game, player, theirs, walk.entry_values())
        self.raise_rows(0, self.play.preflop[player], worth)
        return float(worth[0].sum() / game.deals)

    def _rows(self, board: Board, table: AnyArray, lane: U32) -> TrustedRows:
        trust = np.zeros(table.shape, table.dtype)
        if self.binds(board.street):
            trust[self._rows_on[board.street]] = 1.0
        return TrustedRows(table, trust, lane)


@dataclass(frozen=True, eq=False)
class ContinuedStrategy:
    """A strategy whose decisions before a street are those of another one."""

    standing: StandingDecisions
    free: BlueprintStrategy

    @cached_property
    def preflop(self) -> tuple[F64, F64]:
        early, player = list(self.free.preflop), self.standing.player
        early[player] = self.standing.before_flop(early[player], np.arange(early[player].shape[1], dtype=np.uint32))
        return early[0], early[1]

    def on(self, player: int, board: Board) -> tuple[AnyArray, U32]:
        table, lane = self.free.on(player, board)
        if player != self.standing.player or not self.standing.binds(board.street):
            return table, lane
        return self.standing.on(board).followed(table[:, lane]), np.arange(len(lane), dtype=np.uint32)


@dataclass(frozen=True)
class _Continuing(ChoiceRule):
    """The choices of a best responder some of whose decisions stand."""

    standing: StandingDecisions

    def estimates(self, board: Board, plan: AnyArray, values: AnyArray) -> AnyArray | None:  # noqa: ARG002
        if not self.standing.binds(board.street):
            return None
        rows = self.standing.on(board)
        out = np.zeros_like(values)
        out[:, : len(board.hand)] = rows.table[:, rows.lane]
        return out

    def raise_values(self, decisions: AnyArray, estimates: AnyArray, values: AnyArray, n: int, run: int) -> None:
        of_streets = self.standing.game.sides[self.standing.player].decisions
        street = next(street for street, own in enumerate(of_streets) if own is decisions)
        self.standing.raise_rows(street, estimates[:, :n], values.reshape(-1, run)[:, :n])
