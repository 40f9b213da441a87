"""A plan store of a spot that keeps no array of a whole tree: every branch is worked out when it is asked for.

Probabilities of actions are a formula of the sequence, but where they were put otherwise; reach is their product on the way
to the root; chips come from the river, one board of one betting after the other, and what is before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterplay import Stop, Strategy
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree
from counterplay.poker.subtrees.public_subtree import PublicSubtree, subtree_at
from counterplay.poker.subtrees.street_limit import truncate
from counterplay.subgames.entry import open_entry
from counterplay.subgames.plan_store import SolvedGap
from counterplay.treeplex.restriction import BranchRestriction, Restriction
from counterplay.treeplex.sweeps import best, reach, values
from counterplay.treeplex.treeplex import Treeplex
from tests.support.branch_solve import choices_before, local_bound, rivers, solve_branches

Floats = NDArray[np.float64]


@dataclass
class Tally:
    """largest: how many numbers were asked for at once, at most."""

    largest: int = 0


@dataclass(frozen=True, eq=False)
class Lazily:
    """Numbers by sequence, which are made when they are asked for; the tally counts."""

    make: Callable[[NDArray[Any]], Floats]
    tally: Tally

    def __getitem__(self, sequences: Any) -> Floats:
        asked = np.atleast_1d(sequences)
        assert asked.dtype != object, "a slice is no branch"
        self.tally.largest = max(self.tally.largest, asked.size)
        return self.make(asked.ravel()).reshape(asked.shape)


@dataclass(frozen=True, eq=False)
class Formula:
    """A player's strategy.

    Attributes:
        tree: the treeplex.
        dealt: the player's range, as the restriction that it is.
        seed: of the formula.
        changes: what was put: ascending sequences and their probabilities; the last one counts.
    """

    tree: Treeplex
    dealt: Restriction
    seed: float
    changes: tuple[tuple[NDArray[Any], Floats], ...] = ()

    def behaviour(self, sequences: NDArray[Any]) -> Floats:
        """(n,) probabilities of these sequences."""
        tree = self.tree
        first, stride, counts = tree.lane_sequences
        lane = np.maximum(tree.owner[sequences], 0)
        total = np.zeros(len(sequences))
        for action in range(int(counts[lane].max(initial=0))):
            total += np.where(action < counts[lane], self._weight(first[lane] + action * stride[lane]), 0.0)
        out = self._weight(sequences) / total
        out = np.where(self.dealt.keep[lane] == 0.0, self.dealt.mix[sequences], out)
        for places, probabilities in self.changes:
            at = np.minimum(np.searchsorted(places, sequences), len(places) - 1)
            out = np.where(places[at] == sequences, probabilities[at], out)
        return np.where(sequences == 0, 1.0, out)

    def reach(self, sequences: NDArray[Any]) -> Floats:
        """(n,) the plan at these sequences."""
        out, now = np.ones(len(sequences)), sequences
        while (now > 0).any():
            out *= self.behaviour(now)
            now = np.where(now > 0, self.tree.arrays.parent[np.maximum(self.tree.owner[now], 0)], 0)
        return out

    def put(self, sequences: NDArray[Any], behaviour: Floats) -> Formula:
        """The same with other probabilities at some sequences."""
        order = np.argsort(sequences)
        return replace(self, changes=(*self.changes, (sequences[order], behaviour[order])))

    def _weight(self, sequences: NDArray[Any]) -> Floats:
        return np.floor(3.0 * np.abs(np.sin(1.7 * sequences + self.seed))) + 0.1


@dataclass(frozen=True, eq=False)
class Mixture:
    """A player who draws one of two strategies before the game."""

    one: Part
    other: Part
    weight: float

    @property
    def tree(self) -> Treeplex:
        return self.one.tree

    @property
    def dealt(self) -> Restriction:
        return self.one.dealt

    def reach(self, sequences: NDArray[Any]) -> Floats:
        return (1.0 - self.weight) * self.one.reach(sequences) + self.weight * self.other.reach(sequences)

    def behaviour(self, sequences: NDArray[Any]) -> Floats:
        above = self.reach(self.tree.arrays.parent[np.maximum(self.tree.owner[sequences], 0)])
        comes = (above > 0.0) & (sequences > 0)
        return np.where(comes, self.reach(sequences) / np.where(comes, above, 1.0), self.one.behaviour(sequences))

    def put(self, sequences: NDArray[Any], behaviour: Floats) -> Formula:
        raise NotImplementedError


Part = Formula | Mixture


@dataclass(frozen=True, eq=False)
class BranchPlans:
    """Both players' strategies in a spot with two streets.

    Attributes:
        tree: the public tree.
        parts: of oop and ip; None where a player's is not known.
        bounds: local restrictions of best responders.
        tally: what is asked for at once.
    """

    tree: PublicTree
    parts: tuple[Part | None, Part | None]
    bounds: tuple[BranchRestriction | None, BranchRestriction | None] = (None, None)
    tally: Tally = field(default_factory=Tally)

    @staticmethod
    def of(tree: PublicTree, *seeds: float) -> BranchPlans:
        """By the seeds of oop's and ip's formula."""
        first, second = (Formula(tree.runs[i].tree, tree.subgame.restrictions[i], seed) for i, seed in enumerate(seeds))
        return BranchPlans(tree, (first, second))

    def _part(self, player: int) -> Part:
        found = self.parts[player]
        assert found is not None
        return found

    def knows(self, player: int) -> bool:
        return self.parts[player] is not None

    def behaviour(self, player: int) -> Lazily:
        return Lazily(self._part(player).behaviour, self.tally)

    def reach(self, player: int) -> Lazily:
        return Lazily(self._part(player).reach, self.tally)

    def put(self, player: int, sequences: NDArray[Any], behaviour: Floats) -> BranchPlans:
        self.tally.largest = max(self.tally.largest, len(sequences))
        return self._with(player, self._part(player).put(sequences, behaviour))

    def facing(self, player: int, others: Any) -> BranchPlans:
        return self._with(player, others.parts[player])

    def _with(self, player: int, part: Part | None) -> BranchPlans:
        first, second = self.parts
        return replace(self, parts=(part, second) if player == 0 else (first, part))

    def strategy(self, player: int) -> Strategy:
        raise AssertionError(f"the whole strategy of player {player} is nothing to be asked for")

    def best_response(self, player: int) -> BranchPlans:
        found = self
        for _, piece in rivers(self.tree, 1 - player):
            found = found.put(player, *self._best_on(piece)[1:])
        small, large = choices_before(self.tree, player)
        answer = self._best_before(player)[1]
        return found.put(player, large, answer[small])

    def mixed(self, player: int, others: BranchPlans, weight: float) -> BranchPlans:
        return self._with(player, Mixture(self._part(player), others._part(player), weight))

    def bound(self, player: int, restriction: BranchRestriction) -> BranchPlans:
        first, second = self.bounds
        return replace(self, bounds=(restriction, second) if player == 0 else (first, restriction))

    def solved(
        self, player: int, branches: Sequence[Any], solver: str, stop: Stop, *, beside: bool = False
    ) -> tuple[BranchPlans, SolvedGap]:
        del solver  # by CFR+
        return solve_branches(self, player, branches, min(stop.iterations, 150), beside=beside)

    def digest(self) -> str:
        return str(self.parts)

    def _best_on(self, piece: PublicSubtree) -> tuple[Floats, NDArray[Any], Floats]:
        """The best response of a river's roots: their CFVs there, and the behaviour, by sequence of the whole tree."""
        me, them = piece.resolver, piece.opponent
        problem = piece.gadget_game(open_entry(piece.size), self.reach(me))
        tree, theirs = problem.subgame.trees[me], problem.subgame.trees[them]
        plan = problem.subgame.restrictions[me].played(tree, problem.taken(me, self.behaviour(me)))
        cfv, answer = np.array(problem.subgame.leaves.product(them, plan)), np.zeros(theirs.size)
        inner, outer = problem.pairs(them)
        bound = local_bound(self.bounds[them], self.tree.runs[them].tree, theirs, (inner, outer))
        bound = bound.within(theirs, problem.subgame.restrictions[them])
        best(theirs.arrays, bound.keep, bound.mix, cfv, answer)
        return cfv[problem.choices[them]], outer, bound.behaviour(theirs, answer)[inner]

    def _best_before(self, player: int) -> tuple[Floats, Floats]:
        """The best response on the first street: its CFVs and behaviour, (size,) each."""
        problem = truncate(self.tree, 0).subgame()
        tree, cfv = problem.trees[player], self._first_street(player, profile=False)
        bound = local_bound(self.bounds[player], self.tree.runs[player].tree, tree, choices_before(self.tree, player))
        bound, answer = bound.within(tree, problem.restrictions[player]), np.zeros(tree.size)
        best(tree.arrays, bound.keep, bound.mix, cfv, answer)
        return cfv, bound.behaviour(tree, answer)

    def cfvs(self, player: int) -> Lazily:
        """Those before the last street."""
        return self._before(player, profile=False)

    def profile_cfvs(self, player: int) -> Lazily:
        return self._before(player, profile=True)

    def _before(self, player: int, *, profile: bool) -> Lazily:
        part = truncate(self.tree, 0)
        tree, (small, large) = part.runs[player].tree, part.pairs(player)
        cfv, bound = self._first_street(player, profile=profile), Restriction()
        if profile:
            cfv = values(tree, self._behaviour_before(player), cfv)
        else:
            best(tree.arrays, bound.keep, bound.mix, cfv, np.zeros(tree.size))
        order = np.argsort(large)
        return Lazily(lambda sequences: cfv[small[order]][np.searchsorted(large[order], sequences)], self.tally)

    def value(self, player: int) -> float:
        held = self._first_street(player, profile=True)
        tree = truncate(self.tree, 0).runs[player].tree
        return float(reach(tree, self._behaviour_before(player)) @ held)

    def best_value(self, player: int) -> float:
        return float(self._best_before(player)[0][0])

    def gap(self) -> tuple[float, float]:
        high, low = self.best_value(0), self.best_value(1)
        return high + low, 0.5 * (high - low)

    def values_at(self, player: int, part: PublicNode) -> Floats:
        layer = self.tree.boards.layers[part.layer]
        begin, end = layer.first[part.board : part.board + 2].tolist()
        if part.layer == 1:
            found = subtree_at(self.tree, part, 1 - player)
            assert found is not None
            out = np.zeros(end - begin)
            out[np.argsort(layer.hand[begin:end], kind="stable")[found.dealt]] = found.alternative_values(self, True)
            return out
        before, node, cfv = self._first_cfvs(player, part)
        return cfv[before.sequences_to(player, node, 0)]

    def action_values_at(self, part: PublicNode) -> Floats:
        player = int(self.tree.betting.kind[part.node])
        if part.layer == 1:
            values_of = [
                self.values_at(player, part._replace(node=child)) for child in self.tree.betting.children(part.node)
            ]
            return np.stack(values_of, axis=1)
        before, node, cfv = self._first_cfvs(player, part)
        hands = np.arange(len(before.boards.layers[0].hand))
        return np.stack(
            [cfv[before.runs[player].start[child] + hands] for child in before.betting.children(node)], axis=1
        )

    def _first_cfvs(self, player: int, part: PublicNode) -> tuple[PublicTree, int, Floats]:
        """The tree of the first street, a node's number in it, and the CFVs of its sequences."""
        before = truncate(self.tree, 0)
        node = int(np.searchsorted(before.nodes, part.node))
        assert before.nodes[node] == part.node
        cfv = values(
            before.runs[player].tree, self._behaviour_before(player), self._first_street(player, True, part.node)
        )
        return PublicTree(before.betting, self.tree.boards, self.tree.tables, before.runs), node, cfv

    def _behaviour_before(self, player: int) -> Floats:
        """(size,) in the tree up to the next card."""
        part = truncate(self.tree, 0)
        small, large = part.pairs(player)
        out = np.zeros(part.runs[player].tree.size)
        out[small] = self.behaviour(player)[large]
        out[0] = 1.0
        return out

    def _first_street(self, player: int, profile: bool, node: int = 0) -> Floats:
        """(size,) CFVs of the ends of the first street in the part from a node on: what is won there, and from each board of
        the next street what the player has on it."""
        part = truncate(self.tree, 0)
        runs, (small, large) = part.runs[player], part.pairs(player)
        payoff: Any = part.problem().leaves
        inside = PublicNode(int(np.searchsorted(part.nodes, node)))
        payoff = ShowdownPayoff(payoff.betting, payoff.tables, payoff.runs, payoff.unit, inside)
        cfv = np.array(payoff.product(player, reach(part.runs[1 - player].tree, self._behaviour_before(1 - player))))
        order = np.argsort(large)
        for _, piece in rivers(self.tree, 1 - player, node):  # its roots are the player's hands
            came = small[order][np.searchsorted(large[order], piece.places(player))]
            np.add.at(cfv, came, piece.alternative_values(self, profile) if profile else self._best_on(piece)[0])
        assert len(cfv) == runs.tree.size
        return cfv
