"""Memory that each method needs in a large spot, estimated before anything is solved."""

from __future__ import annotations

from collections.abc import Callable

from counterplay.gadgets import gadget_of
from counterplay.lookahead.search import LookAhead
from counterplay.poker.betting.state import Kind
from counterplay.poker.plan_stores.compact_plans import layout_of
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.public_tree.response_size import Needs
from counterplay.poker.public_tree.size_estimate import SOLVED, laid_trees
from counterplay.poker.spots.stored_spot_game import StoredSpotGame
from counterplay.poker.subtrees.truncated import cut_betting
from counterplay.responses.matchup.any_matchup import MatchedMethod
from counterplay.value_functions.exact_leaf import ExactLeaf
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.solved_value import SolvedValue

_CHOICE = 85
"""Bytes of a choice of a hand at the end of a street: those of a solve in float64, and what leads to it."""
_APART = 2
"""Choices of a hand of the model, which goes on apart."""
_BRACKET = 2
"""Answers below and above a largest exploitability, beside the newest."""


def needs_of(method: MatchedMethod, game: StoredSpotGame) -> Needs:
    """The needs of a method after `in_game`; of an unknown one the most of any."""
    made = NEEDS.get(method.HEAD)
    if made is None:
        return Needs(_BRACKET + 1, 2, locked=True, profiles=_BRACKET, gadgets=True)
    needs = made(method)
    return needs if method.look is None else needs._replace(arrays=_arrays(game, method.look))


def check_needs(method: MatchedMethod, game: StoredSpotGame, model: StoredStrategy) -> None:
    """Reject a method that does not fit in memory, with the estimate."""
    alike = model.plans.averages.layout is layout_of(game.tree, alike=True)
    game.check_response(model.player, needs_of(method, game), method.HEAD, alike=alike)


def _arrays(game: StoredSpotGame, look: LookAhead) -> float:
    """Bytes of the largest street that is laid out in arrays, with the choices of hands at its end."""
    if isinstance(look.leaf, ExactLeaf):
        return 0.0
    betting, boards, most = game.tree.betting, game.tree.boards, 0.0
    for street in range(len(boards.layers) - 1):
        part, nodes = cut_betting(betting, betting.rules.first + street)
        found = float(laid_trees(part, boards.cards, alike=False)[1].bytes(SOLVED))
        if isinstance(look.leaf, Portfolio):
            ends = int(((betting.kind[nodes] == Kind.DEAL) & (part.kind == Kind.SHOWDOWN)).sum())
            choices = sum(len(side) + _APART for side in look.leaf.sources)
            found += _CHOICE * ends * boards.layers[street + 1].places * choices
        most = max(most, found)
    return most


def _iterated(method: MatchedMethod) -> Needs:
    bounded = method.most is not None
    if not bounded and method.trust in (0.0, 1.0):
        return Needs()
    return Needs(_BRACKET if bounded else 0, 1)


def _looking(method: MatchedMethod) -> Needs:
    """Each look-ahead leaves a pair of averages, in the place of the one before."""
    look, exact = method.far, isinstance(method.far.leaf, ExactLeaf)
    alone = look.gadget is not None and not gadget_of(look.gadget).keeps_path
    others = _BRACKET if method.most is not None else 0
    mixed = 1 if method.HEAD == "cdbr-ne" else 0
    # Before the last street the opponent is the model up to the end of the street, or free: two strategies where either.
    unsure = method.HEAD in ("cdrnr", "abd") and method.trust not in (0.0, 1.0)
    needs = Needs(mixed, 2 if unsure and exact else 1, profiles=1 + others, gadgets=alone)
    if isinstance(look.leaf, Portfolio):
        first, second = look.leaf.sources
        return needs._replace(portfolio=(len(first), len(second)))
    return needs._replace(nested=True) if isinstance(look.leaf, SolvedValue) else needs


NEEDS: dict[str, Callable[[MatchedMethod], Needs]] = {
    "br": lambda _: Needs(), "mix": lambda _: Needs(2), "lbr": lambda _: Needs(2, profiles=2),
    "dbr": lambda method: _iterated(method)._replace(locked=True),
    **dict.fromkeys(("rnr", "safe", "bne"), _iterated),
    **dict.fromkeys(("cdbr", "cdrnr", "cdbr-ne", "resolve", "ses", "abd"), _looking),
}  # fmt: skip
"""By name of the method. That `lbr` holds two profiles is measured (`tests/poker/test_response_memory.py`)."""
