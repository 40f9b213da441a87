"""A player's decisions on a board and after it; later boards are re-solved when they are dealt, or all at once.

The rest of a hand on a turn has millions of sequences, of which a decision reads some thousand: behaviours are computed for
the sequences that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.blueprints.whole_game.board_subtree import BoardSubtree
from counterplay.lookahead.resolver import Knowledge, ResolvedSubtree, resolve_subtree
from counterplay.lookahead.search import Search
from counterplay.poker.betting.state import Kind
from counterplay.poker.public_tree.hand_treeplex import DEAL, PublicNode, layer_of
from counterplay.poker.subtrees.public_subtree import subtree_at
from counterplay.poker.whole_game.strategy import BlueprintStrategy
from counterplay.problem.subgame import Subgame
from counterplay.subgames.plan_store import ArrayPlans, Part, PlanStore
from counterplay.treeplex.restriction import Numbers
from counterplay.treeplex.strategy import Strategy
from counterplay.treeplex.sweeps import reach
from counterplay.treeplex.treeplex import ACTIONS, LANE, OFFSET, WIDTH, Treeplex


class DealtNumbers:
    """Numbers of a player's sequences on a board: (n,) of the deal at once, all others when first asked for (see
    `Numbers`)."""

    def __init__(self, dealt: F64, read: Callable[[], Any]) -> None:
        self._dealt, self._read = dealt, read

    @cached_property
    def _whole(self) -> Any:
        return self._read()

    def __len__(self) -> int:
        return len(self._whole)

    def __getitem__(self, sequences: Any) -> Any:
        if isinstance(sequences, np.ndarray) and int(sequences.max(initial=0)) < len(self._dealt):
            return self._dealt[sequences]
        return self._whole[sequences]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self._whole, dtype) if copy or dtype not in (None, np.float64) else self._whole


@dataclass(frozen=True, eq=False)
class BoardStrategy:
    """A player's strategy on a board and those after it, read off one of the whole game, with its range (hands,)."""

    piece: BoardSubtree
    play: BlueprintStrategy
    player: int
    came: F64

    @property
    def tree(self) -> Treeplex:
        return self.piece.whole.runs[self.player].tree

    @cached_property
    def plan(self) -> Any:
        runs = self.piece.whole.runs[self.player]
        dealt, start = np.zeros(runs.first_after_deal), int(runs.start[DEAL])
        dealt[0] = 1.0
        dealt[start : start + len(self.came)] = self.came
        return DealtNumbers(dealt, lambda: reach(self.tree, self.behaviour))

    @cached_property
    def behaviour(self) -> F64:
        return self.piece.behaviour(self.play, self.player, self.came)


def known_at_board(
    piece: BoardSubtree,
    blueprint: BlueprintStrategy,
    model: BlueprintStrategy | None,
    search: Search,
    *,
    profile: bool = False,
    error: float = 0.0,
    draw: np.random.Generator | None = None,
) -> Knowledge:
    """The inputs of re-solving a board from strategies of both players in the whole game, and a model of the
    opponent."""
    me, subgame = piece.resolver, piece.whole.subgame
    own, other = (piece.came(blueprint, player) for player in (me, 1 - me))
    if not own.any():  # the line is one that our own play never takes: any hand may be here
        own = np.ones(piece.size)
    mine, known = BoardStrategy(piece, blueprint, me, own), None
    if model is not None:
        follows = piece.came(model, 1 - me)
        if search.p == 1.0:
            if not follows.any():  # a model that never comes says nothing of who did
                follows = other if other.any() else np.ones(piece.size)
            other = follows
        elif search.p > 0.0:
            follows = follows / _mass(search, other, follows, piece.weight(mine.plan))
        known = ArrayPlans(subgame, _pair(me, None, BoardStrategy(piece, model, 1 - me, follows)))
    plans = ArrayPlans(subgame, _pair(me, mine, BoardStrategy(piece, blueprint, 1 - me, other)))
    return Knowledge(plans, known, profile, error, draw)


def _pair(me: int, mine: Part, theirs: Part) -> tuple[Part, Part]:
    return (mine, theirs) if me == 0 else (theirs, mine)


def _mass(search: Search, came: F64, follows: F64, met: F64) -> float:
    """The divisor of the model's range that gives it the weight of the opponent who is not the model: if each hand
    decides whether to enter, each may with probability 1; if one is chosen, all of them together; a given range weighs
    as the blueprint's."""
    if not search.gadget.fixes_range and not search.gadget.chooses_one:
        return 1.0
    weights = follows * met if search.tremble.normalised else follows
    total = float((came if search.gadget.fixes_range else weights).sum())
    return total if total > 0.0 else 1.0


