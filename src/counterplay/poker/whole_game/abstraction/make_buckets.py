"""Buckets of a game by their numbers."""

from __future__ import annotations

from counterplay.poker.whole_game.abstraction.buckets import cluster
from counterplay.poker.whole_game.abstraction.street_buckets import cluster_streets
from counterplay.poker.whole_game.card_abstraction import CardAbstraction, lossless
from counterplay.poker.whole_game.flops import Flops
from counterplay.poker.whole_game.holdem import HoldemGame


def make_buckets(game: HoldemGame, counts: tuple[int, ...] | None, *, seed: int = 0) -> CardAbstraction:
    """Which hands are played alike.

    Args:
        counts: of each street after the first; None: none are put together.
        seed: of k-means; the same seed gives the same buckets.

    Raises:
        InputError: a deck with too many boards to list.
    """
    if counts is None:
        return lossless(game.boards)
    if isinstance(game.boards, Flops):
        return cluster(game.boards, counts[0], seed=seed)
    return cluster_streets(game.boards, counts, seed=seed)
