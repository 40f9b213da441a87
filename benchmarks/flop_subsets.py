"""Chooses the flops that stand for all 1,755 in a report, and measures how well they do.

A subset's plain mean is to equal the mean over all flops of many features: marks of its texture (suits, pairs, ranks,
gaps), the equity of each of the 169 classes against any hand over all run-outs and on the flop itself, the
distribution of equities, and products of their principal components. A random subset is improved by the best exchange
of two flops until none helps, from several starts; the best counts. Its error is measured on what it was not chosen
by: equities of two pairs of real ranges. `python benchmarks/flop_subsets.py` takes two minutes of one core, with
`--choose` six.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.card_abstraction.ochs import strength
from counterplay.poker.cards.deck import cards_text
from counterplay.poker.ranges.equity import equity, hand_equities
from counterplay.poker.ranges.grid import SIDE, cells
from counterplay.poker.ranges.range import Range
from counterplay.poker.reports.flop_report import SUBSETS
from counterplay.poker.whole_game.boards.board import Board, GameBoards, flops_of

Floats = NDArray[np.float64]
COUNTS, STARTS = (23, 49, 95), 12
PAIRS = {
    "A": (
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
    ),
    "C": (
        "55-22,A8s-A2s,K9s-K6s,Q9s-Q6s,J9s-J7s,T8s-T7s,97s,98s,86s,87s,75s,76s,64s,65s,53s,54s,43s,AJo-A8o,KTo-K9o,QTo,QJo,"
        "JTo,T9o,98o",
        "22+,A2s+,K6s+,Q8s+,J8s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo",
    ),
}
"""Pairs of ranges: a button against a big blind, and wider ones."""


class Equities(NamedTuple):
    """(1755, 169) mean equities of classes over run-outs and on the flop, and (1755, 20) quantiles of those of hands."""

    dealt: Floats
    flop: Floats
    quantiles: Floats


def equities_of(boards: GameBoards) -> Equities:
    """The features that take time."""
    cell, everything = cells(), Range.parse("random")
    flops = boards.after(boards.root)
    dealt, quantiles = np.zeros((len(flops), SIDE**2)), np.zeros((len(flops), 20))
    for number, board in enumerate(flop.cards for flop in flops):
        found = hand_equities(everything, board)
        held = np.isfinite(found)
        dealt[number] = _means(cell[held], found[held])
        quantiles[number] = np.quantile(found[held], (np.arange(20) + 0.5) / 20)
    share = strength(boards)
    here = np.array([_means(cell[hands], row) for hands, row in zip((flop.hand for flop in flops), share, strict=True)])
    return Equities(dealt, here, quantiles)


def features(flops: list[Board], found: Equities) -> Floats:
    """(1755, n) features of mean 0, each block with its weight."""
    often = np.array([flop.count for flop in flops]) / sum(flop.count for flop in flops)
    dealt, here = (_filled(one, often) for one in found[:2])
    main = _components(dealt, often, 15)
    products = np.stack([main[:, i] * main[:, j] for i in range(6) for j in range(i + 1)], axis=1)
    blocks = [(_texture(flops), 1.0), (dealt, 1.0), (here, 1.0), (found.quantiles, 0.5), (main, 0.5)]
    blocks += [(_components(here, often, 15), 0.5), (products, 0.5)]
    return np.hstack([_scaled(block, weight, often) for block, weight in blocks])


def choose(table: Floats, often: Floats, count: int, seed: int) -> tuple[float, list[int]]:
    """Flops of a subset, and how far the mean of their features is from 0: exchanges from a random start."""
    rng = np.random.default_rng(seed)
    inner = table @ table.T
    own = np.diag(inner)
    chosen = rng.choice(len(often), count, replace=False, p=often).tolist()
    while True:
        mean = table[chosen].mean(axis=0)
        now, toward = float(mean @ mean), table @ mean
        losses = np.array(
            [now + 2 / count * (toward - toward[s]) + (own + own[s] - 2 * inner[:, s]) / count**2 for s in chosen]
        )
        losses[:, chosen] = np.inf
        place, flop = np.unravel_index(int(losses.argmin()), losses.shape)
        if not losses[place, flop] < now - 1e-12:
            return now, sorted(chosen)
        chosen[int(place)] = int(flop)


def errors(chosen: list[int], weights: Floats, values: dict[str, Floats], often: Floats) -> dict[str, float]:
    """Of the mean equity of each pair of ranges, in percentage points; values: (1755, 2) weight of the pairs, and equity."""
    told = {}
    for name, (pairs, share) in ((name, one.T) for name, one in values.items()):
        whole = (often * pairs) @ share / (often @ pairs)
        told[name] = 100.0 * abs((weights * pairs[chosen]) @ share[chosen] / (weights @ pairs[chosen]) - whole)
    return told


def range_equities(flops: list[Board]) -> dict[str, Floats]:
    """By pair of ranges, (1755, 2) the weight of the pairs of hands on each flop, and the first range's equity."""
    from counterplay.poker.spots.spot import Spot

    found = {}
    for name, (oop, ip) in PAIRS.items():
        rows = []
        for board in (flop.cards for flop in flops):
            spot = Spot(tuple(board), oop, ip, 100, 100)
            rows.append((spot.cards.pairs, equity(spot.oop, spot.ip, board)))
        found[name] = np.array(rows)
    return found


