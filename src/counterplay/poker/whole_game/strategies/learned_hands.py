"""Networks as a strategy of a whole game: computed board by board when they are asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from counterplay.arrays import F32, F64, I64, AnyArray
from counterplay.networks.hand_policy import HandPolicy, check_hand_policy
from counterplay.networks.network import Network
from counterplay.poker.whole_game.boards.board import Board, Small
from counterplay.poker.whole_game.holdem import HoldemGame, question_of
from counterplay.poker.whole_game.strategies.hand_numbers import hand_numbers, numbers_of
from counterplay.poker.whole_game.strategy import LastBoardCache


@dataclass(frozen=True, eq=False)
class LearnedHands:
    """A strategy of both players by networks, by seat and street."""

    game: HoldemGame
    networks: tuple[tuple[Network, ...], ...]
    _latest: LastBoardCache = field(default_factory=LastBoardCache, repr=False)
    _numbers: LastBoardCache = field(default_factory=LastBoardCache, repr=False)

    @staticmethod
    def of(game: HoldemGame, policy: HandPolicy) -> LearnedHands:
        """The strategy of a file, which must be of this game."""
        check_hand_policy(policy, question_of(game), *sizes_of(game))
        return LearnedHands(game, policy.networks)

    @property
    def preflop(self) -> tuple[F64, F64]:
        numbers = self.numbers(self.game.boards.root)
        one, two = (self._odds(player, 0, numbers).astype(np.float64) for player in (0, 1))
        return one, two

    def on(self, player: int, board: Board) -> tuple[AnyArray, Small]:
        return self._latest.get(player, board, self._table), board.lane

    def numbers(self, board: Board) -> F32:
        """(lanes, numbers) what the networks see of the hands on a board."""
        return self._numbers.get(0, board, lambda _, there: hand_numbers(self.game.deck, self.game.boards.group, there))

    def _table(self, player: int, board: Board) -> AnyArray:
        return self._odds(player, board.street, self.numbers(board)).astype(self.game.dtype)

    def _odds(self, player: int, street: int, numbers: F32) -> F32:
        network = self.networks[player][street]
        answer = network.answer(np.zeros(len(numbers), np.int64), numbers)
        return odds_of(np.ascontiguousarray(answer.T), self.game.sides[player].decisions[street])


def sizes_of(game: HoldemGame) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The outputs of every network, by seat and street, and the inputs by street."""
    sizes = tuple(tuple(side.sizes[: game.last + 1]) for side in game.sides)
    return sizes, tuple(numbers_of(street) for street in range(game.last + 1))


def odds_of(answers: F32, decisions: I64) -> F32:
    """(sequences, lanes) the softmax of answers (sequences, lanes) over the actions of each decision; 1 elsewhere."""
    out = np.ones_like(answers)
    for _, _, first, count in decisions.tolist():
        rows = answers[first : first + count]
        weight = np.exp(rows - rows.max(axis=0))
        out[first : first + count] = weight / weight.sum(axis=0)
    return out
