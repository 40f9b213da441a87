"""One street of a board as a subtree to re-solve: at its end each hand of both players chooses a strategy by which it goes
on (matrix-valued states; Milec et al. 2025), and boards to come are drawn anew whenever values there are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.street_alone import StreetAlone, ends_of, street_tree
from counterplay.errors import InputError
from counterplay.poker.public_tree.hand_treeplex import HandTreeplex, sequences_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.subtrees.hand_gadget_game import HandGadgetGame, decides_by_hand, enter_at_deal
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.continuation.run_out_values import RunOutValues
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import Ways
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.subgames.continuations import ContinuationChoices
from counterplay.subgames.entry import Entry
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import PlanStore
from counterplay.treeplex.branch_restriction import Numbers
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import best

DRAWS = 200
"""Boards to come by which the alternative values of the opponent are estimated."""


class StreetSide(NamedTuple):
    """A player's decisions.

    Attributes:
        runs: those of the street, and the choices behind it.
        choices: one of each hand at each end of the street.
        came: (ends * hands,) the sequence that leads to each.
    """

    runs: HandTreeplex
    choices: ContinuationChoices
    came: I64

    @property
    def all(self) -> I64:
        """(strategies, ends * hands) the sequences that choose each strategy; the model's own is the last one."""
        return np.concatenate([self.choices.own.T, self.choices.apart.T[:1]])


