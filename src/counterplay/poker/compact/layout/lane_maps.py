"""Maps of hands and lanes, board by board, by compiled loops."""

from __future__ import annotations

from typing import Any

from counterplay.jit import kernel


@kernel
def map_hands(first: Any, held: Any, theirs: Any, begins: Any, takes: Any, shared: Any) -> None:
    """The hands of a layer that a player holds.

    Args:
        first: (boards + 1,) hands before each board.
        held, theirs: (hands,) whether the player, and the other one, may hold each.
        begins: (boards + 1,) filled with those that are held before each board.
        takes: filled with the number of each among the hands of its board.
        shared: filled with its number among those of the other player there, -1 for none.
    """
    n = 0
    for b in range(len(first) - 1):
        begins[b], other = n, 0
        for i in range(first[b], first[b + 1]):
            if held[i]:
                takes[n], shared[n] = i - first[b], other if theirs[i] else -1
                n += 1
            if theirs[i]:
                other += 1
    begins[len(first) - 1] = n


@kernel
def map_up(first: Any, kept: Any, places: Any, up: Any, number: Any, above: Any, parent: Any, out: Any) -> None:
    """The lane on the board before of each lane of a layer, counted from the first one there.

    Args:
        first: (boards + 1,) own lanes before each board of the layer.
        kept: (own lanes,) their numbers among all lanes.
        places: (lanes,) a place of each of these.
        up: (places,) the lane one layer up.
        number: (lanes there,) the player's own number of each.
        above: (boards there + 1,) own lanes before each board there.
        parent: (boards,) the number of the board before.
        out: (own lanes,) filled.
    """
    for b in range(len(first) - 1):
        begin = above[parent[b]]
        for i in range(first[b], first[b + 1]):
            out[i] = number[up[places[kept[i]]]] - begin
