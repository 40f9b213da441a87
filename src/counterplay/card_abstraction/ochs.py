"""k-means over equity against groups of opposing hands (OCHS, Johanson et al. 2013), in games that end on the flop."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from counterplay.archive import ArchiveKind, opened, write
from counterplay.arrays import F32, F64, U32, AnyArray
from counterplay.card_abstraction.abstraction_record import (
    Abstraction,
    BucketCounts,
    BucketCountsReader,
    check_preflop,
    counts_by_street,
)
from counterplay.card_abstraction.card_abstraction import CardAbstraction, StreetBuckets, Watch
from counterplay.card_abstraction.k_means import k_means
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.showdown.showdown import evaluate
from counterplay.poker.showdown.terminals import Fold, Showdown, scratch_of, terminals_of
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.texts.readers import Whole

KIND = ArchiveKind("a file of buckets", 1, frozenset(("preflop", "lane")), packed=True, old=frozenset(("about",)))
BINS = 50
_NAME = re.compile(r"k-means (\d{1,9}) buckets, (\d{1,9}|all) preflop \((\w+)\), (\d{1,9}) groups, seed (\d{1,19})")


@dataclass(frozen=True)
class OCHS(Abstraction):
    """Buckets by equity on the flop against four groups of hands (Johanson et al. 2013), for games that end there."""

    HEAD = "ochs"

    counts: Annotated[BucketCounts, BucketCountsReader(what="buckets", example="200")]
    seed: Annotated[int, Whole(what="the seed")] = field(default=0, kw_only=True)

    def make(self, boards: GameBoards, watch: Watch) -> CardAbstraction:  # noqa: ARG002 - it takes seconds
        count = self.buckets_of(boards.last)[0]
        check_preflop(self.counts, boards)
        return cluster(boards, count, seed=self.seed)

    def buckets_of(self, last: int) -> tuple[int, ...]:
        if last > 1:
            raise InputError("ochs makes buckets of games that end on the flop; with more streets write emd or moments")
        return counts_by_street(self.counts, last)


def cluster(
    boards: GameBoards,
    buckets: int = 200,
    *,
    preflop: int | None = None,
    groups: int = 4,
    remember: bool = False,
    seed: int = 0,
) -> StreetBuckets:
    """Buckets of similar hands in a game that ends on the flop.

    Before the flop, classes of hands are similar if their equities have similar distributions over the flops; on the
    flop, hands are similar if they have similar equities against each of a few groups of opposing hands, which are
    found like the buckets before the flop.

    Args:
        boards: of the game.
        buckets: on the flop; Liu et al. 2022 use 200.
        preflop: before the flop; by default one per class.
        groups: of opposing hands.
        remember: perfect recall: each bucket before the flop is split into `buckets` on it; by default it is forgotten.
        seed: of k-means; the same seed gives the same buckets.
    """
    for name, count in (("buckets", buckets), ("preflop buckets", preflop), ("groups", groups)):
        if count is not None and count < 1:
            raise InputError(f"{name}: at least 1 is needed, not {count}")
    random = np.random.default_rng(seed)
    shape = histograms(boards, strength(boards))
    rivals = k_means(shape, boards.sizes, groups, random)
    shares = equities(boards, np.eye(int(rivals.max()) + 1)[rivals].T)
    early = np.arange(boards.classes) if preflop is None else k_means(shape, boards.sizes, preflop, random)
    # (F, n) number of each hand among all different pairs of a flop and a hand; (pairs,) a place of each; how many it is.
    flops, counts = boards.after(boards.root), boards.choices(boards.root)[1]
    lanes = np.array([flop.lanes for flop in flops])
    numbers = np.asarray(np.array([flop.lane for flop in flops]) + (np.cumsum(lanes) - lanes)[:, None], np.int64)
    first = np.unique(numbers, return_index=True)[1]
    times = np.broadcast_to(counts[:, None], numbers.shape).ravel().astype(float)
    weights = np.bincount(numbers.ravel(), times).astype(np.int64)
    points = shares.reshape(-1, shares.shape[2])[first]
    if remember:
        classes = np.concatenate([flop.up for flop in flops])
        within, late, start = early[classes[first]], np.empty(len(points), np.int64), 0
        for bucket in range(int(within.max()) + 1):
            own = np.flatnonzero(within == bucket)
            late[own] = start + k_means(points[own], weights[own], buckets, random)
            start = int(late[own].max()) + 1
    else:
        late = k_means(points, weights, buckets, random)
    recall = "remembered" if remember else "forgotten"
    name = f"k-means {buckets} buckets, {preflop or 'all'} preflop ({recall}), {groups} groups, seed {seed}"
    return _listed(boards, early.astype(np.uint32), late[numbers].astype(np.uint32), int(late.max()) + 1, name)


def cluster_again(boards: GameBoards, name: str) -> StreetBuckets | None:
    """The buckets that bear a name of `cluster`; None for another name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    preflop = None if match[2] == "all" else int(match[2])
    recall, groups, seed = match[3] == "remembered", int(match[4]), int(match[5])
    return cluster(boards, int(match[1]), preflop=preflop, remember=recall, groups=groups, seed=seed)


