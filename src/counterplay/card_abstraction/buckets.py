"""Buckets of hands with similar equities, by k-means, and their file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from counterplay.archive import ArchiveKind, opened, write
from counterplay.arrays import I64
from counterplay.card_abstraction.card_abstraction import Buckets
from counterplay.card_abstraction.equity_features import equities, histograms, strength
from counterplay.card_abstraction.tables.k_means import Points, k_means
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.whole_game.boards.flops import Flops

KIND = ArchiveKind("a file of buckets", 1, frozenset(("preflop", "lane")), packed=True, old=frozenset(("about",)))


def cluster(
    flops: Flops,
    buckets: int = 200,
    *,
    preflop: int | None = None,
    groups: int = 4,
    remember: bool = False,
    seed: int = 0,
) -> Buckets:
    """Buckets of similar hands.

    Before the flop, classes of hands are similar if their equities have similar distributions over the flops; on the
    flop, hands are similar if they have similar equities against each of a few groups of opposing hands. These groups
    are found like the buckets before the flop. By default recall is imperfect: on the flop a player no longer knows their
    bucket before it. Regret minimisation is then not guaranteed to find an equilibrium of the abstract game, but the
    buckets can be finer.

    Args:
        flops: all flops of the game.
        buckets: on the flop; Liu et al. 2022 use 200.
        preflop: before the flop; by default one per class.
        groups: of opposing hands.
        remember: perfect recall: each bucket before the flop is split into `buckets` on it.
        seed: of k-means; the same seed gives the same buckets.

    Raises:
        InputError: a number that is not positive.
    """
    for name, count in (("buckets", buckets), ("preflop buckets", preflop), ("groups", groups)):
        if count is not None and count < 1:
            raise InputError(f"{name}: at least 1 is needed, not {count}")
    random = np.random.default_rng(seed)
    shape = histograms(flops, strength(flops))
    rivals = k_means(shape, flops.sizes, groups, random)
    shares = equities(flops, np.eye(int(rivals.max()) + 1)[rivals].T)
    classes = np.arange(flops.classes)
    early = classes if preflop is None else k_means(shape, flops.sizes, preflop, random)
    first, weights = _different(flops)
    points = shares.reshape(-1, shares.shape[2])[first]
    if remember:
        late = _within(points, weights, early[flops.at.ravel()[first]], buckets, random)
    else:
        late = k_means(points, weights, buckets, random)
    lane = late[_numbers(flops)].astype(np.uint32)
    recall = "remembered" if remember else "forgotten"
    name = f"k-means {buckets} buckets, {preflop or 'all'} preflop ({recall}), {groups} groups, seed {seed}"
    return Buckets(early.astype(np.uint32), lane, np.zeros(flops.flops, np.int64), np.array([late.max() + 1]), name)


_NAME = re.compile(r"k-means (\d{1,9}) buckets, (\d{1,9}|all) preflop \((\w+)\), (\d{1,9}) groups, seed (\d{1,19})")


def cluster_again(flops: Flops, name: str) -> Buckets | None:
    """The buckets that bear a name of `cluster`; None for another name."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    preflop = None if found[2] == "all" else int(found[2])
    return cluster(
        flops,
        int(found[1]),
        preflop=preflop,
        remember=found[3] == "remembered",
        groups=int(found[4]),
        seed=int(found[5]),
    )


def _numbers(flops: Flops) -> I64:
    """(F, n) number of the hand at each place among all different pairs of a flop and a hand."""
    starts = np.cumsum(flops.lanes) - flops.lanes
    return np.asarray(flops.lane + starts[:, None], np.int64)


def _different(flops: Flops) -> tuple[I64, I64]:
    """(pairs,) a place of each different pair among all places, and the number of pairs that it stands for."""
    numbers = _numbers(flops)
    first = np.empty(int(flops.lanes.sum()), np.int64)
    first[numbers.ravel()[::-1]] = np.arange(numbers.size)[::-1]  # of equal numbers the first place is written last
    counts = np.broadcast_to(flops.counts[:, None], numbers.shape)
    return first, np.bincount(numbers.ravel(), counts.ravel().astype(float)).astype(np.int64)


def _within(points: Points, weights: I64, early: I64, buckets: int, random: np.random.Generator) -> I64:
    """(pairs,) buckets within each bucket before the flop, numbered consecutively."""
    out, start = np.empty(len(points), np.int64), 0
    for b in range(int(early.max()) + 1):
        own = np.flatnonzero(early == b)
        found = k_means(points[own], weights[own], buckets, random)
        out[own] = start + found
        start += int(found.max()) + 1
    return out


def save_buckets(path: Path, flops: Flops, buckets: Buckets) -> None:
    """Write shared buckets to a .npz file.

    Raises:
        InputError: the file cannot be written, or the buckets do not come from `cluster`.
    """
    check_writable(path, ".npz")
    if len(buckets.sizes) > 1:
        raise InputError("only buckets that all flops share are kept in a file")
    small = np.uint16 if buckets.sizes[0] <= 2**16 else np.uint32
    about = {"name": buckets.name, "deck": cards_text(flops.deck.cards), "size": int(buckets.sizes[0])}
    write(path, KIND, about, {"preflop": buckets.preflop.astype(small), "lane": buckets.lane.astype(small)})


def load_buckets(path: Path, flops: Flops) -> Buckets:
    """Read shared buckets from a .npz file.

    Raises:
        InputError: the file is missing, of another kind, or of another deck.
    """
    with opened(path, KIND) as archive:
        about = archive.facts if archive.sealed else archive.old_facts("about")
        if not isinstance(about, dict) or about.get("deck") != cards_text(flops.deck.cards):
            raise InputError(f"the buckets in {path} are of another deck")
        preflop = archive.array("preflop", (flops.classes,), "u").astype(np.uint32)
        lane = archive.array("lane", flops.hand.shape, "u").astype(np.uint32)
    size = about.get("size")
    if not isinstance(size, int) or not lane.max() < size <= flops.hand.size:
        raise InputError(f"the buckets in {path} do not fit the flops of this deck")
    return Buckets(preflop, lane, np.zeros(flops.flops, np.int64), np.array([size]), str(about.get("name", "")))