class _Places:
    """The first of the siblings of some sequences, the siblings' distance and number, and their parent."""

    def __init__(self, tree: Treeplex, sequences: I64) -> None:
        groups = tree.arrays.groups
        group = groups[np.maximum(np.searchsorted(groups[:, OFFSET], sequences, "right") - 1, 0)]
        self.stride, self.actions = group[:, WIDTH], group[:, ACTIONS]
        lane = (sequences - group[:, OFFSET]) % self.stride
        self.first = group[:, OFFSET] + lane
        self.parent = np.where(sequences > 0, tree.arrays.parent[group[:, LANE] + lane], 0).astype(np.int64)


def _listed(sequences: Any, size: int) -> I64:
    if isinstance(sequences, slice):
        return np.arange(*sequences.indices(size))
    return np.asarray(sequences, np.int64)


@dataclass(frozen=True, eq=False)
class SolvedBehaviour:
    """`ResolvedSubtree.splice` of a player sequence by sequence, where the sequences of the solution are those of the
    whole tree moved by an offset; as before where the solution does not come."""

    found: ResolvedSubtree
    player: int
    before: Numbers

    def __getitem__(self, sequences: Any) -> F64:
        inner: Any
        outer: Any
        inner, outer = self.found.game.pairs(self.player)
        tree, bound = self.found.subgame.trees[self.player], self.found.subgame.restrictions[self.player]
        plan = self.found.solution.plans[self.player]
        listed = _listed(sequences, outer.stop)
        out, known = np.zeros(len(listed)), np.zeros(len(listed), np.bool_)
        inside = np.flatnonzero(listed >= outer.start)
        here = listed[inside] + (inner.start - outer.start)
        # Each sequence's share of its siblings' weight, less what the plan of the bound part has of it.
        at, total, own = _Places(tree, here), np.zeros(len(here)), np.zeros(len(here))
        for action in range(int(at.actions.max(initial=0))):
            sibling = np.minimum(at.first + action * at.stride, tree.size - 1)
            weight = np.asarray(plan[sibling], np.float64)
            if bound.p > 0.0:
                weight = weight - bound.p * bound.plan[sibling]
            total += np.where(action < at.actions, np.maximum(weight, 0.0), 0.0)
            own += np.where(sibling == here, np.maximum(weight, 0.0), 0.0)
        chosen = np.divide(own, total, out=1.0 / at.actions, where=total > 0.0)
        comes = plan[at.parent] > 0.0
        out[inside[comes]], known[inside[comes]] = chosen[comes], True
        if not known.all():
            out[~known] = self.before[listed[~known]]
        return out


@dataclass(frozen=True, eq=False)
class ChangedBehaviour:
    """A behaviour of some size with other probabilities (n,) at some sequences (n,), in ascending order."""

    before: Numbers
    sequences: I64
    values: F64
    size: int

    def __getitem__(self, sequences: Any) -> F64:
        listed = _listed(sequences, self.size)
        out = np.array(self.before[listed], np.float64)
        at = np.minimum(np.searchsorted(self.sequences, listed), len(self.sequences) - 1)
        changed = self.sequences[at] == listed
        out[changed] = self.values[at[changed]]
        return out


@dataclass(frozen=True, eq=False)
class SolvedPlan:
    """The realization plan of a behaviour in a treeplex, sequence by sequence."""

    tree: Treeplex
    behaviour: Numbers

    def __getitem__(self, sequences: Any) -> F64:
        now = _listed(sequences, self.tree.size)
        out = np.ones(len(now))
        while now.any():
            inside = now > 0
            out[inside] *= self.behaviour[now[inside]]
            now = np.where(inside, _Places(self.tree, now).parent, 0)
        return out


@dataclass(frozen=True, eq=False)
class SolvedPlans:
    """Behaviours of players 0 and 1 on a board, as a `PlanStore` of the whole tree."""

    subgame: Subgame
    behaviours: tuple[Numbers, Numbers]

    def knows(self, player: int) -> bool:  # noqa: ARG002 - as in the protocol
        return True

    def behaviour(self, player: int) -> Numbers:
        return self.behaviours[player]

    def reach(self, player: int) -> Numbers:
        return SolvedPlan(self.subgame.trees[player], self.behaviours[player])

    def cfvs(self, player: int) -> Numbers:
        """CFVs of a player's best response, for gifts."""
        tree = self.subgame.trees[1 - player]
        return ArrayPlans.of(self.subgame, Strategy(tree, np.asarray(self.behaviours[1 - player][:]))).cfvs(player)