def main() -> None:
    """Print the subsets, or the errors of those that the library has."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--choose", action="store_true", help="choose subsets anew")
    boards = flops_of()
    flops = boards.after(boards.root)
    often = np.array([flop.count for flop in flops]) / sum(flop.count for flop in flops)
    subsets = {count: [boards.find_board(flop)[0].number for flop in subset] for count, subset in SUBSETS.items()}
    if asked.parse_args().choose:
        table = features(flops, equities_of(boards))
        subsets = {count: min(choose(table, often, count, seed) for seed in range(STARTS))[1] for count in COUNTS}
        for count, chosen in subsets.items():
            print(count, "; ".join(cards_text(flops[k].cards) for k in chosen))
    values = range_equities(flops)
    for count, chosen in subsets.items():
        print(count, "flops, error of equity in percentage points:", errors(chosen, np.ones(count), values, often))
        drawn = [np.random.default_rng(seed).choice(len(often), count, p=often).tolist() for seed in range(200)]
        rows = [list(errors(one, np.ones(count), values, often).values()) for one in drawn]
        print(f"{count} drawn flops, root mean square:", np.sqrt((np.array(rows) ** 2).mean(axis=0)))


def _means(cell: NDArray[np.int64], numbers: NDArray[np.floating]) -> Floats:
    counts = np.bincount(cell, minlength=SIDE**2)
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, np.bincount(cell, numbers, SIDE**2) / counts, np.nan)


def _filled(table: Floats, often: Floats) -> Floats:
    """Classes that a flop blocks get their mean."""
    held = np.isfinite(table)
    mean = (often[:, None] * np.where(held, table, 0.0)).sum(0) / (often[:, None] * held).sum(0)
    return np.where(held, table, mean)


def _components(table: Floats, often: Floats, count: int) -> Floats:
    """(1755, count) principal components, classes weighted by their number of hands."""
    centred = (table - often @ table) * np.sqrt(np.bincount(cells(), minlength=SIDE**2) / len(cells()))
    values, vectors = np.linalg.eigh((centred * often[:, None]).T @ centred)
    assert values[-1] > 0.0
    return centred @ vectors[:, ::-1][:, :count]


def _texture(flops: list[Board]) -> Floats:
    """(1755, 53) marks: suits, pairs, straight draws, each card's rank, and some of them on high flops."""
    cards = np.sort([flop.cards for flop in flops], axis=1)[:, ::-1]
    ranks = cards // 4
    suits = np.array([np.bincount(row, minlength=4).max() for row in cards % 4])
    apart = (ranks[:, 0] != ranks[:, 1]) & (ranks[:, 1] != ranks[:, 2])
    wide = ranks[:, 0] - ranks[:, 2]
    marks = [suits == 1, suits == 2, suits == 3, ranks[:, 0] == ranks[:, 2]]
    marks += [~apart & (ranks[:, 0] != ranks[:, 2]), apart & (wide <= 2), apart & (wide <= 4)]
    high = [mark & (ranks[:, 0] >= 10) for mark in marks]
    marks += [ranks[:, place] == rank for place in range(3) for rank in range(13)]
    return np.array([*marks, *high], np.float64).T


def _scaled(block: Floats, weight: float, often: Floats) -> Floats:
    mean = often @ block
    spread = np.sqrt(often @ (block - mean) ** 2) + 1e-9
    return (block - mean) / spread * np.sqrt(weight / block.shape[1])


if __name__ == "__main__":
    main()
