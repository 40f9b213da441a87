"""The end of a street: the tree up to there, and the border for value functions (ranges in, CFVs out, of both players); and
the game beyond, which is solved for any two ranges: with arrays, or on the compact engine.

In the engine decisions before the end are locked so that both players come to it with these ranges; what they could win
before it is not paid. So nothing of the game beyond stands in arrays but regrets and averages.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.poker.betting.state import Kind
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_run import CompactRun, has_compact_form
from counterplay.poker.compact.kernels.sweep_records import BEST
from counterplay.poker.compact.layout.compact_layout import CompactLayout, layout_of
from counterplay.poker.compact.layout.segments import SegmentDecision
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory
from counterplay.poker.public_tree.hand_treeplex import (
    DEAL,
    HandTreeplex,
    PublicNode,
    build_hand_treeplex,
    layer_of,
    layer_of_last_choice,
    sequences_to,
)
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.problem.subgame import Beyond, Subgame
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.iterates import Pace
from counterplay.solvers.lp import solve_lp
from counterplay.solvers.minimiser import Minimiser
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.sweeps import best

Evaluate = Callable[[F64, F64], tuple[F64, F64]]


@dataclass(frozen=True, eq=False)
class StreetEnd:
    """The part of a public tree up to the end of a street, where a showdown replaces the deal of the next card; and the
    border there, before that card. Ranges and CFVs run over `parts`, and within each over the hands of the part's board, in
    the order of `boards.Layer`. A CFV is chips of its player times chance's and the other player's reach.

    Attributes:
        nodes: (n,) the number in the whole tree of each node.
        precision: of what the compact engine stores when it solves the game beyond; None to solve that with arrays.
    """

    whole: PublicTree
    betting: BettingTree
    nodes: I64
    runs: tuple[HandTreeplex, HandTreeplex]
    precision: str | None = None

    @cached_property
    def deals(self) -> list[int]:
        """Betting nodes of the whole tree where it ends, at the deal of the next card, in order."""
        dealing = self.whole.betting.kind[self.nodes] == Kind.DEAL
        return self.nodes[dealing & (self.betting.kind == Kind.SHOWDOWN)].tolist()  # type: ignore[no-any-return]

    @property
    def pots(self) -> F64:
        """(deals,) chips in the middle there."""
        return np.asarray(self.whole.betting.pot[self.deals], np.float64)

    @property
    def depths(self) -> F64:
        """(deals,) chips behind of the shorter stack there, in pots."""
        betting = self.whole.betting
        left = np.array(betting.rules.stacks) * betting.rules.unit - betting.committed[self.deals]
        return np.asarray(np.maximum(left.min(axis=1), 0.0) / self.pots, np.float64)

    @property
    def layer(self) -> int:
        """The number of cards dealt since the start."""
        return layer_of(self.whole.betting, self.deals[0])

    @cached_property
    def parts(self) -> list[PublicNode]:
        """The deals, on every board."""
        boards = range(len(self.whole.boards.layers[self.layer].boards))
        return [PublicNode(deal, self.layer, board) for deal in self.deals for board in boards]

    @property
    def sizes(self) -> tuple[int, int]:
        """Length of the ranges of players 0 and 1."""
        places = len(self.deals) * self.whole.boards.layers[self.layer].places
        return places, places

    @property
    def unit(self) -> float:
        """The weight of a chip in a CFV, for one pair of hands of reach 1."""
        return self.whole.leaves.unit * self.whole.boards.layers[self.layer].chance

    def places(self, runs: HandTreeplex, nodes: list[int]) -> I64:
        """(hands,) the sequences by which a player reaches betting nodes where the street ends."""
        betting = self.betting if runs is self.runs[runs.tree.player] else self.whole.betting
        return np.concatenate([sequences_to(betting, self.whole.boards, runs, node, self.layer) for node in nodes])

    def beyond(self, evaluate: Evaluate) -> Beyond:
        """A value function as leaves of the plans in the part."""
        small = np.searchsorted(self.nodes, self.deals).tolist()
        at = [self.places(runs, small) for runs in self.runs]
        sizes = [runs.tree.size for runs in self.runs]

        def leaves(plan0: F64, plan1: F64) -> tuple[F64, F64]:
            cfvs = evaluate(np.maximum(plan0[at[0]], 0.0), np.maximum(plan1[at[1]], 0.0))
            first, second = (np.bincount(at[i], cfvs[i], sizes[i]).astype(np.float64) for i in (0, 1))
            return first, second

        return leaves

    def problem(self) -> Subgame:
        """The street alone, for leaves beyond it, without payoffs at its end."""
        ends = np.isin(self.nodes, self.deals)
        paid: Any = {name: np.where(ends, 0.0, getattr(self.betting, name)) for name in ("win", "lose", "tie")}
        return replace(self, betting=replace(self.betting, **paid)).subgame()

    def subgame(self) -> Subgame:
        """The problem whose value at the end of the street is the equity of the pot."""
        boards, weights = self.whole.boards, self.whole.boards.cards.weights
        layer = boards.layers[0]
        first, second = (runs.given(weights[i][layer.hand]) for i, runs in enumerate(self.runs))
        leaves = ShowdownPayoff(self.betting, self.whole.tables, self.runs, self.whole.leaves.unit)
        return Subgame((self.runs[0].tree, self.runs[1].tree), leaves, (first, second))

    def layers(self, player: int) -> I64:
        """(sequences,) for each of `pairs` the layer on which the player chose it; -1 for the root and the deal."""
        boards = self.whole.boards
        found = [np.full(1 + 2 * boards.layers[0].places, -1)]
        for node in self.decisions(player):
            layer = layer_of(self.betting, node)
            found.append(np.full(boards.layers[layer].places * len(self.betting.children(node)), layer))
        return np.concatenate(found)

    def decisions(self, player: int) -> list[int]:
        return np.flatnonzero(self.runs[player].lane[:DEAL] >= 0).tolist()

    def pairs(self, player: int) -> tuple[I64, I64]:
        """Two (sequences,) arrays: indices of a player's sequences in the part and in the whole."""
        small, large, boards = self.runs[player], self.whole.runs[player], self.whole.boards
        parts = [(np.array([0]), np.array([0]))]
        width = int(small.tree.arrays.groups[0, 1])
        deal = np.concatenate([k * width + np.arange(boards.layers[0].places) for k in (0, 1)])
        parts.append((small.start[DEAL] + deal, large.start[DEAL] + deal))
        for node in self.decisions(player):
            count = np.arange(boards.layers[layer_of(self.betting, node)].places)
            after = self.betting.children(node)
            parts += [(small.start[child] + count, large.start[self.nodes[child]] + count) for child in after]
        one, other = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        return one, other


