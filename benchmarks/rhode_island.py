"""Royal Rhode Island hold'em, 20 cards: milliseconds of an iteration on one thread.

The compact engine in float32, 16 bits and float64, by CFR+ and by `dcfr:1.5,0,4`, and beside it iterations of whole arrays
in float32, which `solve` took before. One iteration updates both players once and keeps the average; the least of many
rounds, all in turn. NoRegret states 28.4 ms on a GPU for this game, whose histories are 1.2 x 10^8.
"""

from __future__ import annotations

import os
from functools import partial

import numpy as np

from common import interleaved, table
from counterplay.jit.threads import VARIABLE
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.public_tree.size_estimate import DOUBLE, HALF, SINGLE
from counterplay.poker.spots.rhode_island import RhodeIsland
from counterplay.poker.spots.solve_spot import METHOD
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import minimiser

GAME = "rhode_island:deck=20"
METHODS = ("cfr+", METHOD)
COUNT, ROUNDS = 20, 15


def main() -> None:
    os.environ[VARIABLE] = "1"
    record = RhodeIsland.from_text(GAME)
    tree = public_tree(record.betting, record.cards, alike=True)
    layout = CompactLayout(tree.betting, tree.tables)
    calls = {}
    for method in METHODS:
        for precision in (SINGLE, HALF, DOUBLE):
            run = CompactRun(layout, minimiser(method), precision)
            run.advance(COUNT)
            calls[f"{method}, {precision}"] = partial(run.advance, COUNT)
        whole = Iterates(tree.subgame, minimiser(method), np.float32)
        whole.advance(COUNT)
        calls[f"{method}, arrays in float32"] = partial(whole.advance, COUNT)
    seconds = interleaved(calls, ROUNDS, of=GAME, sizes=dict.fromkeys(calls, COUNT))
    stored = sum(layout.stored)
    table(f"{GAME}: {stored:,} stored numbers of a kind", ("method", "ms"), [(k, 1e3 * s) for k, s in seconds.items()])


if __name__ == "__main__":
    main()
