"""What a prior does at decisions that were seen, as rows of arrays: a row for each decision and lane of hands.

Decisions at the same node share what the prior does there, and those on the same board the lanes of hands, so that a hidden
hand takes a few bytes for each holding, not for each holding and action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterplay.arrays import F32, I64, AnyArray
from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import Cards
from counterplay.opponents.tilting.categories import KINDS, QUANTILES, Categories, TreeDecision
from counterplay.opponents.tilting.mapped_hands import MappedDecision

LEAST = 1e-4
"""The least probability of the prior's actions: what it never does may yet be seen."""
MOST_BYTES = 1 << 30
"""The most that holdings and lanes of hidden hands may take, and that rows may."""
_ROW = 54
"""Bytes of a row, the tilted strategy included."""


@dataclass(frozen=True, eq=False)
class PriorRows:
    """What the prior does at some decisions with some hands: a row for each decision and lane.

    Attributes:
        kinds: (rows, KINDS) its probability of each kind of action.
        category: (rows,) context · QUANTILES + quantile.
        parts: of actions that were seen, the share of the action in its kind, lane by lane.
    """

    kinds: F32
    category: NDArray[np.int16]
    parts: F32

    def softened(self, sharpness: float) -> PriorRows:
        """The same with probabilities of kinds to this power (`soften_kinds`)."""
        return self if sharpness == 1.0 else replace(self, kinds=soften_kinds(self.kinds.T, sharpness).T.copy())


def soften_kinds(kinds: AnyArray, sharpness: float) -> AnyArray:
    """(KINDS, hands) probabilities to a power, and normalised. A kind that is not offered has 0 and keeps it."""
    out = kinds**sharpness
    return out / out.sum(axis=0)  # type: ignore[no-any-return]


Places = tuple[I64, I64, I64, AnyArray, PriorRows]
"""board, row, part, lanes and rows of `Evidence`."""


class _RowWriter:
    """The rows of an evidence, as they come."""

    def __init__(self) -> None:
        self._kinds, self._category, self._parts = list[F32](), list[NDArray[np.int16]](), list[F32]()
        self._rows = self._length = 0

    def add(
        self, one: TreeDecision, rows: AnyArray, quantile: I64, choices: Sequence[int]
    ) -> tuple[int, dict[int, int]]:
        """Rows of a decision: the first of them, and the first part of each action. rows: (actions, lanes) the prior.
        quantile: (lanes,)."""
        odds = np.asarray(rows, np.float64) + LEAST
        odds /= odds.sum(axis=0)
        kinds = np.zeros((len(KINDS), odds.shape[1]))
        np.add.at(kinds, one.kinds, odds)
        begin, parts = self._rows, {}
        self._kinds.append(kinds.T.astype(np.float32))
        self._category.append((one.context * QUANTILES + quantile).astype(np.int16))
        for choice in choices:
            parts[choice] = self._length
            self._parts.append((odds[choice] / kinds[one.kinds[choice]]).astype(np.float32))
            self._length += odds.shape[1]
        self._rows += odds.shape[1]
        return begin, parts

    def rows(self) -> PriorRows:
        """All of them."""
        return PriorRows(np.concatenate(self._kinds), np.concatenate(self._category), np.concatenate(self._parts))


def known_places(categories: Categories, decisions: Sequence[MappedDecision], held: Sequence[int]) -> Places:
    """A row for each decision. held: the player's hands, by number in the deck."""
    writer, row, part = _RowWriter(), list[int](), list[int]()
    for one, hand in zip(decisions, held, strict=True):
        rows, quantile, _, _ = categories.held(one.node, one.board, hand)
        at, parts = writer.add(categories.decisions[one.node], rows[:, None], np.array([quantile]), (one.choice,))
        row.append(at)
        part.append(parts[one.choice])
    board = np.zeros(len(decisions), np.int64)
    return board, np.array(row), np.array(part), np.zeros((1, 1), np.uint16), writer.rows()


def hidden_places(categories: Categories, decisions: Sequence[MappedDecision]) -> Places:
    """Rows of lanes, which decisions at a node share; where these are more than the holdings of the decisions there, each of
    them has its own."""
    boards = list(dict.fromkeys(one.board for one in decisions))
    blocks, every = _lanes_of(categories, boards)
    size = every.shape[1]
    number = {one: k for k, one in enumerate(boards, 1)}  # 0 is the order of holdings itself
    board = np.array([number[one.board] for one in decisions])
    row, part = np.zeros(len(decisions), np.int64), np.zeros(len(decisions), np.int64)
    at: dict[tuple[int, int], list[int]] = {}
    for d, one in enumerate(decisions):
        at.setdefault((one.node, blocks[board[d] - 1]), []).append(d)
    writer = _RowWriter()
    rows_of = (min(categories.at(*place)[0].shape[1], size * len(here)) for place, here in at.items())
    check_memory(len(decisions), _ROW * sum(rows_of))
    for (node, block), here in at.items():
        rows, quantile = categories.at(node, block)
        shared = _is_shorter(rows.shape[1], size * len(here))
        for some in [here] if shared else [[d] for d in here]:
            choices = sorted({decisions[d].choice for d in some})
            own = slice(None) if shared else every[board[some[0]]]
            row[some], parts = writer.add(categories.decisions[node], rows[:, own], quantile[own], choices)
            part[some] = [parts[decisions[d].choice] for d in some]
            if not shared:
                board[some] = 0
    return board, row, part, every, writer.rows()


def _is_shorter(lanes: int, own: int) -> bool:
    """Whether all lanes of a decision take fewer rows than its holdings each time."""
    return lanes <= own


def _lanes_of(categories: Categories, boards: Sequence[Cards]) -> tuple[list[int], AnyArray]:
    """The block of each board, and (1 + boards, holdings) lanes: the order of holdings itself, then those of each board."""
    size, blocks = len(categories.game.deck.hands), list[int]()
    every = np.empty((1 + len(boards), size), np.uint16)
    every[0] = np.arange(size)
    for number, board in enumerate(boards, 1):
        block, lanes = categories.lanes(board)
        if lanes.max() >= 1 << 16 and every.dtype == np.uint16:
            every = every.astype(np.int32)
        blocks.append(block)
        every[number] = lanes
    return blocks, every


def check_memory(decisions: int, size: int) -> None:
    """Reject hidden hands that take too much memory. size: in bytes."""
    if size > MOST_BYTES:
        raise InputError(
            f"{decisions:,} decisions with hidden cards take more than {MOST_BYTES >> 30} GiB; fewer hands fit"
        )
