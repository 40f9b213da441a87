"""The boards and segments of a public tree for the kernels, and the columns of their tables."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.arrays import F64, I32, I64
from counterplay.poker.showdown.terminals import BOARD_COLUMNS

CHILD, CHILD_END, NUMBER, SIDES = range(BOARD_COLUMNS, BOARD_COLUMNS + 4)
"""Columns of `Streets.boards` after those of a `RankedBoard`: the first board that follows and one past the last, of a
bundle the first and one past the last of its boards; its number in its layer; from SIDES on for each player those below."""
HELD, LANES_ON, WIDTH, BEFORE, UP, SAME, OUT, TAKES, SHARED, OF_SIDE = range(10)
"""Of a player on a board: hands; lanes, also padded to whole vectors; the padded lanes of boards before; where `up` tells
the lane on the board before of each lane, the lane of each hand, the lane on the first board of each hand, the number of
each hand among those of the board, and its number among the other player's, -1 for none."""
BOARD = SIDES + 2 * OF_SIDE
"""Columns of `Streets.boards`."""
LAYER, NODE, NODE_END, DEAL, DEAL_END, SHOWN, SHOWN_END, FOLDED, FOLDED_END, PLAYERS = range(10)
"""Columns of `Streets.segments`: its layer, its nodes, its deals, its showdowns with cards to come, its folds before the
last street; from PLAYERS on for each player those below."""
ROWS, START, SCALES, OWN, OF_PLAYER = range(5)
"""Of a player: stored rows of the segment on one board, where these begin on the first board, where the scales of their
decisions do, their decisions."""
WHO, ACTIONS, PARENT, ROW, RANK, COLUMNS = range(6)
"""Columns of `Streets.nodes`: player, actions, parent row, first row, number among the player's in the segment."""
NO_LEAF = -1


class Streets(NamedTuple):
    """boards: (B, 26), of all layers. shares: (B, 2) float64, how many boards one stands for, over that of the board before,
    and over those of the first. segments: (S, 17). nodes: (N, 5). leaves: (K, 5), deals, showdowns and folds: both players'
    rows, the segment that follows, and both players' rows before theirs on the last street (see `Followed`). strides:
    (layers * 2,) distance of each player's rows in a working set. up: int32, maps of lanes. pairs, steps: those of all
    boards.
    """

    boards: I64
    shares: F64
    segments: I64
    nodes: I64
    leaves: I64
    strides: I64
    up: I32
    pairs: I32
    steps: I32
