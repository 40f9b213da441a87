"""Street tables from numbers of buckets: centres are fitted to the features of some hands, then all hands are labelled.

Features of a street before the last come from the equities on all boards to come, which are in a table meanwhile: 145 MB
for the full deck. Before the flop the abstraction is lossless.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from counterplay.arrays import I64, U8, U16
from counterplay.card_abstraction.card_abstraction import HandFeatures, Watch
from counterplay.card_abstraction.k_means import fit_centres, fit_nested, metric_of
from counterplay.card_abstraction.showdown_features import (
    GROUPS,
    STEPS,
    board_strengths,
    pairs_of_places,
    sorted_features,
    sorted_hands,
)
from counterplay.card_abstraction.street_tables import LastStreet, StreetTables
from counterplay.jit import kernel
from counterplay.poker.whole_game.boards.board import DEALT, GameBoards
from counterplay.poker.whole_game.boards.card_sets import CardSets, card_sets, code_of


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
