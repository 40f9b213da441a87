"""The hands of a board, and its folds and showdowns, checked and laid out for the kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import isfinite
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import I32, I64, AnyArray
from counterplay.errors import InputError
from counterplay.jit import kernel
from counterplay.treeplex.sweeps import zeros

_EACH = 14
"""Steps of a hand at most: two of its set of ties; for each of its cards two, and a group of four."""


@kernel
def _fill_steps(hands: Any, rank: Any, number: Any, counts: Any, pairs: Any, steps: Any) -> tuple[int, int, int]:
    """Fill pairs and steps. number: (cards,) for the slot of each card; counts: (cards,) for the hands of a set of ties that
    hold the card of a slot, later for where these are written. Returns slots, groups, and the end of the steps."""
    for card in range(len(number)):
        number[card] = counts[card] = 0
    for i in range(len(hands)):
        number[hands[i, 0]] = number[hands[i, 1]] = 1
    slots = groups = end = begin = 0
    for card in range(len(number)):
        number[card], slots = slots, slots + number[card]
    for i in range(len(hands)):
        pairs[i, 0], pairs[i, 1] = number[hands[i, 0]], number[hands[i, 1]]
    while begin < len(hands):
        after = begin + 1
        while after < len(hands) and rank[after] == rank[begin]:
            after += 1
        end = _fill_ties(begin, after, slots, counts, pairs, steps, end)
        groups, begin = groups + 1, after
    return slots, groups, end


@kernel(inner=True)
def _fill_ties(begin: int, after: int, slots: int, counts: Any, pairs: Any, steps: Any, end: int) -> Any:
    """The steps of the set of ties of some hands, from `end` on; their end."""
    head, cards = end, 0
    end += 2
    if after - begin > 1:
        for i in range(begin, after):
            counts[pairs[i, 0]] += 1
            counts[pairs[i, 1]] += 1
        for slot in range(slots):
            if counts[slot] > 0:
                fours = (counts[slot] + 3) // 4
                steps[end], steps[end + 1], counts[slot] = slot, fours, end + 2
                for k in range(end + 2, end + 2 + 4 * fours):
                    steps[k] = len(pairs)  # a row of zeros
                cards, end = cards + 1, end + 2 + 4 * fours
        for i in range(begin, after):
            for side in range(2):
                steps[counts[pairs[i, side]]] = i
                counts[pairs[i, side]] += 1
        for i in range(begin, after):
            counts[pairs[i, 0]] = counts[pairs[i, 1]] = 0
    steps[head], steps[head + 1] = after - begin, cards
    return end


WALK, MORE, FOLDS = 1, 2, 4
"""What a batch needs, as bits: showdowns, the worth of their ties, folds."""
HANDS, SLOTS, GROUPS, PAIRS, STEPS, BOARD_COLUMNS = range(6)
"""Columns of a table of boards: the numbers of a `RankedBoard`, and where its arrays begin among those of all boards. Others
may follow."""
_LANES = {np.dtype(np.float64): 8, np.dtype(np.float32): 16}


class Showdown(NamedTuple):
    """A showdown: a hand gets `win`, -`lose` or `tie`, in the player's own chips per unit of the opponent's reach. The
    opponent's reach is at `reach` in the plan, the player's CFVs at `cfv`."""

    reach: int
    cfv: int
    win: float
    lose: float
    tie: float = 0.0


class Fold(NamedTuple):
    """A fold: every hand gets `amount`. Otherwise as `Showdown`."""

    reach: int
    cfv: int
    amount: float


class RankedBoard(NamedTuple):
    """Hands in order of strength, as the kernels take them.

    hands, slots, groups: numbers of hands, of different cards in them, and of sets of tied hands. pairs: (hands, 2) int32, a
    hand's cards, numbered from 0 without gaps. steps: int32, for each set of ties its size and the number of its cards (0
    for a single hand); then, for each of these cards, its number and the hands that hold it: the number of groups of four,
    and these groups, filled up with `hands`, the index of a row of zeros."""

    hands: int
    slots: int
    groups: int
    pairs: I32
    steps: I32


class Held(NamedTuple):
    """The hands of a board that the opponent and the player hold, if not all: runs of plan and CFVs have these only.

    taken, given: numbers of hands of the opponent and of the player. takes, gives: (taken,) and (given,) int32, the number
    of each among the hands of the board, ascending; None for all hands. shared: (given,) int32, the number of each hand of
    the player among the opponent's, -1 for one that the opponent does not hold; None if all are held by both."""

    taken: Any
    given: Any
    takes: Any
    gives: Any
    shared: Any