def truncate(tree: PublicTree, layer: int) -> StreetEnd:
    """The part of a tree in which at most `layer` cards were dealt."""
    betting, nodes = cut_betting(tree.betting, tree.betting.rules.first + layer)
    runs = build_hand_treeplex(betting, tree.boards, 0), build_hand_treeplex(betting, tree.boards, 1)
    return StreetEnd(tree, betting, nodes, runs)


def cut_betting(betting: BettingTree, street: int) -> tuple[BettingTree, I64]:
    """The tree without what follows a deal that ends `street`, and the (n,) nodes that are left; what was that deal is a
    showdown for the pot."""
    stops = (betting.kind == Kind.DEAL) & (betting.street == street)
    keep = np.ones(betting.nodes, np.bool_)
    for node in np.flatnonzero(stops).tolist():
        keep[node + 1 : int(betting.end[node])] = False
    nodes = np.flatnonzero(keep)
    number = np.cumsum(keep) - 1
    parent = np.where(betting.parent[nodes] >= 0, number[betting.parent[nodes]], -1).astype(np.int32)
    count = np.where(stops[nodes], 0, np.diff(betting.first)[nodes])
    first = np.append(0, np.cumsum(count)).astype(np.int32)
    child = [number[one] for node in nodes.tolist() if not stops[node] for one in betting.children(node)]
    half = np.where(stops[nodes], 0.5 * betting.pot[nodes], 0.0)
    return replace(
        betting,
        kind=np.where(stops[nodes], np.int8(Kind.SHOWDOWN), betting.kind[nodes]).astype(np.int8),
        parent=parent,
        end=np.append(number, len(nodes))[betting.end[nodes]].astype(np.int32),
        first=first,
        child=np.array(child, np.int32),
        win=betting.win[nodes] + half,
        lose=betting.lose[nodes] - half,
        **{
            name: getattr(betting, name)[nodes]
            for name in ("action", "move", "to", "street", "committed", "pot", "tie")
        },
    ), nodes


def solves_beyond(end: StreetEnd) -> Any:
    """The game beyond a street. `enter` gives a player a range, `solve` both players' strategies between the ranges, and
    `claim` the CFVs of a player's best response to one of these."""
    return Below.of(end) if end.precision is None else StoredBelow(end, end.precision)


