"""Buckets of a game by their numbers."""

from __future__ import annotations

from counterplay.poker.whole_game.abstraction import emd
from counterplay.poker.whole_game.abstraction.buckets import cluster
from counterplay.poker.whole_game.abstraction.card_abstraction import CardAbstraction, lossless
from counterplay.poker.whole_game.abstraction.make_tables import Watch, make_tables
from counterplay.poker.whole_game.abstraction.street_buckets import MOST_LISTED, cluster_streets
from counterplay.poker.whole_game.abstraction.table_file import find_tables
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.boards.street_boards import StreetBoards


def make_buckets(
    boards: Flops | StreetBoards, counts: tuple[int, ...] | None, *, seed: int = 0, watch: Watch | None = None
) -> CardAbstraction:
    """Which hands are played alike.

    Args:
        counts: of each street after the first; None: none are put together.
        seed: of k-means; the same seed gives the same buckets.
        watch: see `Watch`.
    """
    if counts is None:
        return lossless(boards)
    if isinstance(boards, Flops):
        return cluster(boards, counts[0], seed=seed)
    if boards.most_hands(boards.last) <= MOST_LISTED:
        return cluster_streets(boards, counts, seed=seed)
    name = f"emd:{'/'.join(map(str, counts))}" + (f",seed={seed}" if seed else "")
    told = watch or (lambda *_: None)
    return find_tables(boards, name, lambda: make_tables(boards, emd.FEATURES, counts, seed, name, told))
