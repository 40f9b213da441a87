"""Small tables of one board in public chance sampling: regret matching and models go in, new regrets and sums come out.

A small table has the layout of `LineBundles.places` with only the lanes of the board, of which `rows` says where they are in
the tables of all lanes; several may be of the same row.
"""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel

_TINY = 1e-30
"""Sums of regrets up to this are as good as 0."""


@kernel
def _beginnings(many: int, before: int, row: int, lanes: int, k: int, rows: int, width: int) -> tuple[int, int]:
    """Begin of the numbers of one lane of the board, in the table of all lanes and in the small one. A bundle has
    `many` positions after `before` others, lane by lane; position s of a lane is s * width after its beginning."""
    return (before * lanes + row * many) * width, (before * rows + k * many) * width


@kernel
def match_rows(facts: Any, decisions: Any, even: Any, regrets: Any, lanes: int, rows: Any, out: Any) -> None:
    """Set a small table to regret matching of the rows (k,) of the board. facts, decisions, even: of `MoverStreet`.
    regrets: flat, of all `lanes`."""
    width = even.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            source, target = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for d in range(facts[b, 4], facts[b, 5]):
                begin, end = decisions[d, 1], decisions[d, 1] + decisions[d, 2]
                for w in range(width):
                    total = 0.0
                    for s in range(begin, end):
                        total += max(regrets[source + s * width + w], 0.0)
                    for s in range(begin, end):
                        chance = max(regrets[source + s * width + w], 0.0)
                        out[target + s * width + w] = chance / total if total > _TINY else even[before + s, w]


@kernel
def follow_rows(facts: Any, sequences: Any, table: Any, trust: Any, lane: Any, free: Any, out: Any) -> None:
    """Set a small table to what is played by who follows a model with some probability and else plays `free`.
    sequences: (positions, width) the sequence of each number; -1 where a line has none. table, trust: (sequences,
    model's lanes) its probabilities, and how far it is followed. lane: (k,) the model's lane of each lane of the board."""
    width = sequences.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(lane)):
            for s in range(many):
                for w in range(width):
                    row, at = sequences[before + s, w], (before * len(lane) + k * many + s) * width + w
                    if row >= 0:
                        share = trust[row, lane[k]]
                        out[at] = share * table[row, lane[k]] + (1 - share) * free[at]
                    else:
                        out[at] = free[at]


@kernel
def settle_rows(
    facts: Any, decisions: Any, even: Any, moved: Any, played: Any, free: Any, lanes: int, rows: Any, regrets: Any
) -> None:
    """Add to the regrets of all lanes what an iteration found.

    The iteration took `played` for regrets and left in `moved` how much better each action is than what is played; regrets
    are against what the free player chooses.
    """
    width = even.shape[1]
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            target, source = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for d in range(facts[b, 4], facts[b, 5]):
                begin, end = decisions[d, 1], decisions[d, 1] + decisions[d, 2]
                for w in range(width):
                    mean = 0.0
                    for s in range(begin, end):
                        at = source + s * width + w
                        mean += free[at] * (moved[at] - played[at])
                    for s in range(begin, end):
                        at = source + s * width + w
                        if even[before + s, w] > 0:
                            regrets[target + s * width + w] += moved[at] - played[at] - mean


@kernel
def add_small(facts: Any, width: int, small: Any, lanes: int, rows: Any, sums: Any) -> None:
    """Add a small table to one of all lanes."""
    for b in range(len(facts)):
        many, before = facts[b, 0], facts[b, 2]
        for k in range(len(rows)):
            target, source = _beginnings(many, before, rows[k], lanes, k, len(rows), width)
            for i in range(many * width):
                sums[target + i] += small[source + i]
