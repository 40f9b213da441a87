"""The hands of all boards as the kernels take them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterplay.arrays import I32, I64, AnyArray
from counterplay.poker.public_tree.boards import Boards
from counterplay.poker.showdown.terminals import RankedBoard, lay_board, scratch_of


@dataclass(frozen=True, eq=False)
class Tables:
    """The hands of all boards as the kernels take them, shared by both players.

    Attributes:
        boards: the layers.
        widest: per layer, the board with the most hands.
        first: (layers + 1,) number of each layer's first board.
        rows, pairs, steps: see `payoff_kernel.PayoffSweep`.
        largest: as many hands and cards as any board has.
    """

    boards: Boards
    widest: list[RankedBoard]
    first: I64
    rows: I64
    pairs: I32
    steps: I32
    largest: RankedBoard

    @cached_property
    def scratch(self) -> AnyArray:
        """Room for the kernels in float64, as of `scratch_of`."""
        return scratch_of(self.largest)

    @cached_property
    def scratch_single(self) -> AnyArray:
        """Room for the kernels in float32, as of `scratch_of`."""
        return scratch_of(self.largest, np.float32)


def tables_of(boards: Boards) -> Tables:
    """Lay out the hands of all boards; boards of the same cards share them."""
    known: dict[tuple[int, ...], list[int]] = {}
    pairs: list[I32] = []
    steps: list[I32] = []
    rows, widest, ends = [], [], [0, 0]
    cards = int(boards.cards.hands.max()) + 1
    for layer in boards.layers:
        best: RankedBoard | None = None
        for shown, begin, end in zip(layer.boards, layer.first, layer.first[1:], strict=False):
            key = tuple(sorted(shown))
            if key not in known:
                board = lay_board(boards.cards.hands.take(layer.hand[begin:end], axis=0), layer.rank[begin:end], cards)
                pairs.append(board.pairs.ravel())
                steps.append(board.steps)
                known[key] = [*board[:3], *ends]
                ends = [ends[0] + pairs[-1].size, ends[1] + steps[-1].size]
                best = board if best is None or board.hands > best.hands else best
            rows.append([*known[key], int(begin)])
        assert best is not None
        widest.append(best)
    first = np.append(0, np.cumsum([len(layer.boards) for layer in boards.layers]))
    most = max(board.hands for board in widest)
    largest = widest[0]._replace(hands=most, slots=len(np.unique(boards.cards.hands)))
    return Tables(boards, widest, first, np.array(rows), np.concatenate(pairs), np.concatenate(steps), largest)
