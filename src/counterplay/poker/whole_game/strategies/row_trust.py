"""Trust in a model row by row: at each decision of each lane its player follows it with some probability, drawn anew there,
and is free otherwise (data-biased responses, Johanson and Bowling 2009)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import ModelMixture
from counterplay.poker.whole_game.values.board_kernels import raise_classes


class TrustedRows(NamedTuple):
    """Rows of a model on a board: (sequences, lanes) probabilities, and those with which it is followed; (n,) lane of
    the hand at each place."""

    table: AnyArray
    trust: AnyArray
    lane: Small

    def followed(self, free: AnyArray) -> AnyArray:
        """(sequences, n) what is played where the free player chooses (sequences, n) `free`."""
        trust = self.trust[:, self.lane]
        with np.errstate(invalid="ignore", over="ignore"):  # row 0 of `free` is neither written nor read
            return np.ascontiguousarray(trust * self.table[:, self.lane] + (1.0 - trust) * free, free.dtype)


class RowTrust:
    """The trust in a model at all of its rows: p where it was in training, 0 where it never was, and p at all of them
    if it does not tell; 1 where it is drawn for whole hands."""

    def __init__(self, game: HoldemGame, mixture: ModelMixture) -> None:
        self.player, self._game, self._mixture = mixture.player, game, mixture
        self._latest: dict[int, tuple[Board, TrustedRows]] = {}
        classes = np.arange(game.boards.classes, dtype=np.uint32)
        self._early = self._rows(game.boards.root, mixture.model.preflop[self.player], classes)

    def binds(self, street: int) -> bool:  # noqa: ARG002 - decisions that stand do so on some streets only
        """Return whether rows of a street are trusted."""
        return True

    def on(self, board: Board) -> TrustedRows:
        """The rows of a board after the flop is dealt."""
        found = self._latest.get(board.street)
        if found is None or found[0] is not board:
            found = self._latest[board.street] = board, self._rows(board, *self._mixture.model.on(self.player, board))
        return found[1]

    def before_flop(self, free: F64, group: Small) -> F64:
        """(sequences, classes) what is played where the free player chooses (sequences, lanes) `free`. group:
        (classes,) lanes."""
        return self._early.followed(free[:, group])

    def raise_before_flop(self, free: F64, group: Small, worth: F64, summed: F64) -> None:
        """Add to (sequences, lanes) `summed` the values of all sequences before the flop, under what is played; arguments
        otherwise as of `raise_classes`."""
        by_class = np.zeros_like(worth)
        played, every = self.before_flop(free, group), self._early.lane
        raise_classes(self._game.sides[self.player].preflop, played, every, worth, by_class)
        np.add.at(summed.T, group, by_class.T)

    def _rows(self, board: Board, table: AnyArray, lane: Small) -> TrustedRows:
        mixture, model = self._mixture, self._mixture.model
        trust = np.full(table.shape, mixture.p if mixture.by_row else 1.0, table.dtype)
        told: Any = model if getattr(model, "tells_visits", False) else None
        if mixture.by_row and told is not None:
            trust *= told.known_on(self.player, board)
        return TrustedRows(table, trust, lane)
