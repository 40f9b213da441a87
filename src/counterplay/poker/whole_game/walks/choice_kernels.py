"""Values brought up by actions that are chosen by other numbers than the values themselves."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel


@kernel(nogil=True, loops=True)
def raise_chosen(decisions: Any, found: Any, values: Any, n: int, run: int, backed: bool) -> None:
    """Add to the values of every sequence those of what follows, by the first action with the largest estimate.

    Args:
        decisions: (decisions, 4) as in `StreetDecisions`.
        found, values: rows of n hands, `run` apart: estimates and values of the sequences.
        n: number of hands.
        run: places of a row; hands take the first n.
        backed: an estimate of what follows belongs to the estimate before; otherwise every decision stands alone.
    """
    for k in range(len(decisions) - 1, -1, -1):
        before, first, count = decisions[k, 1], decisions[k, 2], decisions[k, 3]
        for i in range(n):
            best = first * run + i
            for s in range(first + 1, first + count):
                if found[s * run + i] > found[best]:
                    best = s * run + i
            values[before * run + i] += values[best]
            if backed:
                found[before * run + i] += found[best]
