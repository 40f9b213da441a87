"""Plans of a spot on the compact engine: strategies are stored averages under locks, read one branch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.display import brief
from counterplay.errors import InputError
from counterplay.poker.compact.averages import Averages, ReadNumbers, SequenceReader
from counterplay.poker.compact.compact_run import CompactRun, has_compact_form
from counterplay.poker.compact.compact_solve import solve_run
from counterplay.poker.compact.compact_sweeps import TrunkEntry, Ways
from counterplay.poker.compact.kernels.sweep_records import BEST, VALUE
from counterplay.poker.compact.layout.compact_layout import CompactLayout, layout_of
from counterplay.poker.compact.layout.segments import SegmentDecision
from counterplay.poker.compact.strategy_memory import RowLocks, WeightedMemory, new_memory, without_regrets
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans
from counterplay.poker.public_tree.boards import IsomorphicBoards
from counterplay.poker.public_tree.hand_treeplex import PublicNode, layer_of_last_choice
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.solvers.cfr import Progress, Solution, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser
from counterplay.subgames.plan_store import Branch, GamePlans, SolvedGap, lanes_before, lanes_inside
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust, Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.treeplex import Treeplex

_MOST_WAYS = 2


@dataclass(frozen=True, eq=False)
class CompactPlans:
    """Averages of the compact engine as a plan store of the tree of all boards.

    A strategy that was solved with isomorphic suits dealt once is written out on all boards when decisions of it are
    changed or bound: hands and boards alike may then differ.

    Attributes:
        averages: the strategies, on the boards that are dealt.
        known: whose strategies are known; the other one's stands for none, as of a blueprint of one player.
    """

    tree: PublicTree
    averages: Averages
    known: tuple[int, ...] = (0, 1)
    _cfvs: dict[int, ReadNumbers] = field(default_factory=dict, init=False, repr=False)
    _spreads: dict[int, Ways] = field(default_factory=dict, init=False, repr=False)

    def knows(self, player: int) -> bool:
        return player in self.known

    def only(self, player: int) -> CompactPlans:
        """The same where one player's strategy is known, and the other's is not."""
        return replace(self, known=(player,))

    @cached_property
    def reader(self) -> SequenceReader:
        return SequenceReader(self.tree, self.averages)

    def behaviour(self, player: int) -> ReadNumbers:
        return self.reader.behaviour(player)

    def reach(self, player: int) -> ReadNumbers:
        return self.reader.reach(player)

    def value(self, player: int) -> float:
        return self.averages.value(player)

    def best_value(self, player: int) -> float:
        return self.averages.best_value(player)

    def gap(self) -> tuple[float, float]:
        return self.averages.gap()

    def digest(self) -> str:
        return self.averages.digest()

    def cfvs(self, player: int) -> ReadNumbers:
        """(size,) CFVs of a player's best response."""
        if player not in self._cfvs:  # a segment's are kept, for the next subtree
            self._cfvs[player] = self.on_all_boards.reader.cfvs(player, BEST)
        return self._cfvs[player]

    def profile_cfvs(self, player: int) -> ReadNumbers:
        """(size,) CFVs of a player's own strategy."""
        return self.on_all_boards.reader.cfvs(player, VALUE)

    def values_at(self, player: int, part: PublicNode) -> F64:
        return self._cfvs_below(player, part, [None])[:, 0]

    def action_values_at(self, part: PublicNode) -> F64:
        player, after = int(self.tree.betting.kind[part.node]), self.tree.betting.children(part.node)
        if len(after) == 1:  # the only action is no decision
            return self.values_at(player, part)[:, None]
        return self._cfvs_below(player, part, list(range(len(after))))

    def _cfvs_below(self, player: int, part: PublicNode, actions: Sequence[int | None]) -> F64:
        """(hands, rows) CFVs of a player below a node, by hand of its board: of actions, or for None of coming there; NaN
        for hands that are not in the player's range at the start."""
        layout = CompactLayout(self.tree.betting, self.averages.layout.tables, part.node)
        dealt, first = layout.boards, self.tree.boards.layers[part.layer].first
        lanes = self.reader.lanes[part.layer][first[part.board] : first[part.board + 1]]
        begins = dealt.first(part.layer)
        board = int(np.searchsorted(begins, lanes[0], "right")) - 1
        inside, count = lanes - begins[board], int(begins[board + 1] - begins[board])
        rows = layout.segments[-1].entered[part.node]
        mine, other = (layout.own[side].of_board(part.layer, board) for side in (player, 1 - player))
        theirs, last, places = [], int(self.tree.runs[1 - player].before[part.node]), self._places(1 - player, part)
        for way in self.averages.sides[1 - player]:
            reach = np.zeros(count)
            reach[inside] = self.reader.reach_in(1 - player, way, last, places)
            theirs.append(reach[other])
        entry = TrunkEntry((rows[0], rows[1]), np.zeros(len(mine)), tuple(theirs))
        cfvs = self.averages.below(player, layout, int(layout.tables.first[part.layer]) + board, entry)
        stride = layout.stride(part.layer, player)
        spread = dealt.layers[part.layer].first
        of_places = dealt.above(part.layer, part.layer)[spread[board] : spread[board + 1]] - begins[board]
        sharing = np.bincount(of_places, minlength=count)
        runs, columns = self.tree.runs[player], []
        for action in actions:
            row = rows[player] if action is None else self.averages.layout.decisions[part.node].row + action
            each = list[F64]()
            for one in cfvs:
                every = np.full(count, np.nan)
                every[mine] = one[row * stride : row * stride + len(mine)]
                each.append((every / sharing)[inside])
            if action is None:
                after, places = int(runs.before[part.node]), self._places(player, part)
            else:
                after = int(self.tree.betting.children(part.node)[action])
                places = np.arange(first[part.board], first[part.board + 1])
            columns.append(self.reader.joined(player, self.averages.sides[player], after, places, each))
        return np.stack(columns, axis=1)

    def _places(self, player: int, part: PublicNode) -> I64:
        """(hands of the board,) the places where their player's last choice before a node was made."""
        tree, first = self.tree, self.tree.boards.layers[part.layer].first
        up = tree.boards.above(part.layer, layer_of_last_choice(tree.betting, tree.runs[player], part.node))
        return up[first[part.board] : first[part.board + 1]]

    @property
    def on_all_boards(self) -> CompactPlans:
        """The same with every board dealt."""
        # A reference to itself would keep it until cycles are collected.
        return self._expanded if isinstance(self.averages.layout.boards, IsomorphicBoards) else self

    @cached_property
    def _expanded(self) -> CompactPlans:
        """The same where isomorphic suits are dealt once, expanded to every board."""
        averages = Averages(layout_of(self.tree), self.averages.precision, (self._every(0), self._every(1)))
        return replace(self, averages=averages)

    def _every(self, player: int) -> Ways:
        """The ways of a player with every board dealt, expanded once."""
        if not isinstance(self.averages.layout.boards, IsomorphicBoards):
            return self.averages.sides[player]
        if player not in self._spreads:
            averages = Averages(layout_of(self.tree), self.averages.precision, ((), ()))
            self._spreads[player] = tuple(
                averages.written(player, partial(self.reader.spread, player, way))[0]._replace(weight=way.weight)
                for way in self.averages.sides[player]
            )
        return self._spreads[player]

    def put(self, player: int, sequences: AnyArray, behaviour: F64) -> CompactPlans:
        """The same with other probabilities (n,) at some sequences (n,) of a player."""
        here = self.on_all_boards
        ways = tuple(
            way._replace(memory=here._changed(player, way, sequences, behaviour)) for way in here.averages.sides[player]
        )
        return replace(here, averages=here.averages.playing(player, ways))

    def bound(self, player: int, restriction: BranchRestriction) -> CompactPlans:
        """The same strategies in the game in which a player is bound as well."""
        here = self.on_all_boards
        if restriction.trust is None:
            raise InputError(
                "a player who follows a model with probability p is bound in a solve, not in a measurement"
            )
        return replace(here, averages=here.averages.choosing_under(player, here._known_locks(player, restriction)))

    def facing(self, player: int, others: GamePlans) -> CompactPlans:
        here, ways = self._beside(player, others)
        return here._playing(player, ways)

    def _playing(self, player: int, ways: Ways) -> CompactPlans:
        known = tuple(sorted({*self.known, player}))
        return replace(self, averages=self.averages.playing(player, ways), known=known)

    def with_behaviour(self, player: int, numbers: Numbers) -> CompactPlans:
        """The same where a player plays a behaviour by sequence, (size,)."""
        here = self.on_all_boards
        return here._playing(player, here._written(player, numbers))

    def with_choices(self, player: int, read: Callable[[int, I64], F64], *, keep: bool = True) -> CompactPlans:
        """The same where a player plays what is read: for a betting node and (n,) lanes of its layer, (actions, n).
        With `keep`, `read` is called later on for hands outside the range; else these play uniformly."""
        here = self.on_all_boards
        return here._playing(player, here.averages.written(player, read, keep=keep))

    def with_changes(self, player: int, change: Callable[[int, F64], F64]) -> CompactPlans:
        """The same with other probabilities at every decision of a player, on the boards that are dealt. `change` maps
        a betting node and its (actions, n) probabilities to new ones; hands alike are changed alike."""
        averages, ways = self.averages, self.averages.sides[player]
        if len(ways) > 1:  # decided before the game: by sequence they are one strategy
            here = self.with_behaviour(player, self.behaviour(player))
            return here.with_changes(player, change)

        def read(node: int, lanes: I64) -> F64:
            return change(node, averages.played(player, ways[0], node, lanes))

        return self._playing(player, averages.written(player, read))

    def best_response(self, player: int) -> CompactPlans:
        return self._playing(player, self.averages.best_response(player).sides[player])

    def mixed(self, player: int, others: GamePlans, weight: float) -> CompactPlans:
        """The same where a player may play as in another store, decided before the game."""
        here, other = self._beside(player, others)
        ours = here.averages.sides[player]
        both = [
            way._replace(weight=share * way.weight)
            for share, side in ((1.0 - weight, ours), (weight, other))
            for way in side
        ]
        both = [way for way in both if way.weight > 0.0]
        if len(both) > _MOST_WAYS:
            raise InputError(f"a strategy of the compact engine mixes at most {_MOST_WAYS} others")
        return replace(here, averages=here.averages.playing(player, tuple(both)))

    def _beside(self, player: int, others: GamePlans) -> tuple[CompactPlans, Ways]:
        """These strategies, and a player's from another store in their precision, both on the same boards."""
        if isinstance(others, CompactPlans) and others.averages.precision == self.averages.precision:
            if others.averages.layout is self.averages.layout:
                return self, others.averages.sides[player]
            return self.on_all_boards, others._every(player)
        here = self.on_all_boards
        return here, here._written(player, others.behaviour(player))

    def solved_against(
        self,
        player: int,
        restriction: BranchRestriction | None,
        p: float,
        method: Minimiser,
        stop: Stop,
        progress: Progress | None = None,
    ) -> tuple[CompactPlans, Solution]:
        own = restriction is None or (
            restriction.trust is None and self._ways_of(player, restriction.model) is not None
        )
        here = self if own else self.on_all_boards
        opponents = None if restriction is None else here.opponents(player, restriction, p)
        averages, solution = here._solved(player, opponents, method, stop, progress)
        if opponents is not None and len(opponents) > 1:  # what two opponents do is not asked, and takes memory
            averages = averages.playing(player, here.averages.sides[player])
        return replace(here, averages=averages), solution

    @cached_property
    def arrays(self) -> ArraySpotPlans:
        """The same as arrays of the whole tree; an `InputError` if they do not fit in memory."""
        tree = self.tree
        size_of(tree.betting, tree.boards.cards, shown=True).check()
        return ArraySpotPlans.of_tree(tree, (self.reach(0)[:], self.reach(1)[:]))

    def strategy(self, player: int) -> Strategy:
        """The whole of a player's strategy, read from here."""
        found: Any = StoredStrategy(self, player)
        return found  # type: ignore[no-any-return]

    def solved(
        self, player: int, branches: Sequence[Branch], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[Any, SolvedGap]:
        """The game solved again around decisions that stand; by `lp`, and by methods that the engine does not have, with
        arrays."""
        method = None if solver == "lp" else minimiser(solver)
        if method is None or not has_compact_form(method):
            return self.arrays.solved(player, branches, solver, stop, beside=beside)
        here, tree = self.on_all_boards, self.tree.runs[player].tree
        standing = lanes_before(tree, branches) if beside else ~lanes_inside(tree, branches)
        stand = here.standing(player, np.flatnonzero(standing), here.behaviour(player))
        averages, found = here._solved(player, stand, method, stop)
        return replace(here, averages=averages), SolvedGap(found.nash_conv, found.interrupted)

    def _known_locks(self, player: int, restriction: BranchRestriction) -> RowLocks:
        locks = _LOCKS.get(restriction)
        if locks is None or locks.layout is not self.averages.layout:
            locks = _LOCKS[restriction] = self._locks(player, restriction)
        return locks

    def _locks(self, player: int, restriction: BranchRestriction) -> RowLocks:
        """The locks of trust by infoset; these plans are of all boards."""
        assert restriction.trust is not None
        runs, layout, trust = self.tree.runs[player], self.averages.layout, restriction.trust

        def trusted() -> Iterator[tuple[SegmentDecision, I64, F64]]:
            for node, decision in self.averages.layout.decisions.items():
                if decision.player == player:
                    first = int(runs.lane[node])
                    span = trust.span(first, first + self.tree.boards.lanes(decision.layer))
                    if span is not None:
                        yield decision, np.flatnonzero(span > 0.0), span

        none = RowLocks.none(layout, player, self.averages.precision)
        locks = none.with_room((one, lanes) for one, lanes, _ in trusted())
        for one, lanes, span in trusted():
            must = span[lanes] * self._choices(player, one.node, lanes, restriction.model)
            locks.write(one, lanes, 1.0 - span[lanes], must)
        return locks

    def _choices(self, player: int, node: int, lanes: I64, numbers: Any) -> F64:
        """(actions, n) numbers by sequence at a decision of a player."""
        start, children = self.tree.runs[player].start, self.tree.betting.children(node)
        return np.stack([numbers[int(start[child]) + lanes] for child in children])

    def _changed(self, player: int, way: WeightedMemory, sequences: AnyArray, behaviour: F64) -> Any:
        """The memory of a way of a player with other probabilities (n,) at some sequences (n,)."""
        tree, runs, layout = self.tree, self.tree.runs[player], self.averages.layout
        order = np.argsort(sequences, kind="stable")  # of one that comes twice the last counts
        ordered = sequences[order]

        def touched() -> Iterator[tuple[SegmentDecision, I64, list[tuple[int, I64]]]]:
            for node, decision in self.averages.layout.decisions.items():
                if decision.player == player:
                    places = tree.boards.lanes(decision.layer)
                    inside = []
                    for child in tree.betting.children(node):
                        start = int(runs.start[child])
                        low, high = np.searchsorted(ordered, (start, start + places)).tolist()
                        inside.append((start, order[low:high]))
                    lanes = np.unique(np.concatenate([sequences[k] - start for start, k in inside]))
                    if len(lanes):
                        yield decision, lanes, inside

        locks = RowLocks.of_memory(layout, player, way.memory).with_room((one, lanes) for one, lanes, _ in touched())
        for one, lanes, inside in touched():
            must = self.averages.played(player, way, one.node, lanes)
            for row, (start, k) in zip(must, inside, strict=True):
                row[np.searchsorted(lanes, sequences[k] - start)] = behaviour[k]
            locks.write(one, lanes, np.zeros(len(lanes)), must)
        return locks.bind(way.memory)

    def _ways_of(self, player: int, model: Any) -> Ways | None:
        """The ways of a strategy by sequence that stands on the boards that are dealt here; else None."""
        averages, whose = getattr(model, "source", None) or (None, None)
        if whose != player or averages is None or averages.layout is not self.averages.layout:
            return None
        ways: Ways = averages.sides[player]
        return ways if averages.precision == self.averages.precision else None

    def standing(self, player: int, lanes: I64, behaviour: Numbers) -> Ways:
        """The way of a player whose (n,) infosets stand as in a (size,) behaviour, and who is free elsewhere."""
        found = self._locks(player, BranchRestriction(behaviour, LaneTrust(lanes, np.ones(len(lanes)))))
        return (WeightedMemory(1.0, found.bind(self._new(player))),)

    def free(self, player: int) -> Ways:
        return (WeightedMemory(1.0, self._new(player)),)

    def opponents(self, player: int, restriction: BranchRestriction, p: float) -> Ways:
        """The ways of a player who is bound with probability p, decided before the game, and else free. A plan scope has its
        own probability."""
        if restriction.trust is None:
            # The memory of a strategy that stands here is played whatever the regrets; others are written.
            own, p = self._ways_of(player, restriction.model), restriction.p
            alone = own is not None and len(own) == 1
            model = (
                without_regrets(own[0].memory) if own and alone else self._written(player, restriction.model)[0].memory
            )
            ways = WeightedMemory(1.0 - p, self._new(player)), WeightedMemory(p, model)
            return ways if p < 1.0 else ways[1:]
        bound = self._known_locks(player, restriction)
        if p == 1.0:
            return (WeightedMemory(1.0, bound.bind(self._new(player))),)
        return WeightedMemory(1.0 - p, self._new(player)), WeightedMemory(p, bound.bind(self._new(player)))

    def _new(self, player: int) -> Any:
        return new_memory(self.averages.layout, player, self.averages.precision)

    def _written(self, player: int, numbers: Any) -> Ways:
        """A strategy given by sequence, as stored averages."""
        return self.averages.written(player, lambda node, lanes: self._choices(player, node, lanes, numbers))

    def _solved(
        self, player: int, ways: Ways | None, method: Minimiser, stop: Stop, progress: Progress | None = None
    ) -> tuple[Averages, Solution]:
        """The spot solved where a player plays in some ways, None for free, and the other one is free."""
        layout, precision = self.averages.layout, self.averages.precision
        mine, theirs = ways or self.free(player), self.free(1 - player)
        sides = (mine, theirs) if player == 0 else (theirs, mine)
        run = CompactRun(layout, method, precision, sides, self.averages.sweeps)
        solution = solve_run(run, stop, progress)
        return Averages.of_run(run), solution


_LOCKS: WeakKeyDictionary[BranchRestriction, RowLocks] = WeakKeyDictionary()
"""One restriction is measured many times."""


@dataclass(frozen=True, eq=False)
class StoredStrategy:
    """A strategy in a store; it has the members of a `Strategy`, whose numbers are read branch
    by branch. counts: (lanes,) observations at each infoset, of a model made from data; None otherwise."""

    plans: CompactPlans
    player: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    counts: F64 | None = None

    def __repr__(self) -> str:
        facts = [f"{word} {self.facts[word]}" for word in ("game", "method") if word in self.facts]
        return brief(self, f"of player {self.player}", *facts, f"{self.plans.tree.infosets(self.player):,} infosets")

    @property
    def tree(self) -> Treeplex:
        """The player's treeplex, which takes memory for every infoset."""
        return self.plans.tree.runs[self.player].tree

    @property
    def behaviour(self) -> ReadNumbers:
        """(size,) probabilities of actions."""
        return self.plans.behaviour(self.player)

    @property
    def plan(self) -> ReadNumbers:
        """(size,) the realization plan."""
        return self.plans.reach(self.player)

    @property
    def whole(self) -> Strategy:
        """The same as arrays; the caller knows that they fit."""
        return Strategy(self.tree, np.asarray(self.behaviour[:]), self.facts, self.counts)

    def save(self, path: str | Path) -> None:
        """Refused with an `InputError`: a list of all infosets by text would be far larger than the store."""
        raise large_strategy(path)


def large_strategy(path: str | Path) -> InputError:
    """The refusal to list all infosets of a large spot."""
    return InputError(
        f"cannot write {path}: a strategy of a spot this large is saved with the other player's, in a .spot file"
    )
