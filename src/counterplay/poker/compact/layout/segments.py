"""The betting of a public tree cut into segments: what happens on one street, on the boards of one layer.

A segment is stored once for each board of its layer, as *rows*: one for each action of each decision, with a number for
each hand. So all decisions of a segment on one board are contiguous, small enough for the cache, and processed together;
the segments of the next street hang from its deals. What follows a segment on a last board, after its deals and its
showdowns with one card to come, is evaluated together: the payoffs of terminals are computed as lanes of vectors, and those
after one deal alone would fill few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree

_DEAL, _SHOWDOWN = int(Kind.DEAL), int(Kind.SHOWDOWN)  # members of enumerations are slow to look up
Pair = tuple[int, int]


@dataclass(frozen=True)
class SegmentDecision:
    """A decision of a segment. parent: the player's row by which they come here, 0 for how they enter the segment. row: that
    of the first action; the others follow. rank: its number among the player's decisions of the segment. segment, layer: the
    number of the segment, and its layer.
    """

    node: int
    player: int
    actions: int
    parent: int
    row: int
    rank: int
    segment: int
    layer: int


@dataclass(frozen=True)
class SegmentLeaf:
    """A deal or terminal of a segment. rows: both players' rows by which they come here."""

    node: int
    rows: Pair


@dataclass
class Segment:
    """The betting nodes of one street after one betting sequence, the first of which is `root`.

    Attributes:
        layer: the number of cards dealt before it, since the start.
        decisions: parents first, those with one action left out.
        deals: where the next card is dealt, to continue betting.
        shown: showdowns with cards to come.
        ends: folds, and showdowns on this segment's own boards.
        rows: rows of each player, the first one included.
        entered: both players' rows by which they come to each node.
    """

    root: int
    layer: int
    decisions: list[SegmentDecision] = field(default_factory=list)
    deals: list[SegmentLeaf] = field(default_factory=list)
    shown: list[SegmentLeaf] = field(default_factory=list)
    ends: list[SegmentLeaf] = field(default_factory=list)
    rows: list[int] = field(default_factory=lambda: [1, 1])
    entered: dict[int, Pair] = field(default_factory=dict)

    def own(self, player: int) -> list[SegmentDecision]:
        return [one for one in self.decisions if one.player == player]


def part_of(segment: Segment, node: int, end: int) -> Segment:
    """The part of a segment from one of its nodes on, whose rows it keeps. end: one past the last node after it."""

    def within(listed: list[Any]) -> list[Any]:
        return [one for one in listed if node <= one.node < end]

    return Segment(
        node, segment.layer, within(segment.decisions), within(segment.deals), within(segment.shown),
        within(segment.ends), segment.rows, segment.entered,
    )  # fmt: skip


def cut_segments(betting: BettingTree) -> list[Segment]:
    """All segments in preorder; the first begins at the root."""
    first = betting.rules.first
    roots = [0, *(betting.children(node)[0] for node in range(betting.nodes) if betting.kind[node] == _DEAL)]
    last = betting.rules.last - first
    segments = list[Segment]()
    for number, root in enumerate(roots):
        layer = int(betting.street[root]) - first
        segment, stack = Segment(root, layer), [(root, (0, 0))]
        while stack:
            node, rows = stack.pop()
            segment.entered[node] = rows
            kind, after = int(betting.kind[node]), betting.children(node)
            if kind < _DEAL and len(after) > 1:
                row = segment.rows[kind]
                rank = len(segment.own(kind))
                segment.decisions.append(SegmentDecision(node, kind, len(after), rows[kind], row, rank, number, layer))
                segment.rows[kind] += len(after)
                come = [(row + k, rows[1]) if kind == 0 else (rows[0], row + k) for k in range(len(after))]
                stack += list(zip(after, come, strict=True))[::-1]
            elif kind < _DEAL:
                stack.append((after[0], rows))
            else:
                waits = kind == _SHOWDOWN and layer < last
                (segment.deals if kind == _DEAL else segment.shown if waits else segment.ends).append(
                    SegmentLeaf(node, rows)
                )
        segments.append(segment)
    return segments


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