class Terminals(NamedTuple):
    """One player's terminals on a board in batches, as the kernels take them. A lane is one reach with a showdown, a fold or
    both.

    batches: (B, 2) int64, lanes (1, or those of a register) and the required passes. places: int64, for each batch five rows
    with one number per lane: the reach; the CFVs of the showdown, -1 for none, and whether they are set rather than added
    to; the same for the fold. amounts: for each batch six rows with one number per lane, with a = win - tie, b = lose + tie
    and ratio = a / b (0 without a showdown): ratio, b, -lose / (1 + ratio), tie, amount / (1 + ratio), amount."""

    batches: I64
    places: I64
    amounts: AnyArray


class _Lane(NamedTuple):
    reach: int
    showdown: Showdown | None
    fold: Fold | None


def lay_board(hands: I64, rank: I64, cards: int) -> RankedBoard:
    """Lay out (hands, 2) different hands of different cards, from 0 to less than `cards`, in ascending order of (hands,)
    ranks, equal for ties; unchecked."""
    pairs, steps = np.empty((len(hands), 2), np.int32), np.empty(_EACH * len(hands), np.int32)
    room = np.empty((2, cards), np.int64)
    slots, groups, end = _fill_steps(hands, rank, room[0], room[1], pairs, steps)
    return RankedBoard(len(hands), slots, groups, pairs, steps[:end].copy())


