"""The common part of look-aheads of a street: the searches, and the maps of their parts into the whole tree."""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.spots.spot_game import SpotGame
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.treeplex import Treeplex
from counterplay.value_functions.equity import Equity
from counterplay.value_functions.exact_leaf import ExactLeaf
from counterplay.value_functions.leaf_value import ValueFunction
from counterplay.value_functions.portfolio import Portfolio


def check_search(game: SpotGame, search: Search) -> None:
    """Reject a search that a spot does not support.

    Raises:
        InputError: a depth other than a street, or a value function or gadget that is not for ranges.
    """
    if search.depth != Depth():
        raise InputError(f"in {game.name} a look-ahead sees to the end of a street: the depth is 'round'")
    nested = isinstance(search.value, ValueFunction)
    if not nested and type(search.value) not in (ExactLeaf, Equity, Portfolio):
        raise InputError(
            f"the value functions of {game.name} are exact, equity, portfolio:A;B, lp, cfr:N and those of ranges, not "
            f"{search.value.name}"
        )
    if search.gadget.contracts_path:
        raise InputError(
            f"boards solved alone behind the {search.gadget} gadget would each count on what the opponent loses on the "
            "others: in a spot it is for resolve, which solves one after the other"
        )
    entered = not search.gadget.keeps_path and search.p < 1.0
    if entered and (nested or isinstance(search.value, Equity)):
        raise InputError(f"{search.value.name} plans nothing that a gadget could keep: it goes with the full gadget")


def layers(game: SpotGame, player: int) -> I64:
    """(lanes,) the number of cards dealt at each decision of a player; -1 at the deal of the hand, and in padding."""
    runs, boards, betting = game.tree.runs[player], game.tree.boards, game.tree.betting
    out = np.full(runs.tree.lanes, -1)
    for node in np.flatnonzero(runs.lane[:DEAL] >= 0).tolist():
        layer = layer_of(betting, node)
        first = int(runs.lane[node])
        out[first : first + boards.layers[layer].places] = layer
    return out


def restrict_behaviour(tree: Treeplex, pairs: tuple[I64, I64], whole: Numbers) -> F64:
    """(size,) the part of a behaviour of the whole tree.

    Args:
        tree: of the part.
        pairs: (n,) sequences of the part, and the same in the whole tree.
        whole: (whole size,) behaviour.
    """
    out = np.zeros(tree.size)
    out[pairs[0]] = whole[pairs[1]]
    out[0] = 1.0
    return out
