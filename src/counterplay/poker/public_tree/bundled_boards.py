"""Last boards of few hands: those that follow one board are worked on together, as one row of lanes.

A last board of a game of one-card hands has fewer hands than a few vectors have lanes, and a decision on it costs more for
being a decision than for its numbers. So all last boards after one board make a *bundle*: on it a row of a player has the
lanes of all of them, board by board. Hands that a permutation of suits maps to each other on their board share a lane, as
on earlier boards: a lane's CFVs are those of all its hands together.

On such a board a showdown is a product with a small matrix, the number of pairs of hands that win less that of pairs that
lose, by the lanes of both players; how many boards one stands for is a factor of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.arrays import I64, AnyArray
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.public_tree.boards import Boards
from counterplay.treeplex.treeplex import LANES

FROM, COUNT, MATRIX = range(3)
"""Columns of the boards of bundles: the first lane of a board in its bundle, its lanes, and where its matrix begins; after
the matrix stands the number of hands of each lane, filled up to whole vectors."""
SMALL = 3
_MOST = 64


def may_bundle(betting: BettingTree, boards: Boards) -> bool:
    """Whether last boards can be bundled: after two earlier ones at least, with few hands of one card that both players
    hold, where what is won is lost."""
    last, cards = boards.layers[-1], boards.cards
    return (
        len(boards.layers) > 2
        and cards.held == 1
        and betting.rules.rake == 0.0
        and bool((cards.weights > 0.0).all())
        and int(np.diff(last.first).max()) <= _MOST
    )


def bundles_of(boards: Boards) -> I64:
    """(bundles + 1,) the last boards before each bundle."""
    before = len(boards.layers[-2].boards)
    return np.searchsorted(boards.layers[-1].parent, np.arange(before + 1))


def vectors_of(lanes: Any) -> Any:
    """Vectors of so many lanes."""
    return -(-lanes // LANES)


def widths_of(first: I64, ends: I64) -> I64:
    """(bundles,) lanes of a row of each bundle in whole vectors: the vectors of its last board end in it. first: (boards +
    1,) lanes before each last board; ends: of `bundles_of`."""
    last = ends[1:] - 1
    used = first[last] - first[ends[:-1]] + LANES * vectors_of(first[last + 1] - first[last])
    return np.asarray(LANES * vectors_of(used), np.int64)


def bundle_matrices(boards: Boards, dtype: Any) -> tuple[I64, AnyArray]:
    """(last boards, SMALL) the boards of bundles, and their matrices: by vectors of the lanes of the player whose CFVs they
    give, and then by lane of the other one."""
    last, before = boards.layers[-1], boards.layers[-2]
    lane, _, first = boards.merged(len(boards.layers) - 1)
    ends = bundles_of(boards)
    rows, parts, end = np.zeros((len(last.boards), SMALL), np.int64), list[AnyArray](), 0
    rows[:, FROM] = first[:-1] - np.repeat(first[ends[:-1]], np.diff(ends))
    rows[:, COUNT] = np.diff(first)
    stands_for = last.times / before.times[last.parent]
    for k, row in enumerate(rows):
        places = slice(last.first[k], last.first[k + 1])
        count, wide = int(row[COUNT]), LANES * int(vectors_of(row[COUNT]))
        here = np.zeros((wide, last.first[k + 1] - last.first[k]))
        here[lane[places] - first[k], np.arange(here.shape[1])] = 1.0  # the hands of each lane
        wins = here @ np.sign(np.subtract.outer(last.rank[places], last.rank[places])) @ here[:count].T
        row[MATRIX] = end
        parts += [wins.reshape(-1, LANES, count).transpose(0, 2, 1).ravel() * stands_for[k], here.sum(axis=1)]
        parts.append(here.sum(axis=1) * stands_for[k])
        end += sum(len(part) for part in parts[-3:])
    return rows, np.concatenate([np.zeros(0), *parts]).astype(dtype)
