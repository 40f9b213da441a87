"""Lanes of decks with too many boards to list: tables by board before the last street, centres on the last.

Boards of a table are sets of cards up to suit isomorphism. The last street has no table: a hand's lane is the cluster of its
features, which one sweep over the board's hands computes. All boards of a street share lanes: imperfect recall.

On disk tables are cached under a digest of all that they depend on; a damaged file is made again.

Tables are made from numbers of buckets: centres are fitted to the features of some hands, then all hands are labelled.
Features of a street before the last come from the equities on all boards to come, which are in a table meanwhile: 145 MB
for the full deck. Before the flop the abstraction is lossless."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from counterplay.archive import Archive, ArchiveKind, opened, write
from counterplay.arrays import F32, I8, I64, U8, U16, U32, AnyArray
from counterplay.cache_folder import ask_for, cache_folder, make_trusted, note_used, prune
from counterplay.card_abstraction.card_abstraction import HandFeatures, Watch
from counterplay.card_abstraction.k_means import NestedCentres, fit_centres, fit_nested, metric_of
from counterplay.card_abstraction.showdown_features import (
    GROUPS,
    STEPS,
    CardSets,
    board_strengths,
    card_sets,
    code_of,
    group_room,
    pairs_of_places,
    sorted_features,
    sorted_hands,
    sweep_groups,
    tie_starts,
)
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.poker.cards.deck import Deck, cards_text
from counterplay.poker.whole_game.boards.board import DEALT, Board, GameBoards


@dataclass(frozen=True, eq=False)
class LastStreet:
    """Lanes of the last street. rivals: (hands of the deck,) the group of opposing hands that each belongs to. columns:
    the first feature in use: 0, or `GROUPS` for equity against all hands alone. scale: the whole number for an equity
    of 1."""

    rivals: I8
    columns: int
    scale: int
    centres: NestedCentres

    def features(self, board: Board) -> F32:
        """(n, features) of the hand at each place of a board."""
        assert board.layout is not None
        n = len(board.hand)
        starts, features = np.empty(n + 1, np.int32), np.empty((n, GROUPS + 1), np.float32)
        ties = tie_starts(board.layout.steps, n, starts)
        sweep_groups(board.layout.pairs, starts, ties, self.rivals[board.hand], self.scale, group_room(n), features)
        return features[:, self.columns :]

    def lanes(self, board: Board) -> U32:
        """(n,) lane of the hand at each place of a board."""
        out = np.empty(len(board.hand), np.uint32)
        self.centres.label(self.features(board), out)
        return out


@dataclass(frozen=True, eq=False)
class StreetTables:
    """Lanes shared by all boards of a street. preflop: (classes,) lane of each class of hand. tables: for each street
    in between, (boards, places) the lane of each hand of each different set of cards."""

    deck: Deck
    preflop: U32
    tables: tuple[U16, ...]
    last: LastStreet
    name: str
    _latest: dict[int, tuple[Board, U32]] = field(default_factory=dict, repr=False)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of lanes of each street."""
        lanes: tuple[AnyArray, ...] = (self.preflop, *self.tables)
        return *(int(table.max()) + 1 for table in lanes), len(self.last.centres.clusters)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all lanes; equal abstractions have equal digests."""
        centres = self.last.centres
        arrays = *self.tables, self.last.rivals, centres.clusters, centres.cells, centres.starts
        return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()

    @cached_property
    def _hands(self) -> I64:
        """(hands of the deck, 2) positions in the deck."""
        return np.searchsorted(self.deck.cards, self.deck.hands)

    def sizes_on(self, street: int) -> I64:
        return np.array([self.sizes[street]])

    def lanes_on(self, board: Board) -> tuple[int, U32]:
        # Several strategies of these buckets are asked for one board in turn.
        known, lanes = self._latest.get(board.street, (None, None))
        if known is board and lanes is not None:
            return 0, lanes
        if board.street > len(self.tables):
            lanes = self.last.lanes(board)
        else:
            sets = card_sets(self.deck, DEALT[board.street])
            number, image = sets.find(board.cards)
            lanes = np.empty(len(board.hand), np.uint32)
            look_up(self.tables[board.street - 1][number], sets.cards[number], image, self._hands, board.hand, lanes)
        self._latest[board.street] = board, lanes
        return 0, lanes

    def __str__(self) -> str:
        return f"{self.name}: {' / '.join(f'{count:,}' for count in self.sizes)} buckets by street"


@kernel(allocates=True)
def look_up(row: Any, board: Any, image: Any, hands: Any, hand: Any, out: Any) -> None:
    """Fill (n,) the lanes of hands in one row (places,) of a table, for a board of positions. image: (cards,) what each
    position becomes there. hands: (hands of the deck, 2) positions of each. hand: (n,) numbers of hands."""
    n = len(image)
    place = np.empty(n, np.int64)  # of each card among those that the board leaves
    for card in range(n):
        at = image[card]
        for other in board:
            at -= other < image[card]
        place[card] = at
    for i in range(len(hand)):
        low, high = place[hands[hand[i], 0]], place[hands[hand[i], 1]]
        if low > high:
            low, high = high, low
        out[i] = row[high * (high - 1) // 2 + low]


VERSION = 2
"""Version of the lanes that a seed gives; raised when they change."""
_SHORT = 24
"""Cards of a deck whose tables take a few seconds, and are not announced."""
_READ: WeakValueDictionary[Path, StreetTables] = WeakValueDictionary()
"""Tables that strategies in this process use: those of one abstraction share them, and what they find on a board."""
_PARTS = frozenset(("table1", "table2", "rivals", "cells", "clusters", "starts"))
KIND = ArchiveKind("a file of card abstraction tables", 1, _PARTS)


def digest_of(boards: GameBoards, name: str) -> str:
    """The digest under which tables are cached: of deck, last street, abstraction and version."""
    question = [VERSION, cards_text(boards.deck.cards), boards.last, name]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


def find_tables(boards: GameBoards, name: str, make: Callable[[], StreetTables]) -> StreetTables:
    """Tables from the cache, or made and cached, if there is a folder for that."""
    folder = cache_folder("tables")
    if folder is None:
        return make()
    path = folder / f"{digest_of(boards, name)}.npz"
    with suppress(InputError):
        found = _READ.get(path) or load_tables(path, boards, name)
        note_used(path)
        _READ[path] = found
        return found
    ask_for(path)
    if len(boards.deck.cards) > _SHORT:
        print(f"making tables of {name}, once: a minute or two (kept in {folder})", file=sys.stderr, flush=True)
    made = _READ[path] = make()
    with suppress(OSError, InputError):
        make_trusted(folder)
        save_tables(path, boards, made)
        note_used(path)
        prune(folder)
    return made


def save_tables(path: Path, boards: GameBoards, tables: StreetTables) -> None:
    """Write tables."""
    last, centres = tables.last, tables.last.centres
    facts = {"key": digest_of(boards, tables.name), "columns": last.columns, "scale": last.scale}
    arrays: dict[str, Any] = {f"table{street}": table for street, table in enumerate(tables.tables, 1)}
    arrays |= {"rivals": last.rivals, "cells": centres.cells, "clusters": centres.clusters, "starts": centres.starts}
    write(path, KIND, {**facts, "absolute": centres.absolute}, arrays)


def load_tables(path: Path, boards: GameBoards, name: str) -> StreetTables:
    """Read tables; an `InputError` if the file is damaged, or has other ones."""
    with opened(path, KIND) as archive:
        facts = archive.facts
        if facts.get("key") != digest_of(boards, name):
            raise InputError(f"the tables in {path} are others")
        tables = []
        for street in range(1, boards.last):
            sets = card_sets(boards.deck, DEALT[street])
            left = len(boards.deck.cards) - sets.size
            tables.append(archive.mapped(f"table{street}", (len(sets), left * (left - 1) // 2), "u"))
        rivals = archive.array("rivals", (len(boards.deck.hands),), "i")
        try:
            last = LastStreet(rivals, int(facts["columns"]), int(facts["scale"]), _centres(archive))
        except (KeyError, TypeError, ValueError):
            raise InputError(f"the facts in {path} are no tables'") from None
    columns = GROUPS + 1 - last.columns
    if last.centres.clusters.shape[1] != columns or not 0 <= rivals.min() <= rivals.max() < GROUPS:
        raise InputError(f"the arrays in {path} do not fit each other")
    return StreetTables(boards.deck, boards.root.lane, tuple(tables), last, name)


def _centres(archive: Archive) -> NestedCentres:
    """The centres in a file; a `ValueError` for arrays that do not fit each other."""
    cells, clusters = archive.array("cells", (None, None)), archive.array("clusters", (None, None))
    starts = archive.array("starts", (len(cells) + 1,), "i").astype(np.int64)
    if cells.shape[1] != clusters.shape[1] or starts[0] or starts[-1] != len(clusters) or (np.diff(starts) < 1).any():
        raise ValueError("starts")
    return NestedCentres(cells, clusters, starts, bool(archive.facts["absolute"]))


class RunOuts:
    """Equities on the last boards, looked up from earlier boards. columns: (STEPS + 1,) the column in which each is
    counted."""

    def __init__(self, last: CardSets, columns: U8) -> None:
        self.last, self.columns = last, columns
        self.shares = board_strengths(last)

    def count(self, board: I64, hands: I64) -> U16:
        """(n, columns) for each hand (n, 2) on a board, the number of last boards on which its equity is in each
        column. Cards are positions in the deck."""
        new = np.array(list(combinations(self.last.free(board).tolist(), self.last.size - len(board))))
        out, last = np.zeros((len(hands), int(self.columns.max()) + 1), np.uint16), self.last
        tables = last.cards, last.image, last.choose, last.number, last.renaming
        room = np.empty(last.size, np.int64), np.empty(last.image.shape[1], np.int64)
        _count(board, new, hands, *tables, self.shares, self.columns, *room, out)
        return out


@kernel
def _count(
    board: Any, new: Any, hands: Any, boards: Any, image: Any, choose: Any, number: Any, renaming: Any, shares: Any,
    columns: Any, cards: Any, place: Any, out: Any,
) -> None:  # fmt: skip
    n, size = image.shape[1], boards.shape[1]
    for k in range(len(new)):
        for i in range(size):
            cards[i] = board[i] if i < len(board) else new[k, i - len(board)]
        code = code_of(cards, choose)
        row, turn = shares[number[code]], image[renaming[code]]
        # the number of each card among those that the last board leaves, as that board stands in the table
        turned = boards[number[code]]
        for card in range(n):
            at = turn[card]
            for other in turned:
                at -= other < turn[card]
            place[card] = at
        for card in cards:
            place[card] = -1
        for i in range(len(hands)):
            # Pairs of places low < high are numbered high * (high - 1) / 2 + low; -1 marks a card of the board.
            low, high = place[hands[i, 0]], place[hands[i, 1]]
            if low > high:
                low, high = high, low
            if low >= 0:
                out[i, columns[row[high * (high - 1) // 2 + low]]] += 1


_SHAPE, _ROUNDS = 1000, 30
"""The whole number for a share of 1 in the histograms of classes, and the iterations that make groups of classes."""
_POINTS, _LEAST, _BOARDS = 25, 100_000, 4000
"""Points per cluster that centres are fitted to, their least total, and the number of last boards they come from."""


def make_tables(
    boards: GameBoards, features: HandFeatures, counts: tuple[int, ...], seed: int, name: str, watch: Watch
) -> StreetTables:
    """Lanes of all streets. counts: buckets of each street after the first. seed: of k-means; the same seed gives the
    same lanes."""
    last, random = card_sets(boards.deck, DEALT[len(counts)]), np.random.default_rng(seed)
    columns = np.arange(STEPS + 1) * features.columns // (STEPS + 1)
    watch("equity on the last boards", 0, len(last))
    outs = RunOuts(last, columns.astype(np.uint8))
    watch("clusters of the last boards", 0, counts[-1])
    last_street, tables = _last_street(boards, features, counts[-1], outs, random), []
    for street, count in enumerate(counts[:-1], 1):
        sets = card_sets(boards.deck, DEALT[street])
        watch(f"clusters of boards of {sets.size} cards", 0, count)
        # Centres are fitted to some hands of every board; then all hands are labelled.
        pairs, points = pairs_of_places(sets).astype(np.int64), []
        most = max(1, max(_LEAST, _POINTS * count) // len(sets))
        for board in sets.cards:
            some = random.choice(len(pairs), min(most, len(pairs)), replace=False)
            points.append(features.points(outs.count(board, sets.free(board)[pairs[some]])))
        weights = np.repeat(sets.counts.astype(float), len(points[0]))
        centres = fit_nested(np.concatenate(points), weights, count, random, absolute=features.absolute)
        table = np.empty((len(sets), len(pairs)), np.uint16)
        for number, board in enumerate(sets.cards):
            if number % 64 == 0:
                watch(f"boards of {sets.size} cards", number, len(sets))
            centres.label(features.points(outs.count(board, sets.free(board)[pairs])), table[number])
        tables.append(table)
    return StreetTables(boards.deck, boards.root.lane, tuple(tables), last_street, name)


def _last_street(
    boards: GameBoards, features: HandFeatures, count: int, outs: RunOuts, random: np.random.Generator
) -> LastStreet:
    """Centres of the last street, fitted to hands of some boards."""
    last = outs.last
    # Groups of opposing hands: classes with similar cumulative histograms of equity over the last boards.
    shape = np.zeros((boards.classes, int(outs.columns.max()) + 1))
    _count_classes(last.cards, last.counts, outs.shares, outs.columns, boards.group, shape)
    shape = np.cumsum(shape, axis=1)
    classes = np.floor(shape * _SHAPE / shape[:, -1:]).astype(np.float32)
    metric, sizes = metric_of(absolute=True, whole=True), boards.sizes.astype(float)
    centres = fit_centres(classes, sizes, GROUPS, random, rounds=_ROUNDS, metric=metric)
    rivals = metric.assign(classes, sizes, centres).labels[boards.group].astype(np.int8)
    first = 0 if features.rivals else GROUPS
    drawn = np.arange(len(last))
    weights = last.counts.astype(float)
    if len(last) > _BOARDS:
        drawn = np.sort(random.choice(len(last), _BOARDS, replace=False, p=weights / weights.sum()))
        weights = np.ones(len(last))
    most = max(1, max(_LEAST, _POINTS * count) // len(drawn))
    points, shares = [], []
    for number, keys in zip(drawn.tolist(), sorted_hands(last, drawn), strict=True):
        every = sorted_features(last, number, keys, rivals, features.scale)[:, first:]
        some = random.choice(len(every), min(most, len(every)), replace=False)
        points.append(every[some])
        shares.append(np.full(len(some), weights[number]))
    nested = fit_nested(np.concatenate(points), np.concatenate(shares), count, random, absolute=False)
    return LastStreet(rivals, first, features.scale, nested)


@kernel
def _count_classes(boards: Any, counts: Any, shares: Any, columns: Any, group: Any, found: Any) -> None:
    cards, hand = len(boards[0]), 0
    for b in range(len(boards)):
        hand, place, high = 0, 0, 1
        while hand < len(group):
            upper = False
            for card in boards[b]:
                upper |= card == high
            for low in range(high):
                dead = upper
                for k in range(cards):
                    dead |= boards[b, k] == low
                if not dead:
                    found[group[hand], columns[shares[b, place]]] += counts[b]
                    place += 1
                hand += 1
            high += 1
