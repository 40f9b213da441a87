"""What stands on some boards, copied to others lane by lane."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel


@kernel(nogil=True)
def copy_rows(numbers: Any, where: tuple[int, int], padded: Any, first: Any, source: Any, lanes: Any) -> None:
    """Copy a segment's rows to each board from its source, lane by lane.

    Args:
        numbers: a player's, of the whole tree.
        where: where the segment's begin, and its rows.
        padded, first: (boards + 1,) see `own_lanes.LayerLanes`.
        source: (boards,) the source of each board.
        lanes: (own lanes,) the lane there.
    """
    start, rows = where
    for b in range(len(source)):
        s = source[b]
        if s != b:
            wide, there = padded[b + 1] - padded[b], padded[s + 1] - padded[s]
            for row in range(rows):
                target, origin = start + rows * padded[b] + row * wide, start + rows * padded[s] + row * there
                for i in range(first[b + 1] - first[b]):
                    numbers[target + i] = numbers[origin + lanes[first[b] + i]]
