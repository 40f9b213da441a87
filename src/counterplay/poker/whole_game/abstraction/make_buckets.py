"""Buckets of a game by their numbers."""

from __future__ import annotations

from counterplay.poker.whole_game.abstraction.buckets import cluster
from counterplay.poker.whole_game.abstraction.card_abstraction import CardAbstraction, lossless
from counterplay.poker.whole_game.abstraction.street_buckets import cluster_streets
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.boards.street_boards import StreetBoards


def make_buckets(boards: Flops | StreetBoards, counts: tuple[int, ...] | None, *, seed: int = 0) -> CardAbstraction:
    """Which hands are played alike.

    Args:
        counts: of each street after the first; None: none are put together.
        seed: of k-means; the same seed gives the same buckets.

    Raises:
        InputError: a deck with too many boards to list.
    """
    if counts is None:
        return lossless(boards)
    if isinstance(boards, Flops):
        return cluster(boards, counts[0], seed=seed)
    return cluster_streets(boards, counts, seed=seed)
