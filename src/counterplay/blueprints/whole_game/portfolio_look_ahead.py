"""A look-ahead of one street of a board, behind which both players go on by portfolios: adapting beyond the depth limit
(Milec et al. 2025) where the rest of the hand is too large to be solved. A value function of both ranges may stand there
instead.

At the end of the street each hand of both players chooses a strategy by which it goes on (matrix-valued states), and boards
to come are drawn anew whenever values there are asked for.

Before the flop the result is a strategy of the whole game: the look-ahead's, and on the flop each hand class's mixture of
the player's portfolio. Flops may then be re-solved from it, as from any blueprint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.board_subtree import (
    BoardSubtree,
    StreetAlone,
    betting_after,
    board_subtree,
    cards_after,
    ends_of,
    entries_of,
    street_tree,
)
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.errors import InputError
from counterplay.gametree.build.size_estimate import check_memory
from counterplay.jit.clock import run_time
from counterplay.lookahead.resolver import ResolvedSubtree, enter, pose
from counterplay.lookahead.search import Search, played_behaviour, solve_lookahead
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.public_tree.hand_treeplex import HandTreeplex, PublicNode, sequences_to
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.subtrees.public_subtree import HandGadgetGame, decides_by_hand, enter_at_deal
from counterplay.poker.subtrees.street_limit import Evaluate, StreetEnd, truncate
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
from counterplay.poker.whole_game.values.continuation_values import continuation_values, memory_of, preflop_problem
from counterplay.poker.whole_game.values.measure import RunOutValues
from counterplay.poker.whole_game.walks.response_on_flops import ALL, draw_flops
from counterplay.solvers.cfr import Solution
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.subgames.entry import Entry, GadgetGame
from counterplay.subgames.plan_store import PlanStore
from counterplay.treeplex.restriction import Numbers
from counterplay.value_functions.leaf_value import ExactLeaf, ValueFunction
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.sampled_portfolio import SampledPortfolio


@dataclass(frozen=True, eq=False, kw_only=True)
class ValuedBoard(BoardSubtree):
    """The rest of a hand on a board behind a valued street. worth: (hands,) the opponent's values there by the value
    function: chips times the resolver's reach."""

    worth: F64

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:  # noqa: ARG002
        return self.worth * (self.unit / unit)