@dataclass(frozen=True, eq=False)
class Below:
    """The game beyond the end of a street: the whole tree, where only what follows pays, and ranges from `enter` fix
    earlier decisions.

    Attributes:
        at: two (hands,) sequences of the whole tree by which the players come.
        above: two (hands,) for each of these the one above it that leads to an earlier end of the street; 0 if none.
    """

    subgame: Subgame
    at: tuple[I64, I64]
    above: tuple[I64, I64]

    @staticmethod
    def of(end: StreetEnd) -> Below:
        whole, betting = end.whole, end.whole.betting
        follows, paid = paid_beyond(betting, end.deals)
        leaves = ShowdownPayoff(paid, whole.tables, whole.runs, whole.leaves.unit)
        bounds, at, above = [], [], []
        for runs in whole.runs:
            places = end.places(runs, end.deals)
            keep = np.zeros(runs.tree.lanes)
            for node in np.flatnonzero(follows & (runs.lane[:-1] >= 0)).tolist():
                first = int(runs.lane[node])
                keep[first : first + whole.boards.layers[layer_of(betting, node)].places] = 1.0
            mix = np.where(keep[runs.tree.owner] == 0.0, 1.0, 0.0)
            mix[runs.tree.owner < 0] = 0.0
            bounds.append(Restriction(keep=keep, mix=mix))
            at.append(places)
            above.append(above_of(runs, places))
        subgame = Subgame((whole.runs[0].tree, whole.runs[1].tree), leaves, (bounds[0], bounds[1]))
        return Below(subgame, (at[0], at[1]), (above[0], above[1]))

    def enter(self, player: int, held: F64) -> None:
        """Restrict a player to a range, in place. held: (hands,) probabilities of the sequences that enter."""
        tree, mix = self.subgame.trees[player], self.subgame.restrictions[player].mix
        reach = np.ones(tree.size)
        reach[self.at[player]] = held
        before = reach[self.above[player]]
        mix[self.at[player]] = np.divide(held, before, out=np.zeros(len(held)), where=before > 0.0)

    def solve(self, method: Minimiser, iterations: int | None) -> tuple[F64, F64]:
        """(size,) both players' plans between these ranges: the average after so many iterations; None for an exact
        solution, by linear program."""
        if iterations is None:
            return solve_lp(self.subgame).plans
        return solve_cfr(self.subgame, method, Stop(iterations=iterations), look=False).plans

    def claim(self, player: int, plans: tuple[F64, F64]) -> F64:
        """(hands,) CFVs of a player's best response to the other's plan."""
        tree, bound, plan = self.subgame.trees[player], self.subgame.restrictions[player], plans[1 - player]
        cfv = self.subgame.leaves.product(player, plan)
        best(tree.arrays, bound.keep, np.zeros(tree.size), cfv, np.zeros(tree.size))
        found = np.asarray(cfv[self.at[player]], np.float64)
        found[~first_of_each(self.at[player])] = 0.0  # where one sequence leads to two deals it is counted once
        return found


class _Locked(NamedTuple):
    """A decision before the end, all lanes of its layer, and where the sequences of its actions begin."""

    decision: SegmentDecision
    lanes: I64
    starts: I64


class StoredBelow:
    """The game beyond the end of a street on the compact engine (see `solves_beyond`)."""

    def __init__(self, end: StreetEnd, precision: str) -> None:
        self._precision = precision
        layout = layout_of(end.whole)
        layout.streets  # noqa: B018 - laid out before it is copied, so that both share it
        self._layout = copy(layout)
        self._layout.betting = paid_beyond(layout.betting, end.deals)[1]  # only what follows the deals is paid
        self._sides = _Side(end, 0, self._layout, precision), _Side(end, 1, self._layout, precision)

    def enter(self, player: int, held: F64) -> None:
        self._sides[player].enter(held)

    def solve(self, method: Minimiser, iterations: int | None) -> CompactRun:
        """The averages after so many iterations; an `InputError` for a method that the engine does not have."""
        check_method(method, iterations)
        assert iterations is not None
        ways = [
            (WeightedMemory(1.0, side.given.bind(new_memory(self._layout, player, self._precision))),)
            for player, side in enumerate(self._sides)
        ]
        run, pace = CompactRun(self._layout, method, self._precision, (ways[0], ways[1])), Pace(inf)
        while run.done < iterations:
            pace.advance(run, iterations)
        run.forget_regrets()
        return run

    def claim(self, player: int, plans: CompactRun) -> F64:
        """(hands,) CFVs of a player's best response to the other's averages, of hands in the player's range."""
        averages = Averages.of_run(plans).choosing_under(player, self._sides[player].shut)
        return self._sides[player].read(averages, plans.sides[player][0])


