"""Public trees with cards: of tiny decks with random weights, and Leduc."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.betting.rules import BettingRules, spot
from counterplay.poker.betting.tree import build
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree


def toy(seed: int, street: str, bets: str, *, cards: int = 8, hands: int = 10, rake: float = 0.0) -> PublicTree:
    """A spot of a tiny deck: some of its hands with random weights and strengths that depend on the board."""
    rng = np.random.default_rng(seed)
    shown = {"river": 2, "turn": 1, "flop": 0}[street]
    deck, board = tuple(range(cards)), tuple(range(shown))
    free = [(low, high) for high in range(shown, cards) for low in range(shown, high)]
    kept = np.array(sorted(free[k] for k in rng.permutation(len(free))[:hands]))
    drawn = rng.random((2, len(kept))) * (rng.random((2, len(kept))) < 0.8)
    weights = np.minimum(drawn + 1e-3, 1.0)

    def rank(board: tuple[int, ...], held: NDArray[Any]) -> NDArray[Any]:
        return (held * (3 + sum(board))).sum(axis=1) % 5

    betting = build(spot(street, 10, 30, raises=2, rake=rake), bets)
    return public_tree(betting, Cards(deck, board, kept, weights, rank))


def plans(tree: PublicTree, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers at all sequences, which need not be plans: products are linear."""
    rng = np.random.default_rng(seed)
    first, second = (np.where(runs.tree.real, rng.random(runs.tree.size), 0.0) for runs in tree.runs)
    return first, second


def leduc() -> PublicTree:
    """Leduc poker as betting on the last two streets, hands of one card, and one card to come."""
    rules = BettingRules(stacks=(100, 100), pot=2, first=2, last=3, bets=(0, 0, 2, 4), raises=(None, None, 2, 2))

    def rank(board: tuple[int, ...], held: NDArray[Any]) -> NDArray[Any]:
        own = held[:, 0] // 2
        return np.where(own == board[0] // 2, 10, own)

    hands = np.stack([np.arange(6), 100 + np.arange(6)], axis=1)  # the second card is a dummy that nobody else holds
    return public_tree(build(rules), Cards(tuple(range(6)), (), hands, np.ones((2, 6)), rank, held=1))
