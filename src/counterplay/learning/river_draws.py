"""Rivers to learn from: boards, ranges with which players come there, and depths of the stacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.poker.cards.deck import Deck
from counterplay.poker.cards.hand_rank import STANDARD, hand_ranks

Random = np.random.Generator
_BOARD = 4
_DEPTHS = 0.1, 12.0
"""Chips behind, in pots: drawn between these, evenly on a logarithmic scale."""
_PLAYS = (0, 1, 1, 2, 2, 3)
"""How many decisions thin out a drawn range; its first one is before the flop."""
_FLAT = 0.15
"""Share of ranges with every hand that is left."""


@dataclass(frozen=True, eq=False)
class DrawnTurn:
    """A drawn turn.

    Attributes:
        deck: the cards.
        board: four of them.
    """

    deck: Deck
    board: tuple[int, ...]

    @staticmethod
    def draw(deck: Deck, rng: Random) -> DrawnTurn:
        """Of any board alike."""
        return DrawnTurn(deck, tuple(rng.permutation(deck.cards)[:_BOARD].tolist()))

    @property
    def rivers(self) -> list[int]:
        """The cards that may come."""
        return [card for card in self.deck.cards if card not in self.board]

    @cached_property
    def live(self) -> Flags:
        """(hands of the deck,) whether each can be held."""
        return self.deck.live(self.board)

    @cached_property
    def strength(self) -> F64:
        """(hands,) the share of hands that each beats, on average over the rivers; 0 where it cannot be held."""
        total, seen = np.zeros(len(self.deck.hands)), np.zeros(len(self.deck.hands))
        for card in self.rivers:
            rank = hand_ranks((*self.board, card), deck=self.deck, rules=STANDARD)
            there = rank >= 0
            order = np.searchsorted(np.sort(rank[there]), rank[there]) / there.sum()
            total[there] += order
            seen[there] += 1.0
        return total / np.maximum(seen, 1.0)

    def range(self, rng: Random) -> F64:
        """(hands,) a range as it may come out of earlier play, at most 1."""
        weight = self.live.astype(np.float64)
        if rng.random() < _FLAT:
            return weight
        weight = weight * _before_the_flop(self.deck, rng)
        for _ in range(int(rng.choice(_PLAYS))):
            weight = weight * _played(self.strength, rng)
        weight[~self.live] = 0.0
        most = float(weight.max())
        return weight / most if most > 1e-3 else self.live.astype(np.float64)


def draw_depth(rng: Random) -> float:
    """Chips behind, in pots."""
    low, high = np.log(_DEPTHS)
    return float(np.exp(rng.uniform(low, high)))


def _before_the_flop(deck: Deck, rng: Random) -> F64:
    """(hands,) which hands are played: high, paired, suited or close ones, more or less strictly."""
    low, high = deck.hands.T // 4
    suited = deck.hands[:, 0] % 4 == deck.hands[:, 1] % 4
    worth: Any = rng.uniform(0.3, 1.0) * high + rng.uniform(0.0, 0.8) * low + rng.uniform(0.0, 3.0) * suited
    worth = worth + rng.uniform(0.0, 10.0) * (low == high) + rng.uniform(-0.8, 0.2) * (high - low)
    worth = worth + rng.normal(0.0, rng.uniform(0.1, 2.0), len(worth))
    edge = np.quantile(worth, rng.uniform(0.0, 0.85))
    return np.asarray(1.0 / (1.0 + np.exp(-(worth - edge) / rng.uniform(0.05, 1.0))), np.float64)


def _played(strength: F64, rng: Random) -> F64:
    """(hands,) the probability of an action by strength: constant between some cuts, with noise of single hands."""
    cuts = np.sort(rng.random(int(rng.integers(1, 8))))
    shape = float(rng.choice((0.3, 0.7, 1.5)))
    often = rng.beta(shape, shape, len(cuts) + 1)
    blur = np.clip(strength + rng.normal(0.0, rng.uniform(0.0, 0.15), len(strength)), 0.0, 1.0)
    found = often[np.searchsorted(cuts, blur)]
    return np.asarray(found * rng.beta(4.0, 1.0, len(found)), np.float64)
