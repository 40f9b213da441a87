"""Rivers to learn from: boards, ranges and depths that are drawn, and what betting adds to a showdown in a solution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I64, Flags
from counterplay.networks.river_network import Strengths
from counterplay.poker.betting import rules as limits
from counterplay.poker.betting.bet_sizes import read_sizes
from counterplay.poker.betting.tree import build
from counterplay.poker.cards.deck import Deck, compatible_weight
from counterplay.poker.cards.hand_rank import STANDARD, hand_ranks
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Showdown, terminals_of
from counterplay.poker.subtrees.river_showdowns import strength_on
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.sweeps import best

POT = 1000.0
"""Chips in the middle of a river that is solved."""
_LEAST = 1e-9
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
    weight = often[np.searchsorted(cuts, blur)]
    return np.asarray(weight * rng.beta(4.0, 1.0, len(weight)), np.float64)


class RiverSamples(NamedTuple):
    """Solved rivers, one a row.

    Attributes:
        shares: (n, 2, knots) both ranges, scaled to sum 1.
        depths: (n,) chips behind, in pots.
        extra: (n, 2, knots) what betting adds to the value of a showdown, in pots.
        weights: (n, 2, knots) how much each number counts: half by the range, half by the number of hands; sum 1 a player.
    """

    shares: F32
    depths: F32
    extra: F32
    weights: F32


class RiverBetting(NamedTuple):
    """The betting of the rivers that are solved, and how.

    Attributes:
        deck: the cards.
        bets: sizes, as text.
        raises: most bets and raises; None without a cap.
        method: the minimiser.
        iterations: of it.
    """

    deck: Deck
    bets: str
    raises: int | None
    method: Minimiser
    iterations: int


def solve_river(
    betting: RiverBetting, board: tuple[int, ...], ranges: tuple[F64, F64], depth: float, knots: int
) -> RiverSamples | None:
    """The sample of one river; None if no two hands can be dealt. ranges: (hands of the deck,), at most 1. depth: chips
    behind, in pots.
    """
    tree = _tree(betting, board, ranges, depth)
    if tree is None:
        return None
    extra = extra_values(tree, betting)
    hands, weights = tree.boards.cards.hands[tree.boards.layers[0].hand], tree.boards.cards.weights
    strengths = Strengths.of(strength_on(tree.boards.cards, board, hands), knots)
    row, ones = np.zeros(len(hands), np.int64), np.ones(len(hands))
    numbers = []
    for player in (0, 1):
        held = weights[player][tree.boards.layers[0].hand]
        counted = 0.5 * held / held.sum() + 0.5 * ones / len(hands)
        mass = strengths.collect(row, 1, counted)[0]
        value = strengths.collect(row, 1, counted * extra[player])[0]
        there = np.divide(value, mass, out=np.zeros(knots), where=mass > _LEAST)
        numbers.append((strengths.collect(row, 1, held / held.sum())[0], there, mass))
    shares, values, masses = (np.stack(pair)[None].astype(np.float32) for pair in zip(*numbers, strict=True))
    return RiverSamples(shares, np.array([depth], np.float32), values, masses)


def extra_values(tree: PublicTree, betting: RiverBetting) -> tuple[F64, F64]:
    """Of both players (hands,) in order of strength: what a hand's best response to the other's solution earns more than a
    showdown, in pots a hand that it meets; half the surplus of both claims is subtracted."""
    subgame, layer = tree.subgame, tree.boards.layers[0]
    plans = solve_cfr(subgame, betting.method, Stop(iterations=betting.iterations), look=False).plans
    weights = [held[layer.hand] for held in tree.boards.cards.weights]
    hands, unit = tree.boards.cards.hands[layer.hand], tree.leaves.unit
    extras = []
    for player in (0, 1):
        mine = subgame.trees[player]
        cfv = subgame.leaves.product(player, plans[1 - player])
        best(mine.arrays, subgame.restrictions[player].keep, np.zeros(mine.size), cfv, np.zeros(mine.size))
        met = compatible_weight(hands, weights[1 - player])
        more = cfv[tree.sequences_to(player, 0)] / (unit * POT) - _shown(tree, weights[1 - player])
        extras.append((np.divide(more, met, out=np.zeros(len(met)), where=met > _LEAST), met))
    (extra0, met0), (extra1, met1) = extras
    surplus = weights[0] * met0 @ extra0 + weights[1] * met1 @ extra1
    half = 0.5 * surplus / (weights[0] @ met0)
    return extra0 - half, extra1 - half


def _tree(betting: RiverBetting, board: tuple[int, ...], ranges: tuple[F64, F64], depth: float) -> PublicTree | None:
    """A river's public tree; every hand of the deck is in it."""
    live = betting.deck.live(board)
    chips = limits.spot("river", POT, max(1.0, float(round(depth * POT))), raises=betting.raises)
    weights = np.stack([held[live] for held in ranges])

    def rank(shown: tuple[int, ...], hands: I64) -> I64:
        return hand_ranks(shown, hands, deck=betting.deck).astype(np.int64)

    cards = Cards(betting.deck.cards, board, betting.deck.hands[live], weights, rank)
    if not cards.pairs > 0.0:
        return None
    return public_tree(build(chips, read_sizes(betting.bets)), cards)


def _shown(tree: PublicTree, reach: F64) -> F64:
    """(hands,) what hands win at a showdown of the pot against a reach, in pots, in order of strength."""
    board, size = tree.tables.widest[0], len(reach)
    out = np.zeros(size)
    shown = terminals_of(board, [Showdown(0, 0, 0.5, 0.5)], (size, size))
    evaluate(board, shown, np.ascontiguousarray(reach), out, tree.tables.scratch)
    return out
