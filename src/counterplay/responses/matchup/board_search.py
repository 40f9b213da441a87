"""The search of boards of a whole game of hold'em, which responses make of every board and agents of those that come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from counterplay.blueprints.whole_game.preflop_lookahead import Ways, portfolio_of
from counterplay.gadgets import Gadget
from counterplay.gametree.compile.levels import Depth
from counterplay.lookahead.search import LookAhead
from counterplay.opponents.trained_players import TrainedBlueprint
from counterplay.value_functions.exact_leaf import EXACT

SOLVER, GAP, ITERATIONS = "dcfr:1.5,0,4", 1e-3, 2000
"""The default solver of a board, and its limits: exploitability as a share of a big blind, and iterations. A flop that is
the last street takes a twentieth of a second."""
TOGETHER = 100
"""Default iterations over all boards at once; two minutes for all flops of a full deck with two cores."""
BLUEPRINT = TrainedBlueprint.HEAD


def look_to_the_end(look: LookAhead, gadget: Gadget | None) -> LookAhead:
    """The look-ahead of a board: to the end of the hand, behind a gadget."""
    normalised = gadget is not None and gadget.chooses_one if look.normalised is None else look.normalised
    return replace(look, depth=Depth(), leaf=EXACT, gadget=gadget, normalised=normalised, solve=None)


def ways_of(leaf: Any, blueprint: str, make: Callable[[str], Any]) -> Ways:
    """The portfolios of both players before the flop.

    Args:
        leaf: a portfolio; in its texts `blueprint` is the player's own.
        blueprint: the text of that.
        make: the strategy of a text.
    """

    def known(source: Any) -> Any:
        text = str(source)
        own = text == BLUEPRINT or text.endswith(f":{BLUEPRINT}")
        return make(text.removesuffix(BLUEPRINT) + blueprint if own else text)

    first, second = portfolio_of(leaf).sources
    return [known(source) for source in first], [known(source) for source in second]
