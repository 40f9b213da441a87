"""One player's leaves of a public tree, laid out for the kernels: which terminals are near, which are far, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.betting import Kind
from counterplay.poker.boards import Boards
from counterplay.poker.folds import Board, Fold, Showdown, terminals_of
from counterplay.poker.runs import Runs, made
from counterplay.poker.sweep import COLUMNS, Sweep
from counterplay.treeplex.memory import zeros

if TYPE_CHECKING:
    from counterplay.poker.leaves import Showdowns

Ints = NDArray[np.int64]


class _Far(NamedTuple):
    """A terminal whose hands come from earlier layers: node, the opponent's layer, the player's."""

    node: int
    theirs: int
    mine: int


def side_of(payoff: Showdowns, player: int, dtype: Any = np.float64) -> Sweep:
    """One player's leaves, for plans and CFVs of a dtype: float64 or float32."""
    tables, runs, other = payoff.tables, payoff.runs[player], payoff.runs[1 - player]
    layers = tables.boards.layers
    rows: list[Ints] = []
    parts: list[list[NDArray[Any]]] = [[], [], []]
    sizes, listed, ups = (other.tree.size, runs.tree.size), payoff.terminals(), _Ups(tables.boards)
    set_at: list[tuple[int, int]] = []
    far: list[tuple[int, int, int, int]] = []
    row = max(board.hands for board in tables.widest)
    most = 0
    for d in range(len(layers)):
        begin, end = payoff.span(d) if d >= payoff.part.layer else (0, 0)
        near, away = _sorted(payoff, listed.get(d, []), player, d)
        packed: dict[int, Ints] = {}  # by how many boards one stands for: that is a factor of all amounts
        for low, high, times in _alike(layers[d].times, begin, end):
            if times not in packed:
                unit, here = payoff.unit * layers[d].chance * times, np.zeros(COLUMNS, np.int64)
                shows = [_terminal(payoff, node, player, *_starts(other, runs, node), unit) for node in near]
                _pack(here[2:6], parts, tables.widest[d], shows, sizes, dtype)
                moved = [
                    _terminal(payoff, one.node, player, k * row, (len(away) + k) * row, unit)
                    for k, one in enumerate(away)
                ]
                _pack(here[6:10], parts, tables.widest[d], moved, (2 * len(away) * row,) * 2, dtype)
                here[10:] = len(far), len(far) + len(away)
                packed[times] = here
            set_at += [(show.cfv + layers[d].first[low], show.cfv + layers[d].first[high]) for show in shows]
            rows.append(packed[times].copy())
            rows[-1][:2] = tables.first[d] + low, tables.first[d] + high
        for one in away:
            reach, cfv = _starts(other, runs, one.node)
            far.append((reach, ups(d, one.theirs), cfv, ups(d, one.mine)))
        most = max(most, 2 * len(away))
    batches, places, amounts = (np.concatenate(part) for part in parts)
    return Sweep(
        runs.tree.size, np.array(rows, np.int64).reshape(-1, COLUMNS), tables.rows, tables.pairs, tables.steps,
        batches, places, amounts, _blank(set_at, runs.tree.size), np.array(far, np.int64).reshape(-1, 4), ups.joined(),
        tables.scratch if dtype == np.float64 else tables.scratch_single, zeros(most * row).astype(dtype), row,
    )  # fmt: skip


def _alike(times: Ints, begin: int, end: int) -> list[tuple[int, int, int]]:
    """Boards of a span that stand for equally many, next to each other: first, one past the last, how many; one empty
    interval if there are no boards."""
    ends = [*(np.flatnonzero(np.diff(times[begin:end])) + begin + 1).tolist(), end]
    return [(low, high, int(times[low]) if high > low else 1) for low, high in zip([begin, *ends], ends, strict=False)]


class _Ups:
    """The ways up that are asked for, one after the other in one array."""

    def __init__(self, boards: Boards) -> None:
        self._boards, self._at, self._size = boards, dict[tuple[int, int], int](), 0

    def __call__(self, layer: int, to: int) -> int:
        if (layer, to) not in self._at:
            self._at[layer, to] = self._size
            self._size += self._boards.layers[layer].places
        return self._at[layer, to]

    def joined(self) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *(self._boards.above(*way) for way in self._at)])


def _starts(other: Runs, own: Runs, node: int) -> tuple[int, int]:
    """The runs at a terminal: the opponent's, the player's."""
    return int(other.start[other.before[node]]), int(own.start[own.before[node]])


def _sorted(payoff: Showdowns, nodes: list[int], player: int, layer: int) -> tuple[list[int], list[_Far]]:
    """The near and the far ones among terminals of a layer."""
    near, far = [], []
    for node in nodes:
        mine, theirs = (made(payoff.betting, payoff.runs[i], node) for i in (player, 1 - player))
        if mine == theirs == layer and payoff.tables.boards.is_direct(layer):
            near.append(node)
        else:
            far.append(_Far(node, theirs, mine))
    return near, far


def _terminal(payoff: Showdowns, node: int, player: int, reach: int, cfv: int, unit: float) -> Showdown | Fold:
    betting = payoff.betting
    win, lose, tie = (unit * float(x[node]) for x in (betting.win, betting.lose, betting.tie))
    if betting.kind[node] == Kind.SHOWDOWN:
        return Showdown(reach, cfv, win, -lose, tie)
    folded = betting.kind[node] == (Kind.FOLD0, Kind.FOLD1)[player]
    return Fold(reach, cfv, lose if folded else win)


def _pack(
    row: Ints, parts: list[list[NDArray[Any]]], board: Board, terminals: list[Showdown | Fold], sizes: tuple[int, int],
    dtype: Any,
) -> None:  # fmt: skip
    """Lay out some terminals, append their arrays to the parts, and write where they stand into `row`."""
    laid = terminals_of(board, terminals, sizes, dtype, store=True)
    row[0] = len(laid.batches)
    for k, array in enumerate(laid):
        row[1 + k] = sum(len(part) for part in parts[k])
        parts[k].append(array)


def _blank(set_at: list[tuple[int, int]], size: int) -> Ints:
    """(Z, 2) what some intervals leave of 0 to size."""
    gaps, done = [], 0
    for begin, end in sorted(set(set_at)):
        if begin > done:
            gaps.append((done, begin))
        done = max(done, end)
    if done < size:
        gaps.append((done, size))
    return np.array(gaps, np.int64).reshape(-1, 2)
