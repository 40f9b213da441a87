"""Node locks: a model of the opponent from leaks, with the locked hands and nodes, and its restriction. Of the hands that
take an action with a given frequency, those come first that lose the least EV under the reference solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterplay.arrays import F64, I64, Flags
from counterplay.display import brief
from counterplay.poker.cards.deck import compatible_weight
from counterplay.poker.locking.leak_match import LeakMatch, boards_of, check_leaks, hands_of, match_leak, opponent_of
from counterplay.poker.locking.leak_text import AT_LEAST, AT_MOST, EXACTLY, LESS, MORE, Leak, Leaks, Order
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.hand_treeplex import DEAL, layer_of
from counterplay.poker.ranges.equity import hand_equities
from counterplay.poker.spots.solution import SolvedSpot
from counterplay.poker.spots.spot import RULES
from counterplay.treeplex.restriction import BranchRestriction, LaneTrust

Group = tuple[int, ...]


def apply_frequencies(
    rows: F64, orders: Sequence[tuple[Group, Order]], weights: F64, worth: F64, strength: F64, strong: Sequence[bool],
    *, evenly: bool = False,
) -> F64:  # fmt: skip
    """(n, actions) the rows of n hands after the orders, which apply one after the other; actions without an order keep
    their proportions. weights: (n,) of the range. worth: (n, actions) value of each action to each hand, in any unit;
    rounded, so that ties are exact. strength: (n,) breaks ties between hands. strong: (actions,) whether ties go to strong
    hands first, or to weak ones. evenly: every hand takes the share, not the range as a whole."""
    table = rows.copy()
    for group, order_of in orders:
        if order_of.factor is not None:
            table[:, list(group)] *= order_of.factor
    total = table.sum(axis=1, keepdims=True)
    table = np.where(total > 0.0, table / np.where(total > 0.0, total, 1.0), rows)
    later = [(group, order) for group, order in orders if order.share is not None and group]
    free = [a for a in range(rows.shape[1]) if not any(a in group for group, _ in later)]
    for k, (group, order_of) in enumerate(later):
        rest = free + [a for after, _ in later[k + 1 :] for a in after]
        here = list(group)
        now = table[:, here].sum(axis=1)
        if evenly:
            wanted = _asked(order_of, now)
        else:
            share = float(_asked(order_of, np.array([weights @ now / weights.sum()]))[0])
            other = worth[:, rest].max(axis=1) if rest else np.zeros(len(rows))
            sign = 1.0 if strong[here[0]] else -1.0
            order = np.lexsort((-sign * strength, other - worth[:, here].max(axis=1)))
            wanted = allocate_share(now, table[:, rest].sum(axis=1), weights, share, order)
        # So much on the actions `here`, and what remains on `rest`, both in the proportions of before.
        together = table[:, here + rest].sum(axis=1)
        wanted = np.minimum(wanted, together) if rest else together
        for columns, mass in ((here, wanted), (rest, together - wanted)):
            if columns:
                now = table[:, columns].sum(axis=1)
                best = np.eye(len(columns))[worth[:, columns].argmax(axis=1)]
                with np.errstate(divide="ignore", invalid="ignore"):
                    parts = np.where(now[:, None] > 1e-12, table[:, columns] / now[:, None], best)
                table[:, columns] = parts * mass[:, None]
    return table


def allocate_share(now: F64, room: F64, weights: F64, share: float, order: I64) -> F64:
    """(n,) the frequency of each hand at an action that a share of the range takes. now: (n,) present frequencies. room:
    (n,) possible increases. weights: (n,) weights of the range. share: share of the range."""
    out = now.copy()
    lacking = share * float(weights.sum()) - float(weights @ now)
    if lacking < 0.0:
        order, room = order[::-1], now
    mass = (weights * room)[order]
    before = np.cumsum(mass) - mass
    need = abs(lacking) - before
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(np.where(mass > 0.0, need / mass, np.where(need > 0.0, 1.0, 0.0)), 0.0, 1.0)
    out[order] += np.copysign(part * room[order], lacking)
    return out


def _asked(order: Order, now: F64) -> F64:
    """The frequencies that an order asks for, from the present ones."""
    share = order.share or 0.0
    asked = {
        EXACTLY: np.full(now.shape, share), AT_LEAST: np.maximum(now, share), AT_MOST: np.minimum(now, share),
        MORE: np.minimum(now + share, 1.0), LESS: np.maximum(now - share, 0.0),
    }  # fmt: skip
    return asked[order.relation]


_EQUAL = 0.005
"""Tolerance of ties between actions of a hand, as a share of the pot: the accuracy of a solve."""
_COMES = 1e-4
"""Reach of a node, as a share of the dealt range, below which its hands have their dealt weights."""
_NEVER = 1e-12
"""Reach below which a player never comes to a decision."""
_SEEN = 0.5
"""Percent of the range by which a frequency must fall to be noted."""


@dataclass(frozen=True, eq=False)
class NodeLock:
    """A player with leaks.

    Attributes:
        solved: the solution whose strategies the leaks were applied to.
        opponent: the player with the leaks, 0 (oop) or 1 (ip).
        plans: those of the solution, with the player's leaks.
        trust: the infosets that a leak fixes, and the trust in it there; 0 elsewhere.
        nodes: the betting nodes with a locked hand, ascending.
        lowered: sentences on orders that make the player do less of something than the solution does, or no more.
    """

    solved: SolvedSpot
    opponent: int
    plans: SpotPlans
    trust: LaneTrust
    nodes: tuple[int, ...]
    lowered: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"of player {self.opponent}")

    def restriction(self, *, elsewhere_free: bool = True) -> BranchRestriction:
        """The opponent's restriction beyond the range: the leaks, and elsewhere nothing or the solution."""
        trust = self.trust
        if not elsewhere_free:
            dealt = int(self.solved.tree.runs[self.opponent].lane[DEAL]) + np.arange(self.dealt)
            trust = replace(trust, elsewhere=1.0).put(dealt, 0.0)  # the range binds already
        return BranchRestriction(self.plans.behaviour(self.opponent), trust)

    def beside(self, opponent: SpotPlans | None) -> SpotPlans:
        """The plans with the free hands at locked nodes as in an opponent's plans, who has the leaks too: what is
        counted at these nodes is then over the range that comes there in the solution."""
        if opponent is None or opponent is self.plans:
            return self.plans
        them, tree, places = self.opponent, self.solved.tree, []
        reach, runs = opponent.reach(them), tree.runs[them]
        for node in self.nodes:
            lanes = int(runs.lane[node]) + np.arange(tree.boards.layers[layer_of(tree.betting, node)].places)
            free = np.flatnonzero((self.trust[lanes] < 1.0) & (reach[tree.sequences_to(them, node)] > _NEVER))
            places += [int(runs.start[child]) + free for child in tree.betting.children(node)]
        free = np.concatenate([np.zeros(0, np.int64), *places])
        return self.plans.put(them, free, opponent.behaviour(them)[free]) if len(free) else self.plans

    @property
    def dealt(self) -> int:
        """Number of infosets at which the range binds: the player's hands before the first decision."""
        return self.solved.tree.boards.layers[0].places

    @property
    def locked(self) -> I64:
        """(n,) the infosets that a leak fixes."""
        return self.trust.lanes


