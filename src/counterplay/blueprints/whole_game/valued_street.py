"""One street of a board as a subtree to re-solve, behind which a value function says what both ranges are worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree, StreetAlone, board_subtree, street_tree
from counterplay.errors import InputError
from counterplay.poker.public_tree.hand_treeplex import sequences_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_nodes import PublicNode
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.subtrees.public_subtree import HandGadgetGame, decides_by_hand, enter_at_deal
from counterplay.poker.subtrees.street_limit import Evaluate, StreetEnd, truncate
from counterplay.poker.whole_game.board_problem import betting_after, cards_after
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import NextStreetValues
from counterplay.subgames.entry import Entry
from counterplay.subgames.plan_store import PlanStore
from counterplay.treeplex.restriction import Numbers
from counterplay.value_functions.leaf_value import ExactLeaf, ValueFunction
from counterplay.value_functions.portfolio import Portfolio


@dataclass(frozen=True, eq=False, kw_only=True)
class ValuedBoard(BoardSubtree):
    """The rest of a hand on a board behind such a street.

    Attributes:
        worth: (hands,) what the opponent's hands are worth there by the value function: chips times the resolver's reach.
    """

    worth: F64

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:  # noqa: ARG002
        """(hands,) CFVs of the opponent that the street was solved with (see `Subtree`), whatever is played here."""
        return self.worth * (self.unit / unit)


@dataclass(frozen=True, eq=False, kw_only=True)
class ValuedStreet(StreetAlone):
    """The street: where it ends, the value function of both ranges there, also made ready, and of each player the (ends *
    hands,) sequences that lead to each end."""

    end: StreetEnd
    value: ValueFunction
    evaluate: Evaluate
    came_by: tuple[I64, I64]

    @cached_property
    def _payoff(self) -> ShowdownPayoff:
        """What is paid on the street, where both are all-in, too."""
        paid: Any = self.end.problem().leaves
        return ShowdownPayoff(paid.betting, self.end.whole.tables, self.tree.runs, self.unit)

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> HandGadgetGame:
        if not decides_by_hand(entry):
            raise InputError("a look-ahead over a value function on one board is entered by resolving or unsafe")
        own = self.range(self.resolver, plan)
        game = enter_at_deal(self, self.tree.runs, self.payoff(unit), entry, own, unit)
        problem = replace(game.subgame, beyond=partial(self._beyond, unit))
        return replace(game, subgame=problem)

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        """(hands,) CFVs of the opponent where both come to the ends as before (see `Subtree`)."""
        me, them = self.resolver, self.opponent
        both = [np.asarray(plans.reach(player)[:], np.float64) for player in (0, 1)]
        tree = self.tree.runs[them].tree
        cfv = self.payoff(unit).product(them, both[me]) + self._beyond(unit, both[0], both[1])[them]
        return self.best_at_deal(tree, cfv, np.asarray(plans.behaviour(them)[:], np.float64) if profile else None)

    def on_boards(self, plans: tuple[F64, F64]) -> dict[int, NextStreetValues]:
        """What the value function says of every next board after plans (size,) of the street, by the betting before it, as a
        number in `HoldemGame.roots`; empty where it knows no single boards."""
        known = getattr(self.value, "on_boards", None)
        evaluate = None if known is None else known(self.end)
        if evaluate is None:
            return {}
        ranges = [np.maximum(plan[at], 0.0) for plan, at in zip(plans, self.came_by, strict=True)]
        worth, first = evaluate(*ranges)[self.opponent], self.node(0)
        layer = self.end.whole.boards.layers[self.end.layer + 1]
        hands = self.in_deck(self.end.whole.boards.cards.hands[layer.hand])
        entries = {int(self.game.roots[self.street + 1][k]): int(k) for k in self.next_entries}
        starts = dict(zip(layer.boards, zip(layer.first.tolist(), layer.first[1:].tolist(), strict=False), strict=True))
        found = {}
        for deal, row in zip(self.end.deals, worth, strict=True):
            found[entries[deal + first]] = NextStreetValues(self.game, starts, hands, row)
        return found

    def _beyond(self, unit: float, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """CFVs (size,) of both players from where the street ends, divided by a unit."""
        ranges = [np.maximum(plan[at], 0.0) for plan, at in zip((plan0, plan1), self.came_by, strict=True)]
        first, second = (
            np.bincount(at, cfvs, runs.tree.size) / unit
            for at, cfvs, runs in zip(self.came_by, self.evaluate(*ranges), self.tree.runs, strict=True)
        )
        return first, second


def valued_street(game: HoldemGame, line: tuple[int, int], at: Board, resolver: int, value: Any) -> ValuedStreet:
    """The look-ahead of one street, for a resolver."""
    street, entry = line
    tree, nodes = street_tree(game, street, entry, at)
    end = truncate(public_tree(betting_after(game, street, entry), cards_after(game, at.cards)), 0)
    ends = np.searchsorted(end.nodes, end.deals).tolist()
    first, second = (
        np.concatenate([sequences_to(tree.betting, tree.boards, runs, node, 0) for node in ends]) for runs in tree.runs
    )
    return ValuedStreet(
        tree, PublicNode(), tree, resolver, game, entry, at.cards, nodes=nodes, at=at, end=end,
        value=value, evaluate=value.at(end), came_by=(first, second),
    )  # fmt: skip


def valued_board(
    game: HoldemGame, entry: int, board: tuple[int, ...], resolver: int, worth: NextStreetValues | None
) -> BoardSubtree:
    """A board behind a look-ahead, whose opponent's alternative values are those that the look-ahead counted on."""
    piece = board_subtree(game, entry, board, resolver)
    if worth is None:
        return piece
    return ValuedBoard(
        piece.whole, piece.part, piece.tree, resolver, game, entry, piece.board,
        worth=worth.on(piece.board, piece.numbers),
    )  # fmt: skip


def values_ranges(value: Any) -> bool:
    """Whether what follows a street is valued by both ranges there, and neither solved with it nor left to strategies."""
    return isinstance(value, ValueFunction) and not isinstance(value, ExactLeaf | Portfolio)
