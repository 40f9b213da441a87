"""Matrix-valued states on ranges (Milec et al. 2025): at the end of a street each hand of both players chooses one of a
portfolio of strategies to continue; the value of a pair of choices is a sweep of the rest of the tree. In a large spot
strategies are stores, and what follows all deals on all boards is swept at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.leaves.plan_mixture import MixtureMap, PlanMixture
from counterplay.poker.compact.strategy_memory import WeightedMemory
from counterplay.poker.plan_stores.compact_plans import CompactPlans, StoredStrategy
from counterplay.poker.public_tree.hand_treeplex import DEAL, choices, has_choice, layer_of
from counterplay.poker.subtrees.street_limit import StreetEnd
from counterplay.problem.subgame import Subgame
from counterplay.solvers.cfr import Solution
from counterplay.solvers.equilibrium import has_no_choice
from counterplay.subgames.cut_game import ContinuationChoices
from counterplay.treeplex.restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import best, reach, zeros_of
from counterplay.treeplex.treeplex import Treeplex

T = TypeVar("T")


class BorderChoices(NamedTuple):
    """One player's choices at the end of a street: the treeplex with them, their sequences, (border hands,) the sequence of
    the whole tree that leads to each hand, for each deal the first of its hands, and the layer of their boards."""

    tree: Treeplex
    choices: ContinuationChoices
    came: I64
    first: dict[int, int]
    layer: int


@dataclass(frozen=True, eq=False)
class ContinuationProblem:
    """A look-ahead up to the end of a street, with both players' portfolios there. In `subgame` both are dealt from
    their ranges; the model is not in it. `spreads` map plans to the whole tree."""

    part: StreetEnd
    sides: tuple[BorderChoices, BorderChoices]
    spreads: tuple[MixtureMap, MixtureMap]
    subgame: Subgame

    def behaviour(self, player: int, whole: Numbers, *, model: bool = False) -> F64:
        """(size,) a behaviour of the whole tree, in the look-ahead; for a model, with its own continuation."""
        side = self.sides[player]
        came = reach(self.part.whole.runs[player].tree, whole[:])[side.came] if model else None
        return behaviour_at_border(self.part, side, whole, came)


def behaviour_at_border(part: StreetEnd, side: BorderChoices, whole: Numbers, came: F64 | None) -> F64:
    """(size,) a behaviour (whole size,) of the whole tree in a treeplex with choices at the end of a street; of a
    model, which continues apart, with `came`, its (border hands,) range there."""
    small, large = part.pairs(side.tree.player)
    out = np.zeros(side.tree.size)
    out[small] = whole[large]
    out[0] = 1.0
    if came is not None:
        side.choices.follow_model(out, came)
    return out


def add_continuations(
    part: StreetEnd, portfolios: tuple[Sequence[Strategy], Sequence[Strategy]], model: Strategy | None
) -> ContinuationProblem:
    """Add portfolios at the end of a street: strategies of oop and of ip in the whole tree. The model continues as
    itself."""
    betting, boards, small = part.whole.betting, part.whole.boards, part.subgame()
    sides, spreads = list[BorderChoices](), list[MixtureMap]()
    for player, runs in enumerate(part.whole.runs):
        modelled = model is not None and model.player == player
        portfolio, large = in_portfolio(portfolios[player], modelled=modelled), runs.tree
        side = border_choices(part, player, len(portfolio), modelled=modelled)
        ways = [(strategy, side.choices.own[:, k]) for k, strategy in enumerate(portfolio)]
        ways += [(model, side.choices.apart[:, 0])] if model is not None and modelled else []
        # The player's sequences after the deals in the whole tree, and the border hand of each.
        after, hands = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for deal in part.deals:
            for node in range(deal, int(betting.end[deal])):
                if has_choice(betting, node, player):
                    up = boards.above(layer_of(betting, node), side.layer)
                    for child in betting.children(node):
                        after.append(int(runs.start[child]) + np.arange(len(up)))
                        hands.append(side.first[deal] + up)
        rows, hand = np.concatenate(after), np.concatenate(hands)
        inner, outer = part.pairs(player)
        parts: list[tuple[Any, Any, Any]] = [(outer, inner, np.ones(len(inner)))]
        inside = np.zeros(large.size, np.bool_)
        inside[rows] = True
        for strategy, sequences in ways:
            plan = reach(large, np.where(inside, strategy.behaviour, np.where(large.real, 1.0, 0.0)))
            parts.append((rows, sequences[hand], plan[rows]))
        spreads.append(MixtureMap.of(side.tree.size, large.size, parts))
        sides.append(side)
    restrictions = tuple(side.choices.closed(side.tree, small.restrictions[i]) for i, side in enumerate(sides))
    leaves = PlanMixture(part.whole.leaves, (spreads[0], spreads[1]))
    subgame = Subgame((sides[0].tree, sides[1].tree), leaves, (restrictions[0], restrictions[1]))
    return ContinuationProblem(part, (sides[0], sides[1]), (spreads[0], spreads[1]), subgame)


def border_choices(part: StreetEnd, player: int, count: int, *, modelled: bool) -> BorderChoices:
    """Let each of a player's hands choose among `count` continuations, and a model's go on apart."""
    whole, boards = part.whole, part.whole.boards
    large, small = whole.runs[player], part.runs[player]
    before = choices(part.betting, player)[0]
    parents, came = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    starts: dict[int, int] = {}
    number = {int(node): k for k, node in enumerate(part.nodes.tolist())}
    reached, border = 0, 0
    for deal in part.deals:
        border = layer_of(whole.betting, deal) + 1
        after = int(before[number[deal]])
        made = 0 if after < 0 else layer_of(part.betting, int(part.betting.parent[after]))
        up = boards.above(border, made)
        parents.append(int(small.start[after]) + up)
        came.append(int(large.start[part.nodes[after] if after >= 0 else after]) + up)
        starts[deal] = reached
        reached += len(up)
    tree, made_choices = ContinuationChoices.after(small.tree, np.concatenate(parents), count, modelled=modelled)
    return BorderChoices(tree, made_choices, np.concatenate(came), starts, border)


def in_portfolio(portfolio: Sequence[T], *, modelled: bool) -> list[T]:
    """The strategies between which a player chooses, at least two in front of a model: then it is a decision."""
    return [*portfolio, *portfolio] if modelled and len(portfolio) == 1 else list(portfolio)


_ROWS = 1 << 22
"""Numbers in the rows of what is swept at once: 32 MiB."""


class _Way(NamedTuple):
    """A way to continue, and (border hands,) the sequences by which hands choose it."""

    memory: WeightedMemory
    sequences: I64


class _BorderHands(NamedTuple):
    """A player's own hands after some deals on some boards: (k,) their numbers, and their places in rows of lanes."""

    hands: I64
    lanes: I64


