"""Look-aheads against an opponent who is the model everywhere: one backward pass instead of a solve (Milec et al. 2025,
section 5.3).

If the model is certain (p = 1), also beyond the limit, the opponent has no choice. The values of an own decision then
do not depend on the player's other decisions: neither the rest of the public state nor earlier decisions are needed.
"""

from __future__ import annotations

import numpy as np

from counterplay.arrays import F64, I32, I64
from counterplay.errors import InputError
from counterplay.games.game import LIMIT, TERMINAL
from counterplay.gametree.compile.children import children_of, histories_of
from counterplay.gametree.compile.compile import GameTree
from counterplay.lookahead.search import Search
from counterplay.lookahead.state import SearchState
from counterplay.subgames.cut_shape import Border
from counterplay.treeplex.sweeps import best
from counterplay.value_functions.leaf_value import EstimatedValue
from counterplay.value_functions.portfolio import Portfolio


def is_model_only(search: Search) -> bool:
    """Whether the opponent is surely the model, before the limit and beyond it."""
    return search.p == 1.0 and isinstance(search.value, Portfolio | EstimatedValue)


def respond_from(chain: SearchState, lanes: I32, search: Search, until: int) -> F64:
    """The best response of a player to the model, at some infosets and below.

    Returns:
        (own size,) behaviour: pure, the first of equally good actions, at these infosets and below down to the limit.
    """
    game, seat, model = chain.game, chain.seat, chain.model
    if model is None:
        raise InputError("without a model of the opponent p and alpha must be 0")
    ends, limit = _leaves(game, _histories(game, seat, lanes), search.depth.whole_clock(game), until)
    sign, tree, own = 1.0 if seat == 0 else -1.0, game.trees[seat], game.sequences[seat]

    def weight(here: I64) -> F64:
        """The probability by chance and the model of each history, signed by the player's sign of payoffs."""
        return np.asarray(sign * game.histories.reach[here] * model.plan[game.sequences[1 - seat][here]], np.float64)

    cfv = np.bincount(own[ends], weight(ends) * game.histories.utility[ends], tree.size).astype(np.float64)
    if len(limit):
        border = Border.at(game, limit)
        chips = _behind(chain, border, search)
        worth = np.zeros((border.sizes[seat], chips.shape[1]))
        np.add.at(worth, border.known[seat], weight(limit)[:, None] * chips)
        place = np.zeros(len(worth), np.int32)
        place[border.known[seat]] = own[limit]
        np.add.at(cfv, place, worth.max(axis=1))
    choice = np.zeros(tree.size)
    best(tree.arrays, np.zeros(0), np.zeros(0), cfv, choice)
    return choice


def _behind(chain: SearchState, border: Border, search: Search) -> F64:
    """(n, K) chips of player 0 by each continuation of the player beyond the limit."""
    value = search.value
    if isinstance(value, EstimatedValue):
        return value.chips(border)[:, None]
    assert isinstance(value, Portfolio)
    assert chain.model is not None
    states = value.against(border, chain.seat, chain.model, chain.source)
    assert states.model is not None
    return states.model


def _histories(game: GameTree, seat: int, lanes: I32) -> I64:
    """The histories of some infosets."""
    return np.sort(histories_of(game, seat).of_all(lanes))


def _leaves(game: GameTree, roots: I64, clock: I32, until: int) -> tuple[I64, I64]:
    """The terminals below some histories up to a clock, and the first histories beyond it."""
    table, children = game.histories, children_of(game)
    ends, limit, here = [], [], roots
    while len(here):
        over = table.player[here] == TERMINAL
        beyond = ~over & ((clock[here] > until) | (table.player[here] == LIMIT))
        ends.append(here[over])
        limit.append(here[beyond])
        here = np.unique(children.of_all(here[~over & ~beyond]))
    return np.unique(np.concatenate(ends)), np.unique(np.concatenate(limit))  # one root may be below another
