"""Effective observations of the rows of a blueprint: how well hands know each decision with each bucket of hands.

A row is a betting node and a lane of a block. A shown hand counts 1 at each row that it passes. A hidden hand is shared out
among the rows of its possible holdings, which compete as those of one public state do in games in memory
(`counting.effective_counts`). A row that no hand may have passed has 0, whatever its category has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from counterplay.arrays import F32, F64, I32, I64, AnyArray
from counterplay.opponents.counting.estimate import counts_of_shares
from counterplay.opponents.histories.hand_record import Cards
from counterplay.opponents.tilting.categories import Categories
from counterplay.opponents.tilting.mapped_hands import MappedHand
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows

Row = tuple[int, int, int]
"""Betting node, block and lane."""
SeenHands = Iterable[tuple[MappedHand, F64 | None]]
"""Hands, and of the hidden ones (holdings,) how likely each holding is."""
Shares = tuple[I32, F32]
"""The lanes of a hidden hand at a decision, and how likely each is."""
_LEAST = 1e-6
"""Shares of a hidden hand below which a row is not counted as seen."""
ROW_STRENGTH, ROW_STRENGTHS = 30.0, (1.0, 3.0, 10.0, 30.0, 100.0)
"""Decisions in each row that the tilted blueprint is worth where cards are known: where few rows were seen twice, and what
observations choose from."""
_FEW = 200
_TINY = 1e-12


def row_counts(categories: Categories, hands: SeenHands, prior: float) -> BucketedStrategy:
    """Effective observations of each row, in tables like those of the categories' strategy. prior: decisions that the
    prior is worth in a row, above 0."""
    game = categories.game
    tables = change_rows(game, categories.play, lambda _, rows: np.zeros(rows.shape))
    seen: dict[tuple[int, int], tuple[list[I64], list[Shares]]] = {}
    for hand, odds in hands:
        for node, block, lane in _rows_passed(categories, hand):
            shown, hidden = seen.setdefault((node, block), ([], []))
            if odds is None:
                shown.append(lane)
            else:
                hidden.append(_shares(lane, odds))
    for (node, block), (shown, hidden) in seen.items():
        lanes, found = _effective(np.concatenate([np.zeros(0, np.int64), *shown]), hidden, prior)
        table, rows = categories.table(tables, node, block)
        table[rows, lanes] = found
    return tables


def shown_actions(categories: Categories, hands: Sequence[MappedHand]) -> dict[Row, F64]:
    """(actions,) how often each was seen at every row, where the player's cards are known."""
    found: dict[Row, F64] = {}
    for hand in hands:
        for one, (node, block, lane) in zip(hand.decisions, _rows_passed(categories, hand), strict=True):
            rows = categories.decisions[node].rows
            here = found.setdefault((node, block, int(lane[0])), np.zeros(rows.stop - rows.start))
            here[one.choice] += 1.0
    return found


def learn_row_strength(categories: Categories, play: BucketedStrategy, seen: Mapping[Row, F64]) -> float:
    """Of `ROW_STRENGTHS` that with which every action is likeliest, predicted from the others of its row and the
    strategy (leave one out). seen: (actions,) counts by row."""
    again = {row: found for row, found in seen.items() if found.sum() > 1.0}  # one alone is left to the strategy
    if sum(found.sum() for found in again.values()) < _FEW:
        return ROW_STRENGTH
    counts, strengths = np.concatenate(list(again.values())), np.array(ROW_STRENGTHS)[:, None]
    odds = np.concatenate([prior[:, lane] for prior, lane in (_row(categories, play, row) for row in again)])
    whole = np.concatenate([np.full(len(found), found.sum()) for found in again.values()])
    happened = counts > 0.0
    found = (strengths * odds + np.maximum(counts - 1.0, 0.0)) / (strengths + whole - 1.0)
    likely = (counts * np.log(np.maximum(found, _TINY)))[:, happened].sum(axis=1)
    return ROW_STRENGTHS[int(likely.argmax())]


def add_rows(categories: Categories, play: BucketedStrategy, seen: Mapping[Row, F64], strength: float) -> None:
    """Put what was seen on top of a strategy's rows, in place; arguments as of `learn_row_strength`."""
    for row, found in seen.items():
        rows, lane = _row(categories, play, row)
        rows[:, lane] = (strength * rows[:, lane] + found) / (strength + found.sum())


def _row(categories: Categories, play: BucketedStrategy, row: Row) -> tuple[AnyArray, int]:
    """The (actions, lanes) of a strategy at a decision, a view of its table, and the lane."""
    table, rows = categories.table(play, *row[:2])
    return table[rows], row[2]


def counts_passed(
    categories: Categories, counts: BucketedStrategy, hands: Sequence[MappedHand]
) -> Iterator[tuple[int, float]]:
    """At every decision of hands whose cards are known: the street, and the effective observations of its row."""
    for hand in hands:
        for node, block, lane in _rows_passed(categories, hand):
            table, rows = categories.table(counts, node, block)
            yield int(categories.game.betting.street[node]), float(table[rows.start, int(lane[0])])


def _rows_passed(categories: Categories, hand: MappedHand) -> Iterator[tuple[int, int, I64]]:
    """Of each decision: betting node, block, and as (1,) the lane of a shown hand, or (holdings,) those of a hidden one."""
    held = categories.game.deck.hand(*hand.hole) if hand.hole else 0
    on: dict[Cards, tuple[int, I64]] = {}
    for one in hand.decisions:
        if hand.hole:
            _, _, known, block = categories.held(one.node, one.board, held)
            lanes: I64 = np.array([known])
        else:
            if one.board not in on:
                on[one.board] = categories.lanes(one.board)
            block, lanes = on[one.board]
        yield one.node, block, lanes


def _shares(lanes: I64, odds: F64) -> Shares:
    """The lanes of a hidden hand that have some. odds: (holdings,) how likely each holding is."""
    by_lane: F64 = np.bincount(lanes, odds).astype(np.float64)
    some = np.flatnonzero(by_lane > _LEAST)
    return some.astype(np.int32), by_lane[some].astype(np.float32)


def _effective(shown: I64, hidden: Sequence[Shares], prior: float) -> tuple[I64, F64]:
    """The lanes that were seen at a decision, and their effective observations."""
    lanes = np.unique(np.concatenate([shown, *(one for one, _ in hidden)])).astype(np.int64)
    shares = np.zeros((len(hidden), len(lanes)))
    for row, (here, share) in zip(shares, hidden, strict=True):
        row[np.searchsorted(lanes, here)] = share
    counted = np.bincount(np.searchsorted(lanes, shown), minlength=len(lanes)).astype(np.float64)
    return lanes, counts_of_shares(shares, np.ones(len(hidden)), counted, prior)
