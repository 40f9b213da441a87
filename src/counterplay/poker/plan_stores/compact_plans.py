"""Plans of a spot on the compact engine: strategies are stored averages under locks, read one branch at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError
from counterplay.poker.compact.averages import Averages
from counterplay.poker.compact.compact_bindings import Bindings
from counterplay.poker.compact.compact_run import has_compact_form
from counterplay.poker.compact.compact_sweeps import TrunkEntry, Ways
from counterplay.poker.compact.kernels.sweep_records import BEST, VALUE
from counterplay.poker.compact.layout.compact_layout import CompactLayout
from counterplay.poker.compact.sequence_reader import ReadNumbers, SequenceReader
from counterplay.poker.plan_stores.spot_plans import ArraySpotPlans, SpotSolve
from counterplay.poker.plan_stores.stored_strategy import StoredStrategy
from counterplay.poker.public_tree.boards import tables_of
from counterplay.poker.public_tree.hand_treeplex import layer_of_last_choice
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree, boards_of
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.public_tree.suit_isomorphism import IsomorphicBoards
from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Minimiser, Solver, minimiser
from counterplay.subgames.plan_store import Branch, GamePlans, SolvedGap, lanes_before, lanes_inside
from counterplay.treeplex.branch_restriction import BranchRestriction, Numbers
from counterplay.treeplex.strategy import Strategy

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
        """(hands,) CFVs in a part of the tree (see `SpotPlans`)."""
        return self._below.cfvs(player, part, [None])[:, 0]

    def action_values_at(self, part: PublicNode) -> F64:
        """(hands, actions) CFVs of the player to act, by action (see `SpotPlans`)."""
        player, after = int(self.tree.betting.kind[part.node]), self.tree.betting.children(part.node)
        if len(after) == 1:  # the only action is no decision
            return self.values_at(player, part)[:, None]
        return self._below.cfvs(player, part, list(range(len(after))))

    @property
    def _below(self) -> PartValues:
        return PartValues(self.tree, self.reader)

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
            way._replace(memory=here.bindings.changed(player, way, sequences, behaviour))
            for way in here.averages.sides[player]
        )
        return replace(here, averages=here.averages.playing(player, ways))

    def bound(self, player: int, restriction: BranchRestriction) -> CompactPlans:
        """The same strategies in the game in which a player is bound as well."""
        here = self.on_all_boards
        if restriction.trust is None:
            raise InputError(
                "a player who follows a model with probability p is bound in a solve, not in a measurement"
            )
        return replace(here, averages=here.averages.choosing_under(player, here.bindings.locks(player, restriction)))

    def facing(self, player: int, others: GamePlans) -> CompactPlans:
        """The same with a player's strategy from another store."""
        here, ways = self._beside(player, others)
        return here._playing(player, ways)

    def _playing(self, player: int, ways: Ways) -> CompactPlans:
        known = tuple(sorted({*self.known, player}))
        return replace(self, averages=self.averages.playing(player, ways), known=known)

    def with_behaviour(self, player: int, numbers: Numbers) -> CompactPlans:
        """The same where a player plays a behaviour by sequence, (size,)."""
        here = self.on_all_boards
        return here._playing(player, here.bindings.written(player, numbers))

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
        """The same where a player plays a best response."""
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
        """These strategies and a player's from another store, both on all boards unless both are dealt the same ones; in the
        precision of these."""
        if isinstance(others, CompactPlans) and others.averages.precision == self.averages.precision:
            if others.averages.layout is self.averages.layout:
                return self, others.averages.sides[player]
            return self.on_all_boards, others._every(player)
        here = self.on_all_boards
        return here, here.bindings.written(player, others.behaviour(player))

    def solved_against(
        self,
        player: int,
        restriction: BranchRestriction | None,
        p: float,
        method: Minimiser,
        stop: Stop,
        progress: Progress | None = None,
    ) -> tuple[CompactPlans, SpotSolve]:
        """The spot solved again (see `SpotPlans`)."""
        here = self if restriction is None or self.bindings.is_own(player, restriction) else self.on_all_boards
        opponents = None if restriction is None else here.bindings.opponents(player, restriction, p)
        averages, found = here.bindings.solved(player, opponents, method, stop, progress)
        if opponents is not None and len(opponents) > 1:  # what two opponents do is not asked, and takes memory
            averages = averages.playing(player, here.averages.sides[player])
        return replace(here, averages=averages), SpotSolve(found.value, found.nash_conv, found.interrupted)

    @cached_property
    def bindings(self) -> Bindings:
        return Bindings(self.tree, self.averages)

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
        stand = here.bindings.standing(player, np.flatnonzero(standing), here.behaviour(player))
        averages, found = here.bindings.solved(player, stand, method, stop)
        return replace(here, averages=averages), SolvedGap(found.nash_conv, found.interrupted)


@dataclass(frozen=True, eq=False)
class PartValues:
    """CFVs below nodes of the tree of all boards."""

    tree: PublicTree
    reader: SequenceReader

    @property
    def averages(self) -> Averages:
        return self.reader.averages

    def cfvs(self, player: int, part: PublicNode, actions: Sequence[int | None]) -> F64:
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
            row = rows[player] if action is None else self.averages.decisions[part.node][1].row + action
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


_LAYOUTS: WeakKeyDictionary[PublicTree, dict[bool, CompactLayout]] = WeakKeyDictionary()


def layout_of(tree: PublicTree, *, alike: bool = False) -> CompactLayout:
    """The layout of a tree of all boards, computed once, so that strategies of it can be met without being moved; with
    `alike` isomorphic suits are dealt once."""
    known = _LAYOUTS.setdefault(tree, {})
    if alike not in known:
        boards = boards_of(tree.betting, tree.boards.cards, alike=True) if alike else None
        folded = isinstance(boards, IsomorphicBoards)
        if alike and not folded:
            return layout_of(tree)
        known[alike] = CompactLayout(tree.betting, tables_of(boards) if boards is not None else tree.tables)
    return known[alike]