@dataclass(frozen=True, eq=False, kw_only=True)
class ContinuedStreet(StreetAlone):
    """The street.

    Attributes:
        base: by which the resolver goes on where alternative values are asked for.
        ways: of each player, the strategies behind it.
        model: of the opponent, who goes on as the model does; None without.
        sides: the players' decisions.
        random: generator of the boards to come; None where all are seen.
    """

    base: BlueprintStrategy
    ways: Ways
    model: BlueprintStrategy | None
    sides: tuple[StreetSide, StreetSide]
    random: np.random.Generator | None

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> ContinuedGame:
        """The street after an entry (see `Subtree`).

        Raises:
            InputError: an entry by which the opponent chooses one hand, or keeps the path.
        """
        if not decides_by_hand(entry):
            raise InputError("a look-ahead with portfolios on one board is entered by resolving or unsafe")
        both = self.sides[0].runs, self.sides[1].runs
        payoff = ShowdownPayoff(self.tree.betting, self.tree.tables, both, self.unit / unit)
        game = enter_at_deal(self, both, payoff, entry, self.range(self.resolver, plan), unit)
        first, second = (
            side.choices.closed(side.runs.tree, bound)
            for side, bound in zip(self.sides, game.subgame.restrictions, strict=True)
        )
        beyond = partial(self._beyond, self._values(self._plays), self.unit / unit)
        problem = replace(game.subgame, restrictions=(first, second), beyond=beyond)
        known = {part.name: getattr(game, part.name) for part in fields(game)}
        return ContinuedGame(**{**known, "subgame": problem}, side=self.sides[self.opponent])

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        """(hands,) CFVs of the opponent where the resolver plays, and goes on, as before (see `Subtree`)."""
        me, them, side = self.resolver, self.opponent, self.sides[self.opponent]
        tree, plan = side.runs.tree, plans.reach(me)[:]
        theirs = [self.base] * len(self.ways[them]) if profile else self.ways[them]
        values = self._values(([self.base], theirs) if me == 0 else (theirs, [self.base]))
        cfv = np.zeros(tree.size)
        street = self.payoff(unit).product(them, plan)
        cfv[: len(street)] = street
        reach = self._on_board(plan[self.sides[me].came][None])
        draws = DRAWS if values.drawn else 1
        for _ in range(draws):
            values.draw()
            self._pay(cfv, them, values.values(them, reach), self.unit / (unit * draws))
        bound = Restriction()
        if profile:
            follows = tree.uniform()
            inner, outer = self.pairs(them)
            follows[inner] = plans.behaviour(them)[outer]
            bound = Restriction.local(tree, follows, np.ones(tree.lanes))
        best(tree.arrays, bound.keep, bound.mix, cfv, np.zeros(tree.size))
        return np.asarray(cfv[self.places(them)], np.float64)

    def shares(self, player: int, plan: F64) -> F64:
        """(ends, strategies, places of the board) how a plan of the look-ahead goes on; 0 where it does not come."""
        own = self._on_board(plan[self.sides[player].choices.own.T])
        total = own.sum(axis=0)
        found = np.divide(own, total, out=np.zeros_like(own), where=total > 0.0)
        return np.ascontiguousarray(found.transpose(1, 0, 2))

    @property
    def _plays(self) -> Ways:
        """The strategies of both players, the model's behind the opponent's."""
        if self.model is None:
            return self.ways
        theirs = [*self.ways[self.opponent], self.model]
        return (self.ways[0], theirs) if self.resolver == 0 else (theirs, self.ways[1])

    def _values(self, plays: Ways) -> RunOutValues:
        return RunOutValues(self.game, (self.street, self.entry), self.at, plays, self.random)

    def _beyond(self, values: RunOutValues, unit: float, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """CFVs of both players behind the street, against plans of the look-ahead, by boards that are drawn for them."""
        values.draw()
        plans, found = (plan0, plan1), []
        for player, side in enumerate(self.sides):
            cfv, other = np.zeros(side.runs.tree.size), 1 - player
            reach = self._on_board(np.maximum(plans[other][self.sides[other].all], 0.0))
            self._pay(cfv, player, values.values(player, reach), unit)
            found.append(cfv)
        return found[0], found[1]

    def _pay(self, cfv: F64, player: int, values: F64, unit: float) -> None:
        """Add (strategies, ends, places) chips to the CFVs of a player's choices; the model's own is nobody's choice."""
        own = self.sides[player].choices.own
        worth = values[: own.shape[1]][..., self.place].reshape(own.shape[1], -1)
        np.add.at(cfv, own, unit * worth.T)

    def _on_board(self, values: F64) -> F64:
        """(strategies, ends, places) from (strategies, ends * hands)."""
        found = np.zeros((len(values), values.shape[1] // self.size, len(self.at.hand)))
        found[..., self.place] = values.reshape(len(values), -1, self.size)
        return found


@dataclass(frozen=True, eq=False)
class ContinuedGame(HandGadgetGame):
    """The look-ahead behind an entry.

    Attributes:
        side: the opponent's decisions.
    """

    side: StreetSide

    def taken(self, player: int, behaviour: Numbers) -> F64:
        """(size,) see `GadgetGame`."""
        return GadgetGame.taken(self, player, behaviour)

    def continue_as_model(self, behaviour: F64, plan: Numbers) -> None:
        """Write the model's continuation (see `GadgetGame`)."""
        self.side.choices.follow_model(behaviour, plan[self.side.came])


def continued_street(
    game: HoldemGame,
    line: tuple[int, int],
    at: Board,
    resolver: int,
    plays: tuple[BlueprintStrategy, Ways, BlueprintStrategy | None],
    seed: int | None = 0,
) -> ContinuedStreet:
    """The look-ahead of one street, for a resolver.

    Args:
        game: the game.
        line: the street and the betting before it, as a number in `HoldemGame.roots`.
        at: the board.
        resolver: the player who is solved for.
        plays: the strategy so far, both players' strategies behind the street, and the opponent's model.
        seed: of the boards to come; None to see all of them whenever they are asked for, as is possible with few cards.

    Raises:
        InputError: a line without a decision on the street.
    """
    (street, entry), (base, ways, model) = line, plays
    if model is not None and len(ways[1 - resolver]) == 1:  # the model does not take it, so that it must be a decision
        twice = [*ways[1 - resolver]] * 2
        ways = (ways[0], twice) if resolver == 0 else (twice, ways[1])
    tree, nodes = street_tree(game, street, entry, at)
    ends = ends_of(game, street, entry, nodes)
    first, second = (_side(tree, who, ends, len(ways[who]), model is not None and who != resolver) for who in (0, 1))
    return ContinuedStreet(
        tree, PublicNode(), tree, resolver, game, entry, at.cards, nodes=nodes, at=at, base=base, ways=ways, model=model,
        sides=(first, second), random=None if seed is None else np.random.default_rng(seed),
    )  # fmt: skip


def _side(tree: PublicTree, player: int, ends: Sequence[int], count: int, modelled: bool) -> StreetSide:
    """A player's decisions of the street and the choices behind it."""
    runs = tree.runs[player]
    came = np.concatenate([sequences_to(tree.betting, tree.boards, runs, end, 0) for end in ends])
    large, choices = ContinuationChoices.after(runs.tree, came, count, modelled=modelled)
    return StreetSide(HandTreeplex(lambda: large, runs.before, runs.start, runs.lane), choices, came)