def lock_nodes(solved: SolvedSpot, leaks: Leaks) -> NodeLock:
    """Apply leaks to the strategy of a solution."""
    check_leaks(leaks, solved.spot)
    opponent = opponent_of(leaks, solved.tree.betting)
    work = _Work(solved, opponent)
    for leak in leaks.lines:
        told = match_leak(leak, solved.tree.betting, opponent)
        hands = hands_of(leak, solved.spot, opponent)
        for one in told:
            work.apply(leak, one, hands)
    work.note_moved()
    trust = LaneTrust.joined(list(work.trust.values()))
    return NodeLock(solved, opponent, work.plans, trust, tuple(sorted(work.trust)), tuple(work.lowered))


class _Work:
    def __init__(self, solved: SolvedSpot, opponent: int) -> None:
        self.solved, self.opponent, self.tree = solved, opponent, solved.tree
        self.runs = solved.tree.runs[opponent]
        self.plans: SpotPlans = solved.plans
        self.trust = dict[int, LaneTrust]()  # by node: joined at the end, as all of them are large
        self._cfv = solved.plans.profile_cfvs(opponent)
        self._equity: dict[tuple[int, ...], F64] = {}
        self.lowered: list[str] = []
        self._obeying: list[tuple[Leak, LeakMatch, I64]] = []

    def apply(self, leak: Leak, where: LeakMatch, hands: Flags) -> None:
        """Apply a line at a node, on every board or on the one that it names, unless one of the players has no hand
        there."""
        betting, them = self.tree.betting, self.opponent
        layer = self.tree.boards.layers[layer_of(betting, where.node)]
        came = [self.tree.sequences_to(player, where.node) for player in (them, 1 - them)]
        own = np.maximum(self.plans.reach(them)[came[0]], 0.0)  # as the lines so far have it
        against = np.maximum(self.solved.plans.reach(1 - them)[came[1]], 0.0)
        columns, rows, weights, lanes = [], [], [], []
        boards = boards_of(leak, where, layer.boards, self.solved.spot)  # successive ones
        # Probabilities as the lines so far have them, and CFVs, (places, actions), of all these boards.
        begin = int(layer.first[boards[0]])
        sequences = self.tree.sequences_at(them, where.node, np.arange(begin, layer.first[boards[-1] + 1]))
        before, cfvs = self.plans.behaviour(them)[sequences], self._cfv[sequences]
        orders, step = list(zip(where.groups, leak.orders, strict=True)), _EQUAL * float(betting.pot[where.node])
        strong = [label not in ("fold", "check") for label in betting.actions(where.node)]
        for board in boards:
            # Places of the layer: those of the board, and those of the hands that the line names.
            here = np.arange(layer.first[board], layer.first[board + 1])
            chosen = here[hands[layer.hand[here]]]
            faced = self.tree.boards.cards.weights[1 - them][layer.hand[here]]
            if not len(chosen) or not faced.any():
                continue
            # met: (hands,) the weight of the other player's hands that can be dealt beside each.
            met = compatible_weight(self.tree.boards.cards.hands[layer.hand[here]], against[here])[chosen - here[0]]
            columns.append(self.tree.sequences_at(them, where.node, chosen))
            dealt, mass = self.tree.boards.cards.weights[them][layer.hand[chosen]], own[chosen]
            # worth: (hands, actions) CFVs per opposing hand that can be dealt, in steps within which hands count as equal.
            worth = np.zeros(columns[-1].shape)
            if met.sum() > 1e-6 * len(met):  # else no opposing hand meets these hands: they go by equity
                unit = self.tree.leaves.unit * layer.chance * np.maximum(met, 1e-12)
                worth = np.round(cfvs[chosen - begin] / unit[:, None] / step)
            rows.append(apply_frequencies(
                before[chosen - begin], orders, mass if mass.sum() > _COMES * dealt.sum() else dealt, worth,
                self._strength(layer.boards[board], layer.hand[chosen]), strong, evenly=leak.evenly,
            ))  # fmt: skip
            weights.append(mass)
            lanes.append(int(self.runs.lane[where.node]) + chosen)
        if columns:
            self.trust[where.node] = self.trust.get(where.node, LaneTrust()).put(np.concatenate(lanes), leak.trust)
            self._obeying.append((leak, where, np.concatenate(lanes) - int(self.runs.lane[where.node])))
            every, after, mass = (np.concatenate(one) for one in (columns, rows, weights))
            self.plans = self.plans.put(them, every.ravel(), after.ravel())
            self._note_lowered(leak, where, self.solved.plans.behaviour(them)[every], after, mass)

    def _note_lowered(self, leak: Leak, where: LeakMatch, solved: F64, after: F64, mass: F64) -> None:
        """Note the orders that ask for less than the solution does, and those that ask for no more. solved, after:
        (hands, actions) the rows of the solution, and those that the line leaves. mass: (hands,) the player's reach."""
        if not mass.sum() > 0.0:
            return
        for group, order in zip(where.groups, leak.orders, strict=True):
            usual, now = (100.0 * float(mass @ rows[:, group].sum(axis=1) / mass.sum()) for rows in (solved, after))
            path = self.tree.betting.path(where.node) or "the root"
            if order.relation == AT_LEAST and now <= usual + _SEEN:
                self.lowered.append(
                    f"line {leak.number}: '{order}' changes nothing at {path}, where the equilibrium has {usual:.3g} %; "
                    f"'{replace(order, relation=EXACTLY)}' is less"
                )
            if order.relation == EXACTLY and order.share and now < usual - _SEEN:
                at_least = replace(order, relation=AT_LEAST)
                self.lowered.append(
                    f"line {leak.number}: '{order}' is less than the equilibrium's {usual:.3g} % at {path}; "
                    f"'{at_least}' asks for no less"
                )

    def note_moved(self) -> None:
        """Note, after all lines, the orders to do more after which the player does less than in the solution, since other
        locked nodes change which hands come there."""
        betting = self.tree.betting
        for leak, where, places in self._obeying:
            above = [int(betting.parent[where.node])]
            while above[-1] > 0:
                above.append(int(betting.parent[above[-1]]))
            if not any(node in self.trust for node in above):
                continue
            columns = self.runs.start[betting.children(where.node)][None, :] + places[:, None]
            came = self.tree.sequences_to(self.opponent, where.node)[places]
            both = [
                (np.maximum(plans.reach(self.opponent)[came], 0.0), plans.behaviour(self.opponent)[columns])
                for plans in (self.solved.plans, self.plans)
            ]
            if not all(mass.sum() > 0.0 for mass, _ in both):
                continue
            for group, order in zip(where.groups, leak.orders, strict=True):
                usual, now = (100.0 * float(mass @ rows[:, group].sum(axis=1) / mass.sum()) for mass, rows in both)
                if order.asks_for_more and now < usual - _SEEN:
                    self.lowered.append(
                        f"line {leak.number}: despite '{order}' it is {now:.3g} % at {betting.path(where.node)}, not the "
                        f"equilibrium's {usual:.3g} %: other orders change which hands come there"
                    )

    def _strength(self, board: tuple[int, ...], hands: I64) -> F64:
        spot = self.solved.spot
        if board not in self._equity:
            theirs = (spot.ip if self.opponent == 0 else spot.oop).without(board)
            found = hand_equities(theirs, board, rules=RULES[spot.rules])
            self._equity[board] = np.nan_to_num(found, nan=0.5)
        return self._equity[board][spot.numbers[hands]]
