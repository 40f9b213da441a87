"""Gifts: what an opponent gave up on the path to a subtree, which reach max-margin lets them take back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from counterplay.arrays import F64, Flags
from counterplay.gametree.compile.compile import GameTree
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.branch_restriction import Numbers


def gifts(top: Border, player: int, claims: Numbers, plan: Numbers, since: Mapping[int, int]) -> F64:
    """(infosets of `player` at the top,) gifts of the player on the path there, for reach max-margin (Brown and Sandholm
    2017): at each own action the best CFV there less that of the action.

    A gift is shared among all infosets that follow the action, by chance's and the other player's weight of them, so that
    the claims never sum to more than was given. Gifts before the last look-ahead were available to it, and do not count
    again.

    Args:
        top: the roots of the look-ahead.
        player: the player whose gifts are counted.
        claims: (size,) CFVs of the player's sequences after the last look-ahead.
        plan: (other size,) the plan of the player who resolves.
        since: for each public state of the top, the history at which the last look-ahead began.
    """
    game, table = top.game, top.game.histories
    tree, sequences = game.trees[player], game.sequences
    up = table.parent
    acted = (up >= 0) & (table.player[up] == player) & _on_the_way(top, player)[sequences[player]]
    # Histories right after an own action at an infoset with a choice.
    acted[acted] = game.lanes[player][table.info[player][up[acted]]] >= 0
    after = np.flatnonzero(acted)  # only these are asked for
    # passing: (size,) weight of the other players by own sequence; here: (infosets,) the same at the top.
    passing, here = (
        np.bincount(groups, table.reach[histories] * plan[sequences[1 - player][histories]], size)
        for groups, histories, size in (
            (sequences[player][after], after, tree.size),
            (top.known[player], top.histories, top.sizes[player]),
        )
    )
    out = np.zeros(top.sizes[player])
    for infoset, first in enumerate(np.unique(top.known[player], return_index=True)[1].tolist()):
        # From the infoset at the top up to where the last look-ahead began, sequence by sequence.
        at = int(sequences[player][top.histories[first]])
        begin = int(game.public[0][table.info[0][since[int(top.public[first])]]])
        stop = int(sequences[player][_first_in(game, begin, int(top.histories[first]))])
        while at not in (stop, 0) and not np.isnan(claims[at]):
            lane = int(tree.owner[at])
            given = float(np.max(claims[tree.sequences_of(lane)]) - claims[at])
            if given > 0.0 and passing[at] > 0.0:
                out[infoset] += given * here[infoset] / passing[at]
            at = int(tree.arrays.parent[lane])
    return out


def _on_the_way(top: Border, player: int) -> Flags:
    """(size,) whether each sequence of a player leads to the top."""
    tree, out = top.game.trees[player], np.zeros(top.game.trees[player].size, np.bool_)
    at = np.unique(top.game.sequences[player][top.histories])
    while len(at := at[at > 0]):
        out[at] = True
        at = np.unique(tree.arrays.parent[tree.owner[at]])
    return out


def _first_in(game: GameTree, state: int, history: int) -> int:
    """The first history in a public state on the path to a history, itself included."""
    table, at, found = game.histories, history, history
    while at >= 0:
        if game.public[0][table.info[0][at]] == state:
            found = at
        at = int(table.parent[at])
    return found
