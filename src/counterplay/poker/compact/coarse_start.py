"""A first strategy from few boards: the spot is solved with a few next cards, and what is learnt there is carried to all
other boards, hand by hand to those of like strength.

A few per cent of the boards cost as much less, so that a usable strategy is known after the time of two iterations. Its
regrets are kept at a small weight: iterations then begin from it, and forget it.
"""

from __future__ import annotations

from functools import partial

from counterplay.jit.threads import share_out
from counterplay.poker.compact.coarse_boards import BoardLikeness, BoardMap, FewBoards, few_boards
from counterplay.poker.compact.compact_run import CompactRun
from counterplay.poker.compact.kernels.carried_rows import copy_rows
from counterplay.poker.compact.kernels.sweep_records import Memory
from counterplay.poker.compact.layout.compact_layout import CompactLayout

CARDS, ITERATIONS = (4, 10), 40
"""The most next cards after each board, with one and with two to come, and iterations on them."""
LARGE = 4_000_000
"""Numbers of both players from which a first strategy is worth it."""
REGRETS, WEIGHT, COUNTED = ((1.5, 1.5), (0.6, 1.0)), 0.2, 4
"""What is kept of the regrets, with one and with two cards to come, of the first street and of later ones; of the averages;
and the iterations as which they count. Measured on turns and flops."""


def is_worth_it(layout: CompactLayout) -> bool:
    """Whether a tree is large, and has cards to come that are dealt one by one."""
    return layout.depth > 1 and not layout.bundled and sum(layout.stored) >= LARGE


def _to_come(layout: CompactLayout) -> int:
    """0 with one card to come, 1 with more."""
    return min(layout.depth, 3) - 2


def start_coarsely(run: CompactRun) -> None:
    """Begin a run, before its first iteration, with what is learnt on few boards; it then counts as COUNTED iterations.
    Locks bind there as well, and what a model plays stands."""
    layout, whole = run.layout, run.sweeps
    likeness = BoardLikeness(layout)
    dealt, coarse = few_boards(likeness, CARDS[_to_come(layout)])
    run.sweeps = whole.dealing(coarse)
    try:
        run.advance(ITERATIONS)
    finally:
        run.sweeps, run.done = whole, COUNTED
    found = [likeness.matched(number, dealt[number].chosen) for number in range(1, layout.depth)]
    learnt = [(player, way.memory) for player in (0, 1) for way in run.sides[player] if not way.memory.fixed]
    for player, memory in learnt:
        _weaken(layout, player, memory, dealt)
    largest = sorted(
        (-segment.rows[player] * int(layout.own[player].layers[segment.layer].padded[-1]), k, number)
        for k, segment in enumerate(layout.whole) if segment.layer
        for number, (player, _) in enumerate(learnt)
    )  # fmt: skip
    share_out([
        partial(_spread, layout, learnt[number][0], k, learnt[number][1], found[layout.whole[k].layer - 1])
        for _, k, number in largest
    ])  # fmt: skip


def _weaken(layout: CompactLayout, player: int, memory: Memory, dealt: list[FewBoards]) -> None:
    """Keep a small weight of what is stored on the boards that were dealt. Regrets there are as large as of all boards for
    which they stood."""
    packed, kept = len(memory.total_scale) > 0, REGRETS[_to_come(layout)]
    for k, segment in enumerate(layout.whole):
        few, decisions, share = dealt[segment.layer], segment.own(player), kept[min(segment.layer, 1)]
        begins, widths = layout.rows_of(player, k, few.chosen)
        sizes = (segment.rows[player] - 1) * widths
        for board, begin, size, times in zip(few.chosen, begins, sizes, few.stands_for, strict=True):
            if packed and decisions:
                block = layout.blocks(player, k, decisions[0], board) - decisions[0].rank
                memory.regret_scale[block : block + len(decisions)] *= share / times
            elif not packed:
                memory.regret[begin : begin + size] *= share / times
                memory.total[begin : begin + size] *= WEIGHT
    memory.total_scale[:] *= WEIGHT


def _spread(layout: CompactLayout, player: int, k: int, memory: Memory, found: BoardMap) -> None:
    """Write what stands on the sources to all boards of the k-th segment's layer."""
    segment = layout.whole[k]
    lanes, count = layout.own[player].layers[segment.layer], len(found.source)
    start, rows, decisions = int(layout.starts(player)[k]), segment.rows[player] - 1, segment.own(player)
    for numbers in (memory.regret, memory.total):
        copy_rows(numbers, (start, rows), lanes.padded, lanes.first, found.source, found.lanes[player])
    if len(memory.total_scale) and decisions:
        begin = layout.blocks(player, k, decisions[0], 0) - decisions[0].rank
        for scales in (memory.regret_scale, memory.total_scale):
            blocks = scales[begin : begin + len(decisions) * count].reshape(count, -1)
            blocks[:] = blocks[found.source]
