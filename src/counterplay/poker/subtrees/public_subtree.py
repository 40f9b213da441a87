"""A subgame of a public tree: the part that follows a deal on one board, cut out as a separate public tree; and its gadget
games: any gadget in front of the hands that the opponent may hold.

The opponent's hands at the beginning of the piece are its roots. The deal of their treeplex, which gives ranges in a
spot, has two actions for each hand: held and not held. An entry by which each hand enters or stays out is that deal, so
that treeplexes and payoff stay those of the piece. Any other entry stands in front of the deal, which then carries the
entry's scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.errors import InputError
from counterplay.leaves.constants import WithConstants
from counterplay.leaves.protocol import Leaves
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import compatible_weight, hand_text
from counterplay.poker.public_tree.boards import Cards
from counterplay.poker.public_tree.hand_treeplex import DEAL, HandTreeplex, PublicNode, layer_of, layer_of_last_choice
from counterplay.poker.public_tree.payoff import ShowdownPayoff
from counterplay.poker.public_tree.public_tree import PublicTree, public_tree
from counterplay.problem.subgame import Subgame
from counterplay.subgames.entry import Entry, GadgetGame, contract_path
from counterplay.subgames.plan_store import PlanStore, Subtree
from counterplay.treeplex.restriction import Numbers, Restriction, fix_decisions
from counterplay.treeplex.treeplex import LANES, PAD, Labels, TreeArrays, Treeplex

Runs = tuple[HandTreeplex, HandTreeplex]


_NOTHING = 1e-12
"""Share of the largest weight below which a weight is rounding."""


@dataclass(frozen=True, eq=False)
class HandGadgetGame(GadgetGame):
    """A part of a public tree after an entry, which shifts the opponent's sequences of the part by an offset."""

    piece: PublicSubtree
    shift: int

    @cached_property
    def _pairs(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        both = [self.piece.pairs(0), self.piece.pairs(1)]
        inner, outer = both[self.opponent]
        if isinstance(inner, slice):
            inner = slice(inner.start + self.shift, inner.stop + self.shift)
        elif self.shift:
            inner = inner + self.shift
        both[self.opponent] = inner, outer
        return both[0], both[1]

    @property
    def share(self) -> float:
        """Payoffs are divided by the unit, ranges are not."""
        return 1.0

    def pairs(self, player: int) -> tuple[Any, Any]:
        """Two (n,) arrays, or slices: indices of a player's sequences here, and in the whole tree."""
        return self._pairs[player]

    def taken(self, player: int, behaviour: Numbers) -> F64:
        """(size,) see `GadgetGame`; a copy where the part is the whole tree, and the entry its deal."""
        if self.shift or self.piece.tree is not self.piece.whole:
            return super().taken(player, behaviour)
        out, tree = np.array(behaviour[:], np.float64), self.subgame.trees[player]
        offset, width, actions, _, hands = tree.arrays.groups[0].tolist()
        out[offset : offset + actions * width].reshape(actions, width)[:, :hands] = 1.0 / actions
        return out

    def came(self, plan: Numbers) -> F64:
        """(hands,) the opponent's range."""
        return self.piece.range(self.opponent, plan)


@dataclass(frozen=True, eq=False)
class PublicSubtree(Subtree):
    """A part of a public tree that follows a deal on one board, cut out as a separate tree for a resolver. `part` is
    its root in the whole tree; its hands are those that the board leaves, and its roots the opponent's hands."""

    whole: PublicTree
    part: PublicNode
    tree: PublicTree
    resolver: int

    @property
    def size(self) -> int:
        """Number of hands that the board leaves."""
        return len(self.tree.boards.cards.hands)

    def places(self, player: int) -> I64:
        """(hands,) the sequences of the whole tree by which a player's hands get here."""
        whole, runs = self.whole, self.whole.runs[player]
        above = self.above(layer_of_last_choice(whole.betting, runs, self.part.node))
        return int(runs.start[runs.before[self.part.node]]) + above

    @property
    def dealt(self) -> I64:
        """(places of the first layer,) the hand dealt at each, by number in the piece."""
        return self.tree.boards.layers[0].hand

    @property
    def unit(self) -> float:
        """The weight of a chip, as in the whole tree."""
        return self.whole.leaves.unit * self.whole.boards.layers[self.part.layer].chance

    def payoff(self, divisor: float) -> ShowdownPayoff:
        """The payoff of the part, in the unit of the whole tree divided by a number."""
        return self._payoff.times(1.0 / divisor)

    @cached_property
    def _payoff(self) -> ShowdownPayoff:
        return ShowdownPayoff(self.tree.betting, self.tree.tables, self.tree.runs, self.unit)

    def range(self, player: int, plan: Numbers) -> F64:
        """(hands,) the reach that a plan of the whole tree gives each hand."""
        return np.maximum(plan[self.places(player)], 0.0)  # type: ignore[no-any-return]

    def weight(self, plan: Numbers) -> F64:
        """(hands,) chance's and the resolver's reach of each hand of the opponent, given the resolver's plan; in the unit of
        CFVs."""
        found = compatible_weight(self.tree.boards.cards.hands[self.dealt], self.range(self.resolver, plan))
        found[found < _NOTHING * found.max(initial=0.0)] = 0.0
        return self.unit * found

    def above(self, depth: int) -> I64:
        """(hands,) the place of each hand on the board of an earlier layer."""
        layer = self.whole.boards.layers[self.part.layer]
        here = slice(int(layer.first[self.part.board]), int(layer.first[self.part.board + 1]))
        order = np.argsort(layer.hand[here], kind="stable")
        return self.whole.boards.above(self.part.layer, depth)[here][order][self.dealt]

    def pairs(self, player: int) -> tuple[Any, Any]:
        """(n,) the indices of a player's sequences in the part, and (n,) in the whole tree; slices where these are runs."""
        small, large = self.tree, self.whole
        inner, outer = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        cut = large.boards.layers[self.part.layer]
        numbers = np.sort(cut.hand[int(cut.first[self.part.board]) : int(cut.first[self.part.board + 1])])
        for node in np.flatnonzero(small.runs[player].lane[:DEAL] >= 0).tolist():
            there, depth = self.part.node + node, layer_of(small.betting, node)
            ours, theirs = small.boards.layers[depth], large.boards.layers[self.part.layer + depth]
            above = cut.boards[self.part.board]
            for b, board in enumerate(ours.boards):
                k = theirs.boards.index((*above, *board[len(above) :]))
                first, end = theirs.first[k : k + 2].tolist()
                begin = int(ours.first[b])
                # both in order of the cards first: ties of strength may stand otherwise
                mine = np.argsort(numbers[ours.hand[begin : int(ours.first[b + 1])]], kind="stable")
                other = np.argsort(theirs.hand[first:end], kind="stable")
                pairs = zip(small.betting.children(node), large.betting.children(there), strict=True)
                for one, two in pairs:
                    # A run of an action: the hands of all boards of its layer; those of board b begin at layer.first[b].
                    at = int(small.runs[player].start[one]) + begin + mine
                    inner.append(at)
                    outer.append(int(large.runs[player].start[two]) + first + other)
        return np.concatenate(inner), np.concatenate(outer)

    def tops(self, player: int) -> I64:
        """(hands,) the sequence by which a player gets here with each hand."""
        return self.places(player)

    def lanes(self, player: int) -> Flags:
        """(lanes,) of the whole tree, whether each is a player's decision inside."""
        tree = self.whole.runs[player].tree
        out = np.zeros(tree.lanes, np.bool_)
        out[tree.owner[self.pairs(player)[1]]] = True
        return out

    def names(self) -> list[str]:
        return [hand_text(cards) for cards in self.tree.boards.cards.hands[self.dealt].tolist()]

    def gadget_game(self, entry: Entry, plan: Numbers, unit: float = 1.0) -> HandGadgetGame:
        """The subtree after an entry (see `Subtree`), which has chips of the opponent in CFVs of the whole tree, divided by
        `unit`, as payoffs are, so that rare subgames are solved as accurately as others. Not the full gadget: every board
        alone would grant again what the opponent forgoes before it. `plan` (whole size,) of the resolver gives the range."""
        if entry.full:
            raise InputError(
                "one board of a spot is entered by unsafe, resolving or max-margin, not by the full gadget"
            )
        own_range = self.range(self.resolver, plan)
        if decides_by_hand(entry):
            return enter_at_deal(self, self.tree.runs, self.payoff(unit), entry, own_range, unit)
        resolver, runs = self.resolver, list(self.tree.runs)
        other = runs[1 - resolver]
        tree, front, shift = _fronted(other.tree, entry, len(own_range))
        start = np.where(other.start >= 0, other.start + shift, other.start)
        moved = HandTreeplex(
            lambda: tree, other.before, start, np.where(other.lane >= 0, other.lane + tree.lanes - other.tree.lanes, -1)
        )
        runs[1 - resolver] = moved
        payoff = ShowdownPayoff(self.tree.betting, self.tree.tables, (runs[0], runs[1]), self.unit / unit)
        scale = np.ones(len(own_range)) if entry.scale is None else entry.scale
        if entry.possible is not None:
            scale = np.where(entry.possible, scale, 0.0)
        theirs = _carrying(moved, scale)
        if entry.fixed:
            given = np.ones(len(own_range)) if entry.range is None else entry.range
            theirs = fix_decisions(tree, front[entry.choice], given, theirs)
        mine = _carrying(runs[resolver], own_range)
        leaves = WithConstants(payoff, 1 - resolver, front[entry.at], entry.constant)
        problem = Subgame((runs[0].tree, runs[1].tree), leaves, (mine, theirs) if resolver == 0 else (theirs, mine))
        dealt = int(runs[resolver].start[DEAL]) + np.arange(len(own_range))
        choices = (dealt, front[entry.choice]) if resolver == 0 else (front[entry.choice], dealt)
        declines = front[entry.declines] if entry.declines is not None else np.zeros(0, np.int64)
        return HandGadgetGame(resolver, problem, entry, choices, declines, unit, self, shift)

    def gifts(self, plans: PlanStore) -> F64:
        """(hands,) gifts of the opponent on the path here, for reach max-margin: at each of their actions the best CFV
        there less that of the action, shared among all that follows the action by weight (as in `subgames.cut.gifts`).
        """
        player, plan = self.opponent, plans.reach(self.resolver)
        runs, betting = self.whole.runs[player], self.whole.betting
        cfv, here, out = plans.cfvs(player), self.weight(plan), np.zeros(self.size)
        after = int(runs.before[self.part.node])
        while after != DEAL:
            node = int(betting.parent[after])
            depth = layer_of(betting, node)
            at = self.above(depth)
            every = np.stack([cfv[int(runs.start[child]) + at] for child in betting.children(node)])
            given = every.max(axis=0) - cfv[int(runs.start[after]) + at]
            # Chance's and the resolver's reach of the player's hands at the node above, on its board.
            layers, board = self.whole.boards.layers, self.part.board
            for k in range(self.part.layer, depth, -1):
                board = int(layers[k].parent[board])
            first, end = layers[depth].first[board : board + 2].tolist()
            reach = np.maximum(plan[self.whole.sequences_to(1 - player, node)[first:end]], 0.0)
            met = np.zeros(layers[depth].places)
            met[first:end] = compatible_weight(self.whole.boards.cards.hands[layers[depth].hand[first:end]], reach)
            passing = self.whole.leaves.unit * layers[depth].chance * met[at]
            live = (given > 0.0) & (passing > 0.0)
            out[live] += given[live] * here[live] / passing[live]
            after = int(runs.before[node])
        return out

    def path(self, plans: PlanStore, values: F64) -> Entry:
        """The path of each of the opponent's hands (see `Subtree`), dealt from their range; hands share no decisions."""
        runs, boards = self.whole.runs[self.opponent], self.whole.boards
        odds = boards.cards.weights[self.opponent][boards.layers[0].hand[boards.kept(0)]]
        dealt = dict(enumerate(odds.tolist(), int(runs.start[DEAL])))
        return contract_path(runs.tree, plans.cfvs(self.opponent), self.tops(self.opponent), values, dealt)


def subtree_at(whole: PublicTree, part: PublicNode, resolver: int) -> PublicSubtree | None:
    """Cut the part of a tree from the first node of a street on, on one board, for a resolver. None if the board leaves
    no two hands that can be dealt together."""
    layer, cards = whole.boards.layers[part.layer], whole.boards.cards
    kept = np.sort(layer.hand[int(layer.first[part.board]) : int(layer.first[part.board + 1])])
    inside = Cards(
        cards.deck, layer.boards[part.board], cards.hands[kept], np.ones((2, len(kept))), cards.rank, cards.held
    )
    if not inside.pairs > 0.0:
        return None
    betting = betting_below(whole.betting, part.node, whole.betting.rules.first + part.layer)
    return PublicSubtree(whole, part, public_tree(betting, inside), resolver)


def betting_below(betting: BettingTree, node: int, street: int) -> BettingTree:
    """The betting from a node on, which is the first of a street."""
    here = slice(node, int(betting.end[node]))
    parent = betting.parent[here] - node
    parent[0] = -1
    first = betting.first[node : here.stop + 1] - betting.first[node]
    child = betting.child[betting.first[node] : betting.first[here.stop]] - node
    move = betting.move[here].copy()
    move[0] = 0
    names = ("kind", "action", "to", "street", "committed", "pot", "win", "lose", "tie")
    return replace(
        betting, rules=replace(betting.rules, first=street), parent=parent, end=betting.end[here] - node, first=first,
        child=child, move=move, **{name: getattr(betting, name)[here] for name in names},
    )  # fmt: skip


def decides_by_hand(entry: Entry) -> bool:
    """Return whether each hand enters or stays out, at its own weight, so that the deal can be the entry."""
    return entry.scale is None and entry.possible is None and len(entry.actions) == len(entry.choice)


def enter_at_deal(
    piece: PublicSubtree, both: Runs, payoff: Leaves, entry: Entry, own_range: F64, unit: float
) -> HandGadgetGame:
    """The gadget game whose entry, by which each hand enters or stays out, is the opponent's deal. `both` are
    treeplexes of the part or larger ones that begin with them; `payoff` is that of their plans, in chips of the whole
    tree divided by `unit`; own_range (hands,) is the resolver's."""
    resolver, hands = piece.resolver, len(own_range)
    mine, other = both[resolver], both[1 - resolver]
    held = int(other.start[DEAL]) + np.arange(hands)
    raw = 1 + 2 * np.arange(hands)  # the first of the two raw sequences of each hand
    front = np.zeros(1 + 2 * hands, np.int64)
    front[entry.choice] = held
    front[2 * raw + 1 - entry.choice] = held + int(other.tree.arrays.groups[0, 1])
    theirs = Restriction()
    if entry.fixed:
        theirs = fix_decisions(other.tree, held, np.ones(hands) if entry.range is None else entry.range)
    own = _carrying(mine, own_range)
    leaves = WithConstants(payoff, 1 - resolver, front[entry.at], entry.constant)
    trees = both[0].tree, both[1].tree
    problem = Subgame(trees, leaves, (own, theirs) if resolver == 0 else (theirs, own))
    dealt = int(mine.start[DEAL]) + np.arange(hands)
    choices = (dealt, held) if resolver == 0 else (held, dealt)
    declines = front[entry.declines] if entry.declines is not None else np.zeros(0, np.int64)
    return HandGadgetGame(resolver, problem, entry, choices, declines, unit, piece, 0)


def _carrying(runs: HandTreeplex, weights: F64) -> Restriction:
    """The deal of a piece, at which nothing is decided: each hand's reach is multiplied by its weight."""
    return fix_decisions(runs.tree, int(runs.start[DEAL]) + np.arange(len(weights)), weights)


def _fronted(tree: Treeplex, entry: Entry, hands: int) -> tuple[Treeplex, I64, int]:
    """A treeplex with an entry's decisions in front of its deal, where these stand, and the offset of the others."""
    groups, front = [], np.zeros(1 + int(entry.actions.sum()), np.int64)
    offset, lane = LANES, 0
    first = 1 + np.append(0, np.cumsum(entry.actions))
    for actions in np.unique(entry.actions).tolist():
        members = np.flatnonzero(entry.actions == actions)
        width = -(-len(members) // LANES) * LANES
        groups.append([offset, width, actions, lane, len(members)])
        for a in range(actions):
            front[first[members] + a] = offset + a * width + np.arange(len(members))
        offset, lane = offset + actions * width, lane + width
    shift = offset - LANES
    below = tree.arrays.groups.copy()
    below[:, 0] += shift
    below[:, 3] += lane
    parent = np.where(tree.arrays.parent > PAD, tree.arrays.parent + shift, tree.arrays.parent)
    parent[:hands] = front[entry.choice]
    parents = np.full(lane, PAD)
    for _, _, _, begin, count in groups:
        parents[begin : begin + count] = 0
    both = np.concatenate([np.array(groups, np.int64).reshape(-1, 5), below])
    arrays = TreeArrays(both, np.concatenate([parents, parent]).astype(np.int32))
    order = np.concatenate([np.flatnonzero(parents == 0), tree.visit_order + lane]).astype(np.int32)
    made_tree = Treeplex(
        tree.player, arrays, tree.size + shift, tree.infosets + len(entry.actions),
        tree.sequences + int(entry.actions.sum()), order, lambda: Labels([], [], []),
    )  # fmt: skip
    return made_tree, front, shift