class _Side:
    """One player before the end of a street, who comes there by the locks `given` with the range last entered. By the
    locks `shut` decisions before the end win nothing, so that CFVs are those of the deals alone."""

    def __init__(self, end: StreetEnd, player: int, layout: CompactLayout, precision: str) -> None:
        self._end, self._player, self._layout = end, player, layout
        boards, runs = end.whole.boards, end.runs[player]
        self._at = end.places(runs, np.searchsorted(end.nodes, end.deals).tolist())
        self._above = above_of(runs, self._at)
        weights = boards.cards.weights[player][boards.layers[0].hand][boards.above(end.layer, 0)]
        self._dealt = np.tile(weights, len(end.deals))
        self._size = runs.tree.size
        none = RowLocks.none(layout, player, precision)
        self._locked = list[_Locked]()
        for node in end.decisions(player):
            decision = layout.decisions[int(end.nodes[node])]
            starts = runs.start[end.betting.children(node)].astype(np.int64)
            self._locked.append(_Locked(decision, np.arange(boards.lanes(decision.layer)), starts))
        self.given, self.shut = (
            none.with_room((decision, lanes) for decision, lanes, _ in self._locked) for _ in range(2)
        )
        for decision, lanes, _ in self._locked:
            nothing = np.zeros((decision.actions, len(lanes)))
            self.shut.write(decision, lanes, nothing[0], nothing)

    def enter(self, held: F64) -> None:
        """Lock the decisions so that (hands,) probabilities are those of coming to the end."""
        reach, choice = np.ones(self._size), np.ones(self._size)
        reach[self._at] = held
        before = np.where(self._above > 0, reach[self._above], self._dealt)
        choice[self._at] = np.divide(held, before, out=np.zeros(len(held)), where=before > 0.0)
        for decision, lanes, starts in self._locked:
            self.given.write(decision, lanes, np.zeros(len(lanes)), choice[starts[:, None] + lanes])

    def read(self, averages: Averages, way: WeightedMemory) -> F64:
        """(hands,) CFVs of a best response of the player, who is bound as by `shut`, at the sequences that enter."""
        betting, found, root = self._end.whole.betting, dict[int, Any](), np.zeros(0)
        for segment in sorted({0, *(one.segment for one, _, _ in self._locked)}):
            cfvs = averages.action_cfvs(self._player, way, range(segment, segment + 1), BEST)
            root = cfvs.root
            for one, lanes, _ in self._locked:
                if one.segment == segment:
                    found[one.node] = cfvs.at(one.node, lanes)
        whole, out = self._end.whole, []
        for deal in self._end.deals:
            after, runs = int(whole.runs[self._player].before[deal]), whole.runs[self._player]
            rows = root if after == DEAL else found[int(betting.parent[after])][betting.action[after]]
            out.append(rows[whole.boards.above(self._end.layer, layer_of_last_choice(betting, runs, deal))])
        cfv = np.concatenate(out)
        cfv[~first_of_each(self._at)] = 0.0  # where one sequence leads to two deals it is counted once
        return cfv


def check_method(method: Minimiser, iterations: int | None) -> None:
    """Reject the linear program and methods with predictions, which the compact engine does not have."""
    if iterations is None or not has_compact_form(method):
        name = "lp" if iterations is None else method.name
        raise InputError(
            f"in a spot this large the game below the limit is solved by iterations of cfr, cfr+ or dcfr, not by {name}"
        )


def paid_beyond(betting: BettingTree, deals: list[int]) -> tuple[Flags, BettingTree]:
    """(nodes,) whether each betting node follows one of some deals, and the betting in which only these nodes pay."""
    follows = np.zeros(betting.nodes, np.bool_)
    for deal in deals:
        follows[deal + 1 : int(betting.end[deal])] = True
    paid: Any = {name: np.where(follows, getattr(betting, name), 0.0) for name in ("win", "lose", "tie")}
    return follows, replace(betting, **paid)


def above_of(runs: HandTreeplex, places: I64) -> I64:
    """(hands,) the next of these sequences on the path to the root; 0 without one."""
    tree = runs.tree
    among = np.zeros(tree.size, np.bool_)
    among[places] = True
    found = np.zeros(len(places), np.int64)
    climbing, now = np.arange(len(places)), places.copy()
    while len(climbing):
        now = tree.arrays.parent[tree.owner[now]].astype(np.int64)
        found[climbing[among[now]]] = now[among[now]]
        goes_on = ~among[now] & (now > 0)
        climbing, now = climbing[goes_on], now[goes_on]
    return found


def first_of_each(numbers: I64) -> Flags:
    """(n,) whether each of (n,) numbers occurs for the first time."""
    out = np.zeros(len(numbers), np.bool_)
    out[np.unique(numbers, return_index=True)[1]] = True
    return out
