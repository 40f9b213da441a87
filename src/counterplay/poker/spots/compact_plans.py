"""Plans of a spot on the compact engine: read from the stored averages, one branch at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay.poker.compact.compact_layout import CompactLayout
from counterplay.poker.compact.compact_run import STILL, CompactRun
from counterplay.poker.compact.compact_sweeps import Sweeps
from counterplay.poker.compact.segments import SegmentDecision
from counterplay.poker.compact.street_kernels import VALUE
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of, runs_of, sequences_to, shape_of
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.public_tree.size_estimate import size_of
from counterplay.poker.public_tree.suit_isomorphism import IsomorphicBoards
from counterplay.poker.spots.spot_plans import ArraySpotPlans
from counterplay.solvers.cfr import Stop
from counterplay.solvers.minimiser import Solver
from counterplay.subgames.branch_lanes import Branch
from counterplay.subgames.plan_store import GamePlans, SolvedGap
from counterplay.treeplex.strategy import Strategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Read:
    """Numbers by sequence, computed when they are asked for.

    Attributes:
        size: length of the whole.
        read: (n,) numbers of (n,) sequences.
    """

    size: int
    read: Callable[[Ints], Floats]

    def __getitem__(self, sequences: Any) -> Any:
        """The numbers of some sequences: a slice, a number, or an array of any shape."""
        asked = np.arange(self.size)[sequences] if isinstance(sequences, slice) else np.asarray(sequences)
        found = self.read(asked.ravel().astype(np.int64)).reshape(asked.shape)
        return found if asked.ndim else float(found)

    def __len__(self) -> int:
        return self.size


@dataclass(frozen=True, eq=False)
class CompactPlans:
    """Averages of the compact engine as a plan store of the tree of all boards.

    What one branch answers is computed from it; what changes a whole strategy is done with arrays of the whole tree
    (`ArraySpotPlans`), if there is memory for them.

    Attributes:
        tree: the tree of all boards.
        run: the averages, on the boards that are dealt.
    """

    tree: PublicTree
    run: CompactRun

    def knows(self, player: int) -> bool:
        """Both strategies are known."""
        return player in (0, 1)

    def behaviour(self, player: int) -> Any:
        """(size,) the behaviour strategy of a player."""
        return _Read(self._sizes[player], lambda sequences: self._each(player, sequences, self._probability))

    def reach(self, player: int) -> Any:
        """(size,) the realization plan of a player."""
        return _Read(self._sizes[player], lambda sequences: self._each(player, sequences, self._reach))

    def value(self, player: int) -> float:
        """Chips of a player."""
        return self.run.value_of(player, best=False)

    def best_value(self, player: int) -> float:
        """Chips of a player's best response."""
        return self.run.value_of(player, best=True)

    def gap(self) -> tuple[float, float]:
        """NashConv, and the value of player 0 in the middle of its bounds."""
        return self.run.gap()

    def digest(self) -> str:
        """A digest of the averages."""
        found = hashlib.sha256()
        for memory in self.run.memories:
            found.update(memory.total.tobytes())
        return found.hexdigest()[:16]

    def values_at(self, player: int, part: PublicNode) -> Floats:
        """(hands,) CFVs in a part of the tree (see `SpotPlans`)."""
        return self._part(player, part, lambda rows: [rows[player]])[:, 0]

    def action_values_at(self, part: PublicNode) -> Floats:
        """(hands, actions) CFVs of the player to act, by action (see `SpotPlans`)."""
        player, after = int(self.tree.betting.kind[part.node]), self.tree.betting.children(part.node)
        if len(after) == 1:  # the only action is no decision
            return self.values_at(player, part)[:, None]
        decision = self._decision(part.node)
        return self._part(player, part, lambda _: [decision.row + k for k in range(len(after))])

    @cached_property
    def _sizes(self) -> list[int]:
        """Lengths of both players' plans on all boards."""
        betting, boards = self.tree.betting, self.tree.boards
        lanes = [boards.lanes(layer) for layer in range(len(boards.layers))]
        return [shape_of(betting, player, lanes).size for player in (0, 1)]

    @cached_property
    def _decisions(self) -> dict[int, tuple[int, SegmentDecision]]:
        """The segment and the decision of each betting node where there is a choice."""
        return {one.node: (k, one) for k, segment in enumerate(self.run.layout.whole) for one in segment.decisions}

    def _decision(self, node: int) -> SegmentDecision:
        return self._decisions[node][1]

    @cached_property
    def _lanes(self) -> list[Ints]:
        """Per layer (places of all boards,) the lane that represents each hand."""
        dealt, boards = self.run.layout.boards, self.tree.boards
        if isinstance(dealt, IsomorphicBoards):
            return [dealt.lane_of_all(boards, layer) for layer in range(len(boards.layers))]
        return [np.arange(layer.places) for layer in boards.layers]

    def _each(self, player: int, sequences: Ints, read: Callable[[int, int, Ints], Floats]) -> Floats:
        """Numbers of sequences by the betting node that they lead to. read: (player, node, places on all boards)."""
        runs, out = self.tree.runs[player], np.zeros(len(sequences))
        nodes = np.flatnonzero(runs.start[:DEAL] >= 0)
        starts = np.append(runs.start[nodes], runs.start[DEAL])
        order = np.argsort(starts)
        nodes, starts = np.append(nodes, DEAL)[order], starts[order]
        at = np.searchsorted(starts, sequences, "right") - 1
        out[sequences == 0] = 1.0
        for k in np.unique(at[at >= 0]).tolist():
            here = at == k
            out[here] = read(player, int(nodes[k]), sequences[here] - starts[k])
        return out

    def _probability(self, player: int, after: int, places: Ints) -> Floats:
        """Of the action that leads to a node, or of the deal: held, and from the second half of the places on not held."""
        boards, betting = self.tree.boards, self.tree.betting
        if after == DEAL:
            return self._dealt(player, places)
        segment, decision = self._decisions[int(betting.parent[after])]
        layer = self.run.layout.whole[segment].layer
        found, inside = np.zeros(len(places)), places < boards.lanes(layer)
        numbers = self._stored(player, segment, decision, self._lanes[layer][places[inside]])
        total = numbers.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[inside] = np.where(total > 0.0, numbers[betting.action[after]] / total, 1.0 / decision.actions)
        return found

    def _stored(self, player: int, segment: int, decision: SegmentDecision, lanes: Ints) -> Floats:
        """(actions, lanes) the stored averages of a decision."""
        layout, layer = self.run.layout, self.run.layout.whole[segment].layer
        first = layout.boards.first(layer)
        board = np.searchsorted(first, lanes, "right") - 1
        begin, width = layout.rows_of(player, segment, board)
        at = begin + (decision.row - 1) * width + lanes - first[board]
        return np.asarray(
            self.run.memories[player].total[at + np.arange(decision.actions)[:, None] * width], np.float64
        )

    def _dealt(self, player: int, places: Ints) -> Floats:
        cards, hands = self.tree.boards.cards, self.tree.boards.lanes(0)
        width = int(self.tree.runs[player].start[DEAL])
        width = runs_of(self.tree.betting, self.tree.boards, self.tree.runs[player])[1][0] - width
        weights = cards.weights[player][self.tree.boards.layers[0].hand]
        found = np.zeros(len(places))
        held, gone = places < hands, (places >= width) & (places < width + hands)
        found[held], found[gone] = weights[places[held]], 1.0 - weights[places[gone] - width]
        return found

    def _reach(self, player: int, after: int, places: Ints) -> Floats:
        """The plan of the action that leads to a node, hand by hand: along the path, probabilities times each other."""
        boards, betting, runs = self.tree.boards, self.tree.betting, self.tree.runs[player]
        if after == DEAL:
            return self._dealt(player, places)
        node = int(betting.parent[after])
        before, layer = int(runs.before[node]), layer_of(betting, node)
        found, inside = np.zeros(len(places)), places < boards.lanes(layer)
        kept = places[inside]
        up = boards.above(layer, 0 if before == DEAL else layer_of(betting, int(betting.parent[before])))[kept]
        found[inside] = self._probability(player, after, kept) * self._reach(player, before, up)
        return found

    def _part(self, player: int, part: PublicNode, rows_asked: Callable[[tuple[int, int]], list[int]]) -> Floats:
        """(hands, rows) CFVs of a player below a node, for the hands of its board, at rows of its segment."""
        layout = CompactLayout(self.tree.betting, self.run.layout.tables, part.node)
        dealt, first = layout.boards, self.tree.boards.layers[part.layer].first
        lanes = self._lanes[part.layer][first[part.board] : first[part.board + 1]]
        begins = dealt.first(part.layer)
        board = int(np.searchsorted(begins, lanes[0], "right")) - 1
        inside, count = lanes - begins[board], int(begins[board + 1] - begins[board])
        rows = layout.segments[-1].entered[part.node]
        reaches = np.zeros((2, count))
        for who in (0, 1):
            came = sequences_to(self.tree.betting, self.tree.boards, self.tree.runs[who], part.node, part.layer)
            reaches[who, inside] = self.reach(who)[came[first[part.board] : first[part.board + 1]]]
        sweeps = Sweeps(layout, len(layout.segments) - 1, int(layout.tables.first[part.layer]) + board)
        level = sweeps(player, VALUE, self.run.memories, STILL, rows, (reaches[0], reaches[1]), np.float64)
        stride = int(layout.streets.strides[part.layer])
        sharing = np.bincount(self._places_of(layout, part.layer, board), minlength=count)
        found = [level.cfv[row * stride : row * stride + count] / sharing for row in rows_asked(rows)]
        return np.asarray(np.stack(found, axis=1)[inside], np.float64)

    @staticmethod
    def _places_of(layout: CompactLayout, layer: int, board: int) -> Ints:
        """(hands of a board,) the lane of each."""
        here, boards = layout.boards.layers[layer], layout.boards
        lanes = boards.above(layer, layer)[here.first[board] : here.first[board + 1]]
        return np.asarray(lanes - boards.first(layer)[board], np.int64)

    @cached_property
    def arrays(self) -> ArraySpotPlans:
        """The same as arrays of the whole tree.

        Raises:
            InputError: there is no memory for them.
        """
        tree = self.tree
        size_of(tree.betting, tree.boards.cards, shown=True).check()
        return ArraySpotPlans.of_tree(tree, (self.reach(0)[:], self.reach(1)[:]))

    def cfvs(self, player: int) -> Any:
        """CFVs of a player's best response."""
        return self.arrays.cfvs(player)

    def profile_cfvs(self, player: int) -> Any:
        """CFVs of a player's own strategy."""
        return self.arrays.profile_cfvs(player)

    def strategy(self, player: int) -> Strategy:
        """The whole of a player's strategy."""
        return self.arrays.strategy(player)

    def put(self, player: int, sequences: NDArray[Any], behaviour: Floats) -> Any:
        """The same with other probabilities (n,) at some sequences (n,) of a player."""
        return self.arrays.put(player, sequences, behaviour)

    def bound(self, player: int, restriction: Any) -> Any:
        """The same strategies in the game in which a player is bound as well."""
        return self.arrays.bound(player, restriction)

    def facing(self, player: int, others: GamePlans) -> Any:
        """The same with a player's strategy from another store."""
        return self.arrays.facing(player, others)

    def best_response(self, player: int) -> Any:
        """The same where a player plays a best response."""
        return self.arrays.best_response(player)

    def mixed(self, player: int, others: GamePlans, weight: float) -> Any:
        """The same where a player may play as in another store, decided before the game."""
        return self.arrays.mixed(player, others, weight)

    def solved(
        self, player: int, branches: Sequence[Branch], solver: Solver, stop: Stop, *, beside: bool = False
    ) -> tuple[Any, SolvedGap]:
        """The game solved again around decisions that stand."""
        return self.arrays.solved(player, branches, solver, stop, beside=beside)