def equities(boards: GameBoards, groups: AnyArray) -> F32:
    """(F, n, groups) share of the pot, from 0 to 1, of the hand at each place of each flop against (groups, classes)
    weights of hands. A hand whose cards block all hands of a group gets 1/2."""
    flops, weights, many = boards.after(boards.root), groups.astype(np.float32), len(groups)
    board: Any = flops[0].layout
    n, run = board.hands, -(-board.hands // 16) * 16
    listed: list[Showdown | Fold] = [Showdown(run * g, run * g, 1, 0, 0.5) for g in range(many)]
    listed += [Fold(run * g, run * (many + g), 1) for g in range(many)]
    plan, values = np.zeros(many * run, np.float32), np.zeros(2 * many * run, np.float32)
    terminals = terminals_of(board, listed, (len(plan), len(values)), np.float32)
    scratch, shares = scratch_of(board, np.float32), np.empty((len(flops), n, many), np.float32)
    for flop, out in zip(flops, shares, strict=True):
        plan.reshape(many, run)[:, :n] = weights[:, flop.up]
        values[:] = 0
        evaluate(flop.layout, terminals, plan, values, scratch)
        won, met = values.reshape(2, many, run)[:, :, :n]
        few = met <= 1e-4 * weights.max()
        out[:] = np.clip(np.where(few, 0.5, won / np.where(few, 1, met)), 0, 1).T
    return shares


def strength(boards: GameBoards) -> F32:
    """(F, n) share of the pot against any hand, by flop."""
    return equities(boards, np.ones((1, boards.classes)))[:, :, 0]


def histograms(boards: GameBoards, shares: F32, bins: int = BINS) -> F64:
    """(classes, bins) cumulative distribution over the flops of the equity of each class. The L1 distance of two rows
    is the earth mover's distance of the two distributions, times the number of bins."""
    classes = np.array([flop.up for flop in boards.after(boards.root)])
    column = np.minimum((shares * bins).astype(np.int64), bins - 1)
    counts = np.broadcast_to(boards.choices(boards.root)[1][:, None].astype(float), shares.shape)
    flat = np.bincount((classes * bins + column).ravel(), counts.ravel(), boards.classes * bins)
    rows = flat.reshape(boards.classes, bins)
    return np.cumsum(rows / rows.sum(axis=1, keepdims=True), axis=1)


def save_buckets(path: Path, boards: GameBoards, buckets: CardAbstraction) -> None:
    """Write the buckets of `cluster` to a .npz file."""
    check_writable(path, ".npz")
    if not isinstance(buckets, StreetBuckets):
        raise InputError("only buckets that all flops share are kept in a file")
    small = np.uint16 if buckets.sizes[0] <= 2**16 else np.uint32
    about = {"name": buckets.name, "deck": cards_text(boards.deck.cards), "size": buckets.sizes[0]}
    lane = np.array([buckets.lanes_on(flop)[1] for flop in boards.after(boards.root)])
    write(path, KIND, about, {"preflop": buckets.preflop.astype(small), "lane": lane.astype(small)})


def load_buckets(path: Path, boards: GameBoards) -> StreetBuckets:
    """Read the buckets of a game that ends on the flop from a .npz file; an `InputError` if it is of another deck."""
    shape = len(boards.choices(boards.root)[0]), len(boards.after(boards.root)[0].hand)
    with opened(path, KIND) as archive:
        about = archive.facts if archive.sealed else archive.old_facts("about")
        if not isinstance(about, dict) or about.get("deck") != cards_text(boards.deck.cards):
            raise InputError(f"the buckets in {path} are of another deck")
        preflop = archive.array("preflop", (boards.classes,), "u").astype(np.uint32)
        lane = archive.array("lane", shape, "u").astype(np.uint32)
    size = about.get("size")
    if not isinstance(size, int) or not lane.max() < size <= lane.size:
        raise InputError(f"the buckets in {path} do not fit the flops of this deck")
    return _listed(boards, preflop, lane, size, str(about.get("name", "")))


def _listed(boards: GameBoards, preflop: U32, lane: U32, size: int, name: str) -> StreetBuckets:
    """Buckets from (F, n) lanes, flop by flop."""
    lanes = {flop.cards: row for flop, row in zip(boards.after(boards.root), lane, strict=True)}
    return StreetBuckets(preflop, (lanes,), (size,), name)
