"""Values before the flop, by class of hand: folds, and values up through the decisions."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel


@kernel
def add_met(folded: Any, player: int, weight: float, reach: Any, meets: Any, out: Any) -> None:
    """Add to `out` (sequences, classes) the values of a player's preflop sequences by folds before the flop.

    Args:
        folded: `HoldemGame.folded`.
        reach: (sequences, classes) the opponent's reach.
        meets: `Flops.meets`.
    """
    for k in range(len(folded)):
        theirs, into = reach[int(folded[k, 1 - player])], out[int(folded[k, player])]
        for c in range(len(meets)):
            amount, row = weight * folded[k, 2 + player] * theirs[c], meets[c]
            for d in range(len(meets)):
                into[d] += amount * row[d]


@kernel
def raise_classes(decisions: Any, table: Any, group: Any, worth: Any, out: Any) -> None:
    """Add to the values of classes before the flop, (sequences, classes), those of their successors, under a strategy by
    bucket; then sum all of them by bucket in `out`.
    """
    for k in range(len(decisions) - 1, -1, -1):
        before, first = decisions[k, 1], decisions[k, 2]
        for s in range(first, first + decisions[k, 3]):
            for c in range(len(group)):
                worth[before, c] += table[s, group[c]] * worth[s, c]
    for s in range(len(out)):
        for c in range(len(group)):
            out[s, group[c]] += worth[s, c]