@dataclass(frozen=True, eq=False, kw_only=True)
class ValuedStreet(StreetAlone):
    """One street of a board, behind which a value function stands: where the street ends, the value function, also made
    ready, and of each player the (ends * hands,) sequences that lead to each end."""

    end: StreetEnd
    value: ValueFunction
    evaluate: Evaluate
    came_by: tuple[I64, I64]

    @cached_property
    def _payoff(self) -> ShowdownPayoff:
        paid: Any = self.end.problem().leaves
        return ShowdownPayoff(paid.betting, self.end.whole.tables, self.tree.runs, self.unit)

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> HandGadgetGame:
        if not decides_by_hand(entry):
            raise InputError("a look-ahead over a value function on one board is entered by resolving or unsafe")
        own = self.range(self.resolver, plan)
        game = enter_at_deal(self, self.tree.runs, self.payoff(unit), entry, own, unit)
        return replace(game, subgame=replace(game.subgame, beyond=partial(self._beyond, unit)))

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        me, them = self.resolver, self.opponent
        both = [np.asarray(plans.reach(player)[:], np.float64) for player in (0, 1)]
        tree = self.tree.runs[them].tree
        cfv = self.payoff(unit).product(them, both[me]) + self._beyond(unit, both[0], both[1])[them]
        return self.best_at_deal(tree, cfv, np.asarray(plans.behaviour(them)[:], np.float64) if profile else None)

    def on_boards(self, plans: tuple[F64, F64]) -> dict[int, NextStreetValues]:
        """By the betting before it, as a number in `HoldemGame.roots`, the values of every next board after plans
        (size,) of the street; empty where the value function knows no single boards."""
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
        rows = zip(self.end.deals, worth, strict=True)
        return {entries[deal + first]: NextStreetValues(self.game, starts, hands, row) for deal, row in rows}

    def _beyond(self, unit: float, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """CFVs (size,) of both players from where the street ends, divided by a unit."""
        ranges = [np.maximum(plan[at], 0.0) for plan, at in zip((plan0, plan1), self.came_by, strict=True)]
        first, second = (
            np.bincount(at, cfvs, runs.tree.size) / unit
            for at, cfvs, runs in zip(self.came_by, self.evaluate(*ranges), self.tree.runs, strict=True)
        )
        return first, second


def valued_street(game: HoldemGame, line: tuple[int, int], at: Board, resolver: int, value: Any) -> ValuedStreet:
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
    """Return whether what follows a street is valued by both ranges there, and neither solved with it nor left to
    strategies."""
    return isinstance(value, ValueFunction) and not isinstance(value, ExactLeaf | Portfolio)


SOLVER = "dcfr:1,1,1,simultaneous"
"""Linear CFR, as wherever boards are drawn; both players learn from the same ones."""
DRAWS = 200
"""Boards to come by which the alternative values of the opponent are estimated."""


class StreetSide(NamedTuple):
    """A player's decisions of the street, the choice of each hand at each end, and the (ends * hands,) sequences
    there."""

    runs: HandTreeplex
    choices: ContinuationChoices
    came: I64

    @property
    def all(self) -> I64:
        """(strategies, ends * hands) the sequences that choose each strategy; the model's own is the last one."""
        return np.concatenate([self.choices.own.T, self.choices.apart.T[:1]])


@dataclass(frozen=True, eq=False, kw_only=True)
class ContinuedStreet(StreetAlone):
    """One street of a board, behind which both players go on by portfolios.

    Attributes:
        base: by which the resolver goes on where alternative values are asked for.
        ways: of each player, the strategies behind it.
        model: of the opponent, who goes on as the model does; None without.
        random: generator of the boards to come; None where all are seen."""

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
        plays = [list(ways) for ways in self.ways]
        if self.model is not None:  # behind the opponent's
            plays[self.opponent].append(self.model)
        beyond = partial(self._beyond, self._values((plays[0], plays[1])), self.unit / unit)
        problem = replace(game.subgame, restrictions=(first, second), beyond=beyond)
        known = {part.name: getattr(game, part.name) for part in fields(game)}
        return ContinuedGame(**{**known, "subgame": problem}, side=self.sides[self.opponent])

    def alternative_values(self, plans: PlanStore, profile: bool = False, unit: float = 1.0) -> F64:
        me, them, side = self.resolver, self.opponent, self.sides[self.opponent]
        tree, plan = side.runs.tree, plans.reach(me)[:]
        theirs = [self.base] * len(self.ways[them]) if profile else self.ways[them]
        values = self._values(([self.base], theirs) if me == 0 else (theirs, [self.base]))
        street = self.payoff(unit).product(them, plan)
        cfv = np.concatenate([street, np.zeros(tree.size - len(street))])
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

    def _values(self, plays: Ways) -> RunOutValues:
        return RunOutValues(self.game, (self.street, self.entry), self.at, plays, self.random)

    def _beyond(self, values: RunOutValues, unit: float, plan0: F64, plan1: F64) -> tuple[F64, F64]:
        """CFVs of both players behind the street, against plans of the look-ahead, by drawn boards."""
        values.draw()
        plans, found = (plan0, plan1), []
        for player, side in enumerate(self.sides):
            cfv, other = np.zeros(side.runs.tree.size), 1 - player
            reach = self._on_board(np.maximum(plans[other][self.sides[other].all], 0.0))
            self._pay(cfv, player, values.values(player, reach), unit)
            found.append(cfv)
        return found[0], found[1]

    def _pay(self, cfv: F64, player: int, values: F64, unit: float) -> None:
        """Add (strategies, ends, places) chips to the CFVs of a player's choices, but for the model's own."""
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
    """The look-ahead behind an entry. side: the opponent's decisions."""

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

    `lines` is the betting before, as numbers in `HoldemGame.roots`, all of it by default; `seed` that of the boards to
    come, None to see all of them in every iteration. A value function may stand behind the street."""
    check_look_ahead(game, board.street, search)
    asked = entries_of(game, board.street) if lines is None else list(lines)
    tables = [table_in_lanes(plays.base, who, board).astype(np.float64) for who in (0, 1)]
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
            played, lane = found.played(who, before)[: len(before)], board.lane[piece.place]
            for row, sequences in (one for part in piece.board_rows(who) for one in part.rows):
                tables[who][row] = 0.0
                np.add.at(tables[who][row], lane, played[sequences])
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
    return LookAheadStrategy(game, board, (first, second), ways, (shares[0], shares[1]), plays.base, worth)


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
    (street, entry), (base, ways, model) = line, plays
    if model is not None and len(ways[1 - resolver]) == 1:  # the model does not take it, so that it must be a decision
        twice = [*ways[1 - resolver]] * 2
        ways = (ways[0], twice) if resolver == 0 else (twice, ways[1])
    tree, nodes = street_tree(game, street, entry, at)
    ends, sides = ends_of(game, street, entry, nodes), []
    for player, runs in enumerate(tree.runs):
        came = np.concatenate([sequences_to(tree.betting, tree.boards, runs, end, 0) for end in ends])
        modelled = model is not None and player != resolver
        large, choices = ContinuationChoices.after(runs.tree, came, len(ways[player]), modelled=modelled)
        hands = HandTreeplex(lambda large=large: large, runs.before, runs.start, runs.lane)  # type: ignore[misc]
        sides.append(StreetSide(hands, choices, came))
    return ContinuedStreet(
        tree, PublicNode(), tree, resolver, game, entry, at.cards, nodes=nodes, at=at, base=base, ways=ways, model=model,
        sides=(sides[0], sides[1]), random=None if seed is None else np.random.default_rng(seed),
    )  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class PreflopLookAhead:
    """Both players' strategies before the flop, and the mixtures by which they continue; and the solution, in chips per
    hand, whose value is player 0's against the opponent mixed by p."""

    play: LookAheadStrategy
    solution: Solution


def portfolio_of(value: Any) -> Portfolio:
    """A value function for a look-ahead before the first street that is solved to the end."""
    if isinstance(value, Portfolio):
        return value
    raise InputError(f"this look-ahead takes portfolio:A;B, before the flop also sampled:FLOPS:A;B, not {value.name}")


def look_ahead_preflop(
    game: HoldemGame,
    base: BlueprintStrategy,
    me: int,
    model: BlueprintStrategy | None,
    ways: Ways,
    search: Search,
    memory: float | None = None,
) -> PreflopLookAhead:
    """Solve the street before the flop of a game that ends on it.

    Args:
        game: a game of hold'em that ends on the flop.
        me: the player who looks ahead.
        base: the other player's strategy if only the model is met.
        model: model of the other player, who continues as the model on the flop.
        ways: portfolios of players 0 and 1.
        search: p, the value function (a portfolio), solver, and stopping rule.
        memory: bytes that may be taken; by default half of the machine's."""
    other, value = 1 - me, portfolio_of(search.value)
    if game.last > 1:
        raise InputError(
            f"before the flop portfolios are valued where the flop is the last street, and this game ends on the "
            f"{STREETS[game.last]}"
        )
    drawn = (value.samples, value.seed) if isinstance(value, SampledPortfolio) else (ALL,)
    seen = draw_flops(game.boards, *drawn)
    trusted = model if search.p > 0.0 else None
    faced = [list(one) for one in ways]
    if trusted is not None:  # where p = 1 there is only the model
        faced[other] = [trusted] if search.p == 1.0 else [*faced[other], trusted]
    needed, count = memory_of(game, len(faced[0]), len(faced[1])), f"{len(faced[0])} by {len(faced[1])} continuations"
    check_memory(f"{count} take {needed / 2**30:.3g} GiB", needed, memory, "ask for fewer strategies")
    worth = continuation_values(game, faced[0], faced[1], np.array(seen.numbers), seen.weights)
    look = preflop_problem(game, worth, other if trusted is not None and search.p < 1.0 else None)
    problem = look.subgame if trusted is None else look.following(other, trusted, search.p)
    solution = solve_lookahead(problem, me, search)
    preflop, go_on, shares = [], [list(one) for one in ways], []
    for player in (0, 1):
        behaviour = played_behaviour(problem, player, solution)
        shares.append(look.shares(player, behaviour))
        preflop.append(look.preflop(player, behaviour))
        go_on[player] = [*go_on[player], *go_on[player]][: shares[player].shape[1]]
    if search.p == 1.0:  # the other player goes on as in the base
        preflop[other], go_on[other] = base.preflop[other], [base]
        shares[other] = np.ones((len(game.entries), 1, game.boards.classes))
    tables, mixed = (preflop[0], preflop[1]), (shares[0], shares[1])
    return PreflopLookAhead(LookAheadStrategy(game, game.boards.root, tables, (go_on[0], go_on[1]), mixed), solution)