def scratch_of(board: RankedBoard, dtype: Any = np.float64) -> AnyArray:
    """(room,) scratch for the kernels; boards with fewer hands and cards may share it, threads may not."""
    kind = np.dtype(dtype)
    size = (2 * board.slots + board.hands + 1) * width_of(kind)
    return zeros(-(-size * kind.itemsize // 8)).view(kind)[:size]  # type: ignore[no-any-return]


def width_of(kind: np.dtype[Any]) -> int:
    """Numbers in a vector of the kernels.

    Raises:
        InputError: there are none of such numbers.
    """
    if kind not in _LANES:
        raise InputError(f"hands are evaluated in float64 or float32, not {kind}")
    return _LANES[kind]


def terminals_of(
    board: RankedBoard, terminals: Sequence[Showdown | Fold], sizes: tuple[int, int], dtype: Any = np.float64, *,
    store: bool = False,
) -> Terminals:  # fmt: skip
    """Lay out the terminals of one player.

    Args:
        board: hands of both players.
        terminals: in any order.
        sizes: lengths of the opponent's plan and of the player's CFVs.
        dtype: dtype of both.
        store: the first terminal at a run of CFVs sets them, later ones add; otherwise all add.

    Raises:
        InputError: hands do not fit, an amount is not finite, a tie is not between a loss and a win, or stored runs overlap.
    """
    for terminal in terminals:
        for start, size, name in zip(terminal[:2], sizes, ("plan", "CFVs"), strict=True):
            if not 0 <= start <= size - board.hands:
                raise InputError(
                    f"{board.hands} hands from {start} on do not fit into the {size} numbers of the {name}"
                )
        if not all(map(isfinite, terminal[2:])):
            raise InputError(f"the amounts of {terminal} are not finite")
        if isinstance(terminal, Showdown):
            gain, loss = terminal.win - terminal.tie, terminal.lose + terminal.tie
            if not (min(gain, loss) > 0 or gain == loss == 0):
                raise InputError(f"a tie must be worth more than a loss and less than a win, not as in {terminal}")
    starts = sorted({terminal.cfv for terminal in terminals})
    if store and any(after - start < board.hands for start, after in pairwise(starts)):
        raise InputError("runs of CFVs to be set overlap: they must be equal or disjoint")
    most = width_of(np.dtype(dtype))
    seen = set[int]() if store else set(starts)
    lanes_of_all = _paired(terminals)
    # Showdowns first; their last batch takes folds into its empty lanes if that saves a batch.
    shows = sum(lane.showdown is not None for lane in lanes_of_all)
    left = (len(lanes_of_all) - shows) % most
    shows += left if left <= -shows % most else 0
    parts = lanes_of_all[:shows], lanes_of_all[shows:]
    batches = [part[k : k + most] for part in parts for k in range(0, len(part), most)]
    kinds = np.zeros((len(batches), 2), np.int64)
    places, amounts = [np.zeros(0, np.int64)], [np.zeros(0, dtype)]
    for kind, lanes in zip(kinds, batches, strict=True):
        kind[0] = size = 1 if len(lanes) == 1 else most
        needs = (
            WALK * (lane.showdown is not None)
            | MORE * (lane.showdown is not None and lane.showdown.tie != 0)
            | FOLDS * (lane.fold is not None)
            for lane in lanes
        )
        kind[1] = reduce(or_, needs)
        places.append(np.array(_places(lanes, size, seen), np.int64).ravel())
        numbers = np.ones((6, size), dtype)
        numbers[:, : len(lanes)] = np.transpose([_amounts(lane) for lane in lanes])
        amounts.append(numbers.ravel())
    return Terminals(kinds, np.concatenate(places), np.concatenate(amounts))


def _paired(terminals: Sequence[Showdown | Fold]) -> list[_Lane]:
    """Showdowns with a fold at the same reach, then the other showdowns, then the other folds."""
    folds = defaultdict[int, list[Fold]](list)
    for terminal in terminals:
        if isinstance(terminal, Fold):
            folds[terminal.reach].append(terminal)
    both: list[_Lane] = []
    alone: list[_Lane] = []
    for terminal in terminals:
        if isinstance(terminal, Showdown):
            same = folds[terminal.reach]
            lane = _Lane(terminal.reach, terminal, same.pop() if same else None)
            (both if lane.fold else alone).append(lane)
    return both + alone + [_Lane(reach, None, fold) for reach, same in folds.items() for fold in same]


def _places(lanes: list[_Lane], size: int, seen: set[int]) -> list[list[int]]:
    """(5, size) the places of a batch (see `Terminals`). Empty lanes read the first reach and write nothing."""
    empty = size - len(lanes)
    places = [[lane.reach for lane in lanes] + [lanes[0].reach] * empty]
    for terminals in ([lane.showdown for lane in lanes], [lane.fold for lane in lanes]):
        starts, fresh = [-1] * size, [0] * size
        for k, terminal in enumerate(terminals):  # in the order in which the kernels write
            if terminal is not None:
                starts[k], fresh[k] = terminal.cfv, int(terminal.cfv not in seen)
                seen.add(terminal.cfv)
        places += [starts, fresh]
    return places


def _amounts(lane: _Lane) -> tuple[float, ...]:
    ratio = gap = lose = tie = 0.0
    if lane.showdown is not None:
        _, _, win, lose, tie = lane.showdown
        gap = lose + tie
        ratio = (win - tie) / gap if gap else 1.0
    amount = lane.fold.amount if lane.fold else 0.0
    return ratio, gap, -lose / (1 + ratio), tie, amount / (1 + ratio), amount


def multiply_amounts(batches: I64, amounts: AnyArray, factor: float) -> AnyArray:
    """The amounts of some batches with all chips multiplied by a factor (see `Terminals`). A batch of `size` lanes has six
    rows of `size` numbers one after the other, of which the first are ratios and stay."""
    rows = np.concatenate([np.zeros(0, np.int64), *(np.repeat(np.arange(6), size) for size in batches[:, 0].tolist())])
    return np.where(rows == 0, amounts, amounts * amounts.dtype.type(factor))
