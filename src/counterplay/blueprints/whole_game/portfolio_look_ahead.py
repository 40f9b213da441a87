"""A look-ahead of one street of a board, behind which both players go on by portfolios: adapting beyond the depth limit
(Milec et al. 2025) where the rest of the hand is too large to be solved. A value function of both ranges may stand there
instead.

At the end of the street each hand of both players chooses a strategy by which it goes on (matrix-valued states), and boards
to come are drawn anew whenever values there are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.board_knowledge import known_at_board
from counterplay.blueprints.whole_game.board_subtree import StreetAlone, ends_of, entries_of, street_tree
from counterplay.blueprints.whole_game.valued_street import ValuedStreet, valued_street, values_ranges
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import ResolvedSubtree, enter, pose
from counterplay.lookahead.search import Search
from counterplay.poker.public_tree.hand_treeplex import HandTreeplex, sequences_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_nodes import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.subtrees.public_subtree import HandGadgetGame, decides_by_hand, enter_at_deal
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategies.look_ahead_strategy import (
    LookAheadStrategy,
    NextStreetValues,
    Ways,
    average_by_lane,
    table_in_lanes,
)
from counterplay.poker.whole_game.strategy import BlueprintStrategy, normalise_rows
from counterplay.poker.whole_game.values.rest_of_game import RunOutValues
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.subgames.entry import Entry
from counterplay.subgames.gadget_game import GadgetGame
from counterplay.subgames.plan_store import PlanStore
from counterplay.treeplex.restriction import Numbers
from counterplay.value_functions.sampled_portfolio import SampledPortfolio

SOLVER = "dcfr:1,1,1,simultaneous"
"""Linear CFR, as wherever boards are drawn; both players learn from the same ones."""
DRAWS = 200
"""Boards to come by which the alternative values of the opponent are estimated."""


class StreetSide(NamedTuple):
    """A player's decisions of the street, the choice of each hand at each end, and the (ends * hands,) sequences there."""

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
        follows = None
        if profile:
            follows = tree.uniform()
            inner, outer = self.pairs(them)
            follows[inner] = plans.behaviour(them)[outer]
        return self.best_at_deal(tree, cfv, follows)

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
        return GadgetGame.taken(self, player, behaviour)

    def continue_as_model(self, behaviour: F64, plan: Numbers) -> None:
        self.side.choices.follow_model(behaviour, plan[self.side.came])


class LookAheadPlays(NamedTuple):
    """Both players' strategies so far, those behind the street of each player, and the opponent's model."""

    base: BlueprintStrategy
    ways: Ways
    model: BlueprintStrategy | None = None


def look_ahead_on_board(
    game: HoldemGame,
    board: Board,
    player: int,
    plays: LookAheadPlays,
    search: Search,
    *,
    lines: Iterable[int] | None = None,
    profile: bool = False,
    seed: int | None = 0,
) -> LookAheadStrategy:
    """The street of a board solved for a player, and the other's strategy in it.

    `lines` is the betting before, as numbers in `HoldemGame.roots`, all of it by default; `seed` that of the boards to come,
    None to see all of them in every iteration. A value function may stand behind the street instead of strategies.
    """
    check_look_ahead(game, board.street, search)
    asked = entries_of(game, board.street) if lines is None else list(lines)
    tables = [table_in_lanes(plays.base, who, board) for who in (0, 1)]
    shares, worth = list[F64](), dict[int, NextStreetValues]()
    for side, own in zip(game.sides, plays.ways, strict=True):
        shares.append(np.zeros((len(side.entries[board.street + 1]), len(own) + 1, len(board.hand))))
        shares[-1][:, -1] = 1.0  # as before wherever nothing is decided
    for entry in asked:
        piece: StreetAlone
        if values_ranges(search.value):
            piece = valued_street(game, (board.street, entry), board, player, search.value)
        else:
            piece = continued_street(game, (board.street, entry), board, player, plays, seed)
        found = _solved(piece, plays, search, profile)
        if found is None:
            continue
        for who in (0, 1):
            before = piece.behaviour(plays.base, who)
            _put_decisions(tables[who], piece, who, found.played(who, before)[: len(before)])
            if isinstance(piece, ContinuedStreet):
                count, entries = len(plays.ways[who]), piece.next_entries
                even = average_by_lane(board, piece.shares(who, found.solution.plans[who]))
                shares[who][entries, :count] = even[:, :count]
                shares[who][entries, -1] = np.maximum(1.0 - even[:, :count].sum(axis=1), 0.0)
        if isinstance(piece, ValuedStreet):
            worth |= piece.on_boards(found.solution.plans)
    first, second = (
        normalise_rows(table, side.decisions[board.street]).astype(game.dtype)
        for table, side in zip(tables, game.sides, strict=True)
    )
    ways = [*plays.ways[0], plays.base], [*plays.ways[1], plays.base]
    return LookAheadStrategy(game, plays.base, board, (first, second), ways, (shares[0], shares[1]), worth)


def _put_decisions(table: F64, piece: StreetAlone, player: int, behaviour: F64) -> None:
    """Write a behaviour (size,) of a street into the (sequences, lanes) of its board."""
    runs, betting, lane = piece.whole.runs[player], piece.whole.betting, piece.at.lane[piece.place]
    for at in piece.decisions(player):
        for node, sequence in at.nodes:
            children = betting.children(node)
            rows = np.zeros((len(children), table.shape[1]))
            for row, child in zip(rows, children, strict=True):
                start = int(runs.start[child]) + at.first
                np.add.at(row, lane, behaviour[start : start + len(lane)])
            table[sequence : sequence + len(children)] = rows


def check_look_ahead(game: HoldemGame, street: int, search: Search) -> None:
    """Reject p = 1, where there is nothing to iterate, another gadget, values by sampling, and the last street."""
    if search.p == 1.0:
        raise InputError("at p = 1 a look-ahead with portfolios is a best response: ask for cdbr or lbr")
    if search.gadget.chooses_one or search.gadget.keeps_path:
        raise InputError(
            f"a look-ahead with portfolios on a board is entered by resolving or unsafe, not {search.gadget}"
        )
    if isinstance(search.value, SampledPortfolio):
        raise InputError("on a board the boards to come are drawn anew in each iteration: give portfolio, not sampled")
    if street >= game.last:
        raise InputError("behind a portfolio there must be cards to come")


def continued_street(
    game: HoldemGame,
    line: tuple[int, int],
    at: Board,
    resolver: int,
    plays: tuple[BlueprintStrategy, Ways, BlueprintStrategy | None],
    seed: int | None = 0,
) -> ContinuedStreet:
    """The look-ahead of one street, for a resolver."""
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


def _solved(piece: StreetAlone, plays: LookAheadPlays, search: Search, profile: bool) -> ResolvedSubtree | None:
    """The solution of one line; None where the opponent does not come."""
    begin, seconds = run_time(), search.stop.seconds
    known = known_at_board(piece, plays.base, plays.model, search, profile=profile)
    game = enter(piece, search, known)
    if game is None:
        return None
    search = search.with_seconds(seconds, run_time() - begin)
    posed = pose(game, piece, search, known, blind=True)
    found: ResolvedSubtree = posed.read(posed.solve.advance())
    if found.interrupted:
        raise KeyboardInterrupt
    return found
