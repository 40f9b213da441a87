"""The last street after a segment: its deals and its showdowns with one card to come, evaluated together on each last board.

The payoffs of terminals are computed as lanes of vectors, and those after one deal alone would fill few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from counterplay.poker.compact.segments import Pair, Segment, SegmentLeaf


class Followed(NamedTuple):
    """A deal or a showdown with one card to come. rows: both players' rows of those before it in the working set of the last
    street. after: the segment that follows a deal, None after a showdown, which is a row of both players."""

    rows: Pair
    leaf: SegmentLeaf
    after: Segment | None


def rows_before(leaves: Sequence[SegmentLeaf], after: Sequence[Segment | None]) -> list[Followed]:
    """Place leaves one after the other."""
    found, first, second = list[Followed](), 0, 0
    for leaf, segment in zip(leaves, after, strict=True):
        found.append(Followed((first, second), leaf, segment))
        rows = (1, 1) if segment is None else segment.rows
        first, second = first + rows[0], second + rows[1]
    return found


def rows_of(followed: Sequence[Followed]) -> Pair:
    """Both players' rows of all of them."""
    if not followed:
        return 0, 0
    (first, second), _, after = followed[-1]
    return (first + 1, second + 1) if after is None else (first + after.rows[0], second + after.rows[1])


def ends_of(followed: Sequence[Followed]) -> Iterator[SegmentLeaf]:
    """Their terminals, with their rows in the working set."""
    for (first, second), leaf, after in followed:
        for end in [SegmentLeaf(leaf.node, (0, 0))] if after is None else after.ends:
            yield SegmentLeaf(end.node, (first + end.rows[0], second + end.rows[1]))