class _Borders(NamedTuple):
    """Some deals on some boards: (n, 3) tasks of `Sweeps.each`, whose n-th rows hold the hands of both players."""

    tasks: I64
    sides: tuple[_BorderHands, _BorderHands]


@dataclass(frozen=True, eq=False)
class StoredContinuations:
    """A look-ahead up to the end of a street of a large spot, with portfolios there. `ways` of each player to continue
    end with that of the model; `plans` are strategies on all boards."""

    part: StreetEnd
    sides: tuple[BorderChoices, BorderChoices]
    ways: tuple[list[_Way], list[_Way]]
    plans: CompactPlans

    @staticmethod
    def of(
        plans: CompactPlans,
        part: StreetEnd,
        portfolios: tuple[Sequence[StoredStrategy], Sequence[StoredStrategy]],
        model: StoredStrategy | None,
    ) -> StoredContinuations:
        """The look-ahead of a part; arguments as of `continuations.add_continuations`, and any strategies of the spot."""
        here, sides, ways = plans.on_all_boards, list[BorderChoices](), list[list[_Way]]()
        for player, portfolio in enumerate(portfolios):
            modelled = model is not None and model.player == player
            listed = in_portfolio(portfolio, modelled=modelled)
            side = border_choices(part, player, len(listed), modelled=modelled)
            found = [_Way(_memory(here, one), side.choices.own[:, k]) for k, one in enumerate(listed)]
            if model is not None and modelled:
                found.append(_Way(_memory(here, model), side.choices.apart[:, 0]))
            sides.append(side)
            ways.append(found)
        return StoredContinuations(part, (sides[0], sides[1]), (ways[0], ways[1]), here)

    @cached_property
    def subgame(self) -> Subgame:
        """The problem, both dealt from their ranges, without the model: what is won before the end, and beyond it."""
        small, upper = self.part.subgame(), self.part.problem().leaves
        spreads = []
        for side, tree in zip(self.sides, small.trees, strict=True):
            same = np.arange(tree.size)
            spreads.append(MixtureMap.of(side.tree.size, tree.size, [(same, same, np.ones(tree.size))]))
        first, second = (
            side.choices.closed(side.tree, small.restrictions[player]) for player, side in enumerate(self.sides)
        )
        leaves = PlanMixture(upper, (spreads[0], spreads[1]))
        return Subgame(
            (self.sides[0].tree, self.sides[1].tree),
            leaves,
            (first, second),
            beyond=lambda plan0, plan1: (self.cfvs(0, plan1), self.cfvs(1, plan0)),
        )

    def behaviour(self, player: int, whole: Numbers, came: Numbers | None = None) -> F64:
        """(size,) a behaviour of the whole tree, in the look-ahead; for a model, with its own continuation. came: of a
        model, its plan of the whole tree."""
        side = self.sides[player]
        reach = None if came is None else came[side.came]
        return behaviour_at_border(self.part, side, whole, reach)

    def cfvs(self, player: int, theirs: F64) -> F64:
        """(size,) CFVs of a player's choices against a plan of the other; 0 elsewhere. They are linear in it."""
        asked = self._asked[player]
        if asked and np.array_equal(asked[0], theirs):  # players update in turn, and each asks for both
            return asked[1]
        out = np.zeros(self.sides[player].tree.size)
        sweeps, layout, layer = self.plans.averages.sweeps, self.plans.averages.layout, self.sides[0].layer
        stride = max(layout.stride(layer, side) for side in (0, 1))
        for borders in self._borders:
            mine, other = borders.sides[player], borders.sides[1 - player]
            met = [(way.memory, theirs[way.sequences[other.hands]]) for way in self.ways[1 - player]]
            met = [one for one in met if one[1].any()]
            for pair in (
                met[k : k + 2] for k in range(0, len(met), 2)
            ):  # all at once for each two ways of the other player
                rows = [zeros_of((len(borders.tasks) * stride,), np.dtype(np.float64)) for _ in pair]
                for row, (_, came) in zip(rows, pair, strict=True):
                    row[other.lanes] = came
                opponents = tuple(way for way, _ in pair)
                for way in self.ways[player]:
                    cfvs = sweeps.each(borders.tasks, player, way.memory.memory, opponents, rows, stride)
                    np.add.at(out, way.sequences[mine.hands], cfvs.ravel()[mine.lanes])  # hands may share a sequence
        asked[:] = theirs.copy(), out
        return out

    @cached_property
    def _asked(self) -> tuple[list[F64], list[F64]]:
        """By player the last plan of the other, and the CFVs against it."""
        return [], []

    @cached_property
    def _borders(self) -> list[_Borders]:
        """All deals and boards, in parts whose rows take little memory."""
        whole, layout, layer = self.part.whole, self.plans.averages.layout, self.sides[0].layer
        first, begin = whole.boards.layers[layer].first, int(layout.tables.first[layer])
        stride = max(layout.stride(layer, side) for side in (0, 1))
        every = [(deal, board) for deal in self.sides[0].first for board in range(len(first) - 1)]
        size = max(1, _ROWS // stride)
        found = []
        for some in (every[k : k + size] for k in range(0, len(every), size)):
            tasks = list[tuple[int, int, int]]()
            hands, lanes = (list[I64](), list[I64]()), (list[I64](), list[I64]())
            for row, (deal, board) in enumerate(some):
                tasks.append((layout.number[whole.betting.children(deal)[0]], begin + board, row))
                for side in (0, 1):
                    own = layout.own[side].of_board(layer, board)
                    hands[side].append(self.sides[0].first[deal] + first[board] + own)
                    lanes[side].append(row * stride + np.arange(len(own)))
            sides = [_BorderHands(np.concatenate(hands[side]), np.concatenate(lanes[side])) for side in (0, 1)]
            found.append(_Borders(np.array(tasks, np.int64), (sides[0], sides[1])))
        return found

    def played(self, player: int, plan: F64) -> Callable[[int, I64], F64]:
        """What a player plays in the whole tree by a plan (size,) of the look-ahead: for a betting node and (n,) lanes of
        its layer, (actions, n) probabilities; uniform where the plan has no reach."""
        betting, small = self.part.whole.betting, self.part.runs[player]
        number = {int(node): k for k, node in enumerate(self.part.nodes.tolist())}

        def read(node: int, lanes: I64) -> F64:
            if layer_of(betting, node) < self.sides[player].layer:
                starts = small.start[self.part.betting.children(number[node])].astype(np.int64)
                numbers = np.maximum(plan[starts[:, None] + lanes], 0.0)
            else:
                numbers = np.sum([self._reach(player, way, plan, node, lanes) for way in self.ways[player]], axis=0)
            total = numbers.sum(axis=0)
            even = np.full(numbers.shape, 1.0 / len(numbers))
            return np.asarray(np.divide(numbers, total, out=even, where=total > 0.0), np.float64)

        return read

    def _reach(self, player: int, way: _Way, plan: F64, node: int, lanes: I64) -> F64:
        """(actions, n) the plan of the actions at a decision beyond the end, of hands that continue in one way."""
        whole, side = self.part.whole, self.sides[player]
        betting, boards, layer = whole.betting, whole.boards, layer_of(whole.betting, node)
        after = int(whole.runs[player].before[node])
        decided = DEAL if after == DEAL else int(betting.parent[after])
        here = self.plans.averages.played(player, way.memory, node, lanes)
        if decided == DEAL or layer_of(betting, decided) < side.layer:
            deal = node
            while deal not in side.first:
                deal = int(betting.parent[deal])
            chosen = way.sequences[side.first[deal] + boards.above(layer, side.layer)[lanes]]
            return np.asarray(here * np.maximum(plan[chosen], 0.0))
        up = boards.above(layer, layer_of(betting, decided))[lanes]
        return np.asarray(here * self._reach(player, way, plan, decided, up)[betting.action[after]])


def _memory(plans: CompactPlans, strategy: StoredStrategy) -> WeightedMemory:
    """A strategy on all boards as one way to play, in the layout and the precision of some plans."""
    player = strategy.player
    found = plans.facing(player, strategy.plans)
    if len(found.averages.sides[player]) > 1:  # decided before the game: by sequence they are one strategy
        found = found.with_behaviour(player, found.behaviour(player))
    return found.averages.sides[player][0]


class FixedSolve:
    """The best response to an opponent who has no choice in a look-ahead with portfolios, whose values are linear; members
    as of `lookahead.search.Solve`."""

    finished, calls, iterations, bytes = True, 1, 0, 0

    def __init__(self, look: StoredContinuations, problem: Subgame, me: int) -> None:
        self._look, self._problem, self._me = look, problem, me

    def advance(self) -> Solution:
        """The response, and the opponent's plan."""
        problem, me = self._problem, self._me
        own, other, bound = problem.trees[me], problem.trees[1 - me], problem.restrictions[me]
        theirs = problem.restrictions[1 - me].played(other, other.uniform())
        cfv, choice = problem.leaves.product(me, theirs) + self._look.cfvs(me, theirs), np.zeros(own.size)
        best(own.arrays, bound.keep, bound.mix, cfv, choice)
        mine = bound.played(own, choice)
        plans = (mine, theirs) if me == 0 else (theirs, mine)
        return Solution(plans, float(cfv[0]) if me == 0 else -float(cfv[0]), 0.0, "sweep", 0, 0.0)


def is_fixed(problem: Subgame, player: int) -> bool:
    """Return whether a player has no choice in a look-ahead with portfolios."""
    return has_no_choice(replace(problem, beyond=None), player)
