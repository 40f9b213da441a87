"""Claims that a paper makes in words, as numbers of the rows that a run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from counterplay_papers.experiment import Derived, follows

_SLACK = 1e-6
"""Chips by which a number may be below another and count as no less."""
Found = Mapping[str, Sequence[float]]


def never_less(row: str, of: Sequence[str], first: str, second: str, reason: str) -> Derived:
    """The share of rows in which one column is no less than another, in percent; the text says all.

    Args:
        row: the name of the claim.
        of: the rows.
        first: the column that is claimed to be no less.
        second: the column it is compared with.
        reason: why the claim does not hold, where it does not.
    """
    return Derived(row, "% of the rows", of, (first, second), partial(_share, first, second), follows(100.0), reason)


def _share(first: str, second: str, found: Found) -> float:
    pairs = list(zip(found[first], found[second], strict=True))
    return 100.0 * sum(mine >= other - _SLACK for mine, other in pairs) / len(pairs)


def largest(row: str, of: Sequence[str], column: str) -> Derived:
    """The largest number of a column."""
    return Derived(row, f"largest {column}", of, (column,), lambda found: max(found[column]))
