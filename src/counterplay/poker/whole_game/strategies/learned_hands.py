"""Networks as a strategy of a whole game, computed board by board, and the numbers that they see of hands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from counterplay.arrays import F32, F64, I32, I64, U32, AnyArray
from counterplay.networks.network import Network
from counterplay.networks.policy_network import HandPolicy, check_hand_policy
from counterplay.poker.cards.deck import RANKS, Deck
from counterplay.poker.cards.hand_rank import CATEGORIES, categories, hand_ranks
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame, question_of
from counterplay.poker.whole_game.strategy import LastBoardCache, TablesOnDemand

_BUMPS = 10
"""Equally spaced strengths, to each of which a hand is near or not."""
_RUN_OUTS, _WHOLE = 40, 5
_SUITS = 4
_EARLY = 5 + 2 * len(RANKS)
_CARDS, _TEXTURE = 8, 5
_LATE = 3 + _BUMPS + len(CATEGORIES) + _CARDS + _TEXTURE


def numbers_of(street: int) -> int:
    """Number of numbers that a hand has on a street."""
    return _LATE if street else _EARLY


def hand_numbers(deck: Deck, group: U32, board: Board) -> F32:
    """(lanes, numbers) the hands on a board; lanes before the flop are classes, (hands,) `group`."""
    if not board.street:
        return _early(deck, group)
    cards = _cards(board.cards, deck.hands[board.hand[board.first]])
    return np.concatenate([_strengths(deck, board)[board.first], cards], axis=1, dtype=np.float32)


def _early(deck: Deck, group: U32) -> F32:
    """(classes, numbers): ranks, suited, paired, the gap, and the ranks once more one by one."""
    hands = deck.hands[np.unique(group, return_index=True)[1]]
    low, high = np.sort(hands // _SUITS, axis=1).T
    suited, paired = hands[:, 0] % _SUITS == hands[:, 1] % _SUITS, low == high
    kinds = np.eye(len(RANKS))
    numbers = np.stack([low / 12.0, high / 12.0, suited, paired, (high - low) / 12.0], axis=1)
    return np.concatenate([numbers, kinds[low], kinds[high]], axis=1, dtype=np.float32)


def _strengths(deck: Deck, board: Board) -> F64:
    """(n, 3 + bumps + categories) strength now, its mean over run-outs and deviation; the mean near which bump; the
    made hand."""
    ranks = hand_ranks(board.cards, deck.hands[board.hand], deck=deck)
    now = _shares(ranks)
    mean, spread = (now, np.zeros(len(now))) if len(board.cards) == _WHOLE else _run_out(deck, board)
    bumps = np.exp(-0.5 * ((mean[:, None] - np.linspace(0.05, 0.95, _BUMPS)) / 0.07) ** 2)
    made = np.eye(len(CATEGORIES))[categories(ranks)]
    return np.concatenate([np.stack([now, mean, 4.0 * spread], axis=1), bumps, made], axis=1)


def _shares(ranks: I32) -> F64:
    """(n,) the share of hands that each beats; ties count half."""
    every = np.sort(ranks)
    return (np.searchsorted(every, ranks, "left") + np.searchsorted(every, ranks, "right")) / (2.0 * len(every))


def _run_out(deck: Deck, board: Board) -> tuple[F64, F64]:
    """Two (n,): mean and deviation of the strengths on whole boards, of which some are drawn, always the same."""
    left = [card for card in deck.cards if card not in board.cards]
    need, rng = _WHOLE - len(board.cards), np.random.default_rng(list(board.cards))
    drawn = (
        [[card] for card in left] if need == 1 else [rng.permutation(left)[:need].tolist() for _ in range(_RUN_OUTS)]
    )
    total, squares, seen = (np.zeros(len(board.hand)) for _ in range(3))
    for cards in drawn:
        ranks = hand_ranks((*board.cards, *cards), deck.hands[board.hand], deck=deck)
        there = ranks >= 0
        share = _shares(ranks[there])
        total[there] += share
        squares[there] += share**2
        seen[there] += 1.0
    mean = total / np.maximum(seen, 1.0)
    return mean, np.sqrt(np.maximum(squares / np.maximum(seen, 1.0) - mean**2, 0.0))


def _cards(shown: tuple[int, ...], hands: I64) -> F64:
    """(n, cards + texture) ranks, suited, paired, cards over the board, the longest suit with the hand, own cards of
    the board's longest suit; and the board's texture."""
    ranks, suits = np.array(shown) // _SUITS, np.array(shown) % _SUITS
    low, high = np.sort(hands // _SUITS, axis=1).T
    held = hands % _SUITS
    count = np.bincount(suits, minlength=_SUITS)
    own = np.stack([(held == suit).sum(axis=1) for suit in range(_SUITS)], axis=1)
    longest = own[:, int(count.argmax())]
    over = ((low > ranks.max()) * 1.0 + (high > ranks.max())) / 2.0
    numbers = [
        low / 12.0, high / 12.0, held[:, 0] == held[:, 1], low == high, over,
        (count + own).max(axis=1) / 5.0, longest / 2.0, (high - low) / 12.0,
    ]  # fmt: skip
    texture = np.array(_texture(tuple(ranks.tolist()), int(count.max())))
    return np.concatenate([np.stack(numbers, axis=1), np.tile(texture, (len(hands), 1))], axis=1)


@lru_cache(maxsize=4096)
def _texture(ranks: tuple[int, ...], suited: int) -> tuple[float, ...]:
    """Of a board: its longest suit, equal ranks, the most ranks within a straight, the highest and the mean rank."""
    different = set(ranks)
    straight = max(sum(rank + k in different for k in range(5)) for rank in range(9))
    equal = max(ranks.count(rank) for rank in different)
    return suited / 5.0, (equal - 1) / 3.0, straight / 5.0, max(ranks) / 12.0, sum(ranks) / (12.0 * len(ranks))


@dataclass(frozen=True, eq=False)
class LearnedHands(TablesOnDemand):
    """A strategy of both players by networks, by seat and street."""

    game: HoldemGame
    networks: tuple[tuple[Network, ...], ...]
    _numbers: LastBoardCache = field(default_factory=LastBoardCache, repr=False, init=False)

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

    def numbers(self, board: Board) -> F32:
        """(lanes, numbers) what the networks see of the hands on a board."""
        return self._numbers.get(0, board, lambda _, there: hand_numbers(self.game.deck, self.game.boards.group, there))

    def table_on(self, player: int, board: Board) -> AnyArray:
        return self._odds(player, board.street, self.numbers(board)).astype(self.game.dtype)

    def _odds(self, player: int, street: int, numbers: F32) -> F32:
        network = self.networks[player][street]
        answer = network.answer(np.zeros(len(numbers), np.int64), numbers)
        return odds_of(np.ascontiguousarray(answer.T), self.game.sides[player].decisions[street])


def sizes_of(game: HoldemGame) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
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