@dataclass(eq=False)
class LaterSearches:
    """The searches of the boards after one; `theirs` is the opponent's behaviour as the look-aheads so far have seen
    it."""

    theirs: Numbers
    model: PlanStore | None
    search: Search


@dataclass(eq=False)
class SolvedBoard:
    """A board and those after it: the own behaviour there, and the searches of later boards; None to keep to it."""

    piece: BoardSubtree
    played: Numbers
    later: LaterSearches | None = None
    _done: set[PublicNode] = field(default_factory=set)

    @staticmethod
    def of(piece: BoardSubtree, known: Knowledge, found: ResolvedSubtree | None, search: Search) -> SolvedBoard:
        """The play after a solution, or as before if there is none. Against the model alone, and where the range is
        given, a later board has nothing new to say."""

        def before(player: int) -> Numbers:  # computed only where a solution does not come
            deal = np.arange(piece.whole.runs[player].first_after_deal)
            return DealtNumbers(known.plans.reach(player)[deal], lambda: known.plans.behaviour(player))

        own, other = before(piece.resolver), before(piece.opponent)
        if found is None:
            return SolvedBoard(piece, own)
        mine, theirs = SolvedBehaviour(found, piece.resolver, own), SolvedBehaviour(found, piece.opponent, other)
        final = search.p == 1.0 or search.gadget.fixes_range
        return SolvedBoard(piece, mine, None if final else LaterSearches(theirs, known.model, search))

    @property
    def mine(self) -> F64:
        return np.asarray(self.played[:], np.float64)

    def rows(self, node: int, board: tuple[int, ...]) -> F64:
        """(actions, hands of the deck) the probabilities at a betting node of the piece, on one of its boards. Later
        boards on the way are solved first; KeyboardInterrupt if one was not."""
        if self.later is not None:
            for part in self._way_to(node, board):
                self._decide(part, self.later)
        return self.piece.rows(self.played, self.piece.resolver, node, board)

    def solve_all(self) -> SolvedBoard:
        """Solve every later board, as if it were dealt. KeyboardInterrupt if one was not."""
        betting, later = self.piece.whole.betting, self.later
        if later is None:
            return self
        # All of it is asked for, and changed in place.
        self.played, later.theirs = np.array(self.played[:], np.float64), np.array(later.theirs[:], np.float64)
        for node in range(1, betting.nodes):  # a node comes after those on its path
            if betting.kind[int(betting.parent[node])] != Kind.DEAL:
                continue
            layer = layer_of(betting, node)
            for number in range(len(self.piece.whole.boards.layers[layer].boards)):
                self._decide(PublicNode(node, layer, number), later)
        return self

    def _way_to(self, node: int, board: tuple[int, ...]) -> Iterator[PublicNode]:
        """The nodes where later streets begin on the path to a node, in order."""
        tree, first = self.piece.whole, len(self.piece.board)
        firsts = []
        while node > 0:
            above = int(tree.betting.parent[node])
            if tree.betting.kind[above] == Kind.DEAL:
                firsts.append(node)
            node = above
        for layer, top in enumerate(reversed(firsts), 1):
            yield PublicNode(top, layer, tree.boards.layers[layer].boards.index(board[: first + layer]))

    def _decide(self, part: PublicNode, later: LaterSearches) -> None:
        """Solve a later board again, behind the gadget, unless it was solved."""
        if part in self._done:
            return
        piece, (me, other) = self.piece, (self.piece.resolver, self.piece.opponent)
        both = (self.played, later.theirs) if me == 0 else (later.theirs, self.played)
        plans = SolvedPlans(piece.whole.subgame, both)
        found = resolve_subtree(subtree_at(piece.whole, part, me), later.search, Knowledge(plans, later.model))
        if found is not None and found.interrupted:
            raise KeyboardInterrupt
        if found is not None:
            self.played = self._changed(found, me, self.played)
            later.theirs = self._changed(found, other, later.theirs)
        self._done.add(part)

    def _changed(self, found: ResolvedSubtree, player: int, before: Numbers) -> Numbers:
        """A player's behaviour with a later board's solution; an array is changed in place."""
        inner, outer = found.game.pairs(player)
        played = found.played(player, before)[inner]
        if isinstance(before, np.ndarray):
            before[outer] = played
            return before
        order = np.argsort(outer)
        return ChangedBehaviour(before, outer[order], played[order], self.piece.whole.runs[player].tree.size)
