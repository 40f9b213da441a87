"""A solved spot tilted toward frequencies of one player: as a lock, with what was asked for beside what was reached.

Models of a player are the solution with the smallest change. From hands, each class of decisions moves to the near end of
the 95 % interval of what was observed, and stays as it is where the solution is inside: a leak that hands suggest becomes a
lock that they support. From figures, each statistic becomes what was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64
from counterplay.errors import InputError, SeatError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.frequency_tilt import LEAST, Bounds, FrequencyRow, fit_frequencies, shift_rows
from counterplay.opponents.villain.seen_decisions import NodeActions, ObservedShare, counted_nodes, hands_in_seat
from counterplay.opponents.villain.villain_card import MappedSize, follow_hand, map_sizes
from counterplay.poker.betting.rules import PLAYERS, STREETS
from counterplay.poker.betting.state import Move
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.locking.node_lock import NodeLock
from counterplay.poker.plan_stores.spot_plans import SpotPlans
from counterplay.poker.public_tree.hand_treeplex import PublicNode
from counterplay.poker.spots.solution import SolvedSpot, met_at
from counterplay.poker.spots.spot import Spot
from counterplay.treeplex.restriction import LaneTrust

LARGE = 0.6
"""The share of the pot from which a bet is large."""
FOLDS, RAISES, BETS = "folds", "raises", "bets"
DEPTHS = 3.0
"""The most by which stacks, as multiples of the pot, may differ from the spot's, as a factor."""


class FrequencyClass(NamedTuple):
    """Decisions of one player that are counted together. name: as in "river, facing a raise: folds"."""

    name: str
    nodes: tuple[NodeActions, ...]


def shifts_by_node(
    betting: BettingTree, classes: Iterable[FrequencyClass], weights: Mapping[str, float]
) -> dict[int, F64]:
    """By node (actions,) the sums of the weights of the classes whose frequency each action is; none where all are 0."""
    found: dict[int, F64] = {}
    for one in classes:
        if weight := weights.get(one.name, 0.0):
            for at in one.nodes:
                found.setdefault(at.node, np.zeros(len(betting.children(at.node))))[list(at.hits)] += weight
    return found


def situations(betting: BettingTree, player: int) -> tuple[FrequencyClass, ...]:
    """The classes of a player's decisions by situation: how often they bet, or fold and raise."""
    found: dict[tuple[int, int, str], list[NodeActions]] = {}
    for node in range(betting.nodes):
        moves = [Move(int(betting.move[child])) for child in betting.children(node)]
        if betting.kind[node] != player or len(moves) < 2:
            continue
        order, name = _situation(betting, node)
        every, street = tuple(range(len(moves))), int(betting.street[node])
        raises = tuple(k for k in every if moves[k] >= Move.BET)
        folds = tuple(k for k in every if moves[k] is Move.FOLD)
        for hits, verb in ((folds, FOLDS), (raises, RAISES if folds else BETS)):
            if hits:
                found.setdefault((street, order, f"{name}: {verb}"), []).append(NodeActions(node, hits, every))
    return tuple(FrequencyClass(name, tuple(nodes)) for (_, _, name), nodes in sorted(found.items()))


def _situation(betting: BettingTree, node: int) -> tuple[int, str]:
    """The rank and the name of a decision's situation."""
    street, player = STREETS[betting.street[node]], int(betting.kind[node])
    faced = float(betting.committed[node, 1 - player] - betting.committed[node, player])
    if faced <= 0.0:
        checked = Move(int(betting.move[node])) is Move.CHECK
        return (1, f"{street}, after a check") if checked else (0, f"{street}, first")
    above = int(betting.parent[node])
    if betting.committed[above, 0] != betting.committed[above, 1]:
        return 4, f"{street}, facing a raise"
    large = faced / (float(betting.pot[node]) - faced) >= LARGE
    size = f"{100.0 * LARGE:.0f}%"
    return (3, f"{street}, facing a bet of at least {size}") if large else (2, f"{street}, facing a bet below {size}")


def statistic_classes(betting: BettingTree, player: int) -> tuple[FrequencyClass, ...]:
    """The classes of a player's decisions by the statistics of the villain card (`seen_decisions.STATISTICS`)."""
    found: dict[str, list[NodeActions]] = {}
    for name, state, at in counted_nodes(betting):
        if state.kind == player and at.hits and len(betting.children(at.node)) > len(at.hits):
            found.setdefault(name, []).append(at)
    return tuple(FrequencyClass(name, tuple(nodes)) for name, nodes in found.items())


@dataclass(frozen=True)
class SpotHands:
    """What hands show of a player in a spot. seat: 0 (oop) or 1 (ip). counted: by class of decisions, how often the
    class's actions were taken; classes without an observation too. hands: how many counted. decisions: how many of the
    player's. left_out: hands and rests of hands that did not count, by reason. sizes: the bets by both players, and the
    sizes of the tree that they became."""

    player: str
    seat: int
    counted: dict[str, ObservedShare]
    hands: int
    decisions: int
    left_out: Counter[str] = field(default_factory=Counter)
    sizes: tuple[MappedSize, ...] = ()

    @property
    def about(self) -> str:
        """How many hands and decisions."""
        return f"{self.decisions:,} decisions in {self.hands:,} hands"

    @property
    def mapped(self) -> tuple[int, int]:
        """Bets that the tree does not have, and all bets."""
        return sum(one.mapped for one in self.sizes), sum(one.n for one in self.sizes)

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {
            "player": self.player, "seat": PLAYERS[self.seat], "hands": self.hands, "decisions": self.decisions,
            "left_out": dict(self.left_out), "sizes": [one.facts() for one in self.sizes],
        }  # fmt: skip


def count_in_spot(
    spot: Spot, classes: Iterable[FrequencyClass], hands: Iterable[HoldemHand], player: str, seat: int
) -> SpotHands:
    """Count a player's hands in a seat of a spot, by classes of the decisions of that seat; hands of other players are
    passed over. A SeatError if no hand counts in that seat."""
    sums: dict[str, list[int]] = {one.name: [0, 0] for one in classes}
    classes_at: dict[int, list[tuple[str, NodeActions]]] = {}
    for one in classes:
        for at in one.nodes:
            classes_at.setdefault(at.node, []).append((one.name, at))
    left_out, used, decisions, tree = Counter[str](), list[HoldemHand](), 0, spot.betting
    for hand, here in hands_in_seat(hands, player):
        if why := _unfit(spot, hand, here, seat):
            left_out[why] += 1
            continue
        seen = 0
        for (state, _), step in follow_hand(tree, hand):
            if step.child is None:
                left_out["streets that leave the tree, from there on"] += 1
            elif state.kind == seat:
                seen += 1
                choice = int(tree.action[step.child])
                for name, at in classes_at.get(step.node, ()):
                    if choice in at.among:
                        sums[name][0] += choice in at.hits
                        sums[name][1] += 1
        decisions += seen
        if seen:
            used.append(hand)
        else:
            left_out["hands without a decision of the player there"] += 1
    if not used:
        why = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items()) or "there are none"
        raise SeatError(f"no hands of {player!r} fit the spot: {why}")
    counted = {name: ObservedShare(k, n) for name, (k, n) in sums.items()}
    return SpotHands(player, seat, counted, len(used), decisions, left_out, tuple(map_sizes(tree, used, player, seat)))


def _unfit(spot: Spot, hand: HoldemHand, seat: int, wanted: int) -> str:
    """Why a hand of the player in a seat does not count; "" if it does."""
    limits = spot.limits
    if hand.deck != spot.deck or hand.rules.last != limits.last or hand.rules.bets is not None:
        return "hands of another deck, last street or of limit hold'em"
    if seat != wanted:
        return f"hands not as {PLAYERS[wanted]}"
    begin = next((state for state, _ in hand.line.steps if state.street >= limits.first), None)
    if begin is None:
        return f"hands without betting on the {STREETS[limits.first]}"
    left = min(stack - put for stack, put in zip(hand.rules.stacks, begin.put, strict=True))
    depth, own = min(limits.stacks) / limits.pot, left / sum(begin.put)  # stacks, in pots
    if not depth / DEPTHS <= own <= depth * DEPTHS:
        return f"hands with stacks, in pots, not within a factor of {DEPTHS:g} of the spot's"
    return ""


class TiltedNode(NamedTuple):
    """A decision that can be tilted. columns: (places, actions) sequences. rows: their probabilities in the solution. came:
    (places,) the sequences that lead there. mass: (places,) the other player's reach and chance's."""

    columns: I64
    rows: F64
    came: I64
    mass: F64


@dataclass(frozen=True, eq=False)
class SpotTilt:
    """A player of a spot with other frequencies. lock: their strategy. rows: by class, in the order in which they were
    given. hands: what they were counted in; None for figures alone."""

    lock: NodeLock
    rows: tuple[FrequencyRow, ...]
    hands: SpotHands | None = None

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {"frequencies": [row.facts() for row in self.rows]}
        return told if self.hands is None else told | {"hands": self.hands.facts()}


def tilt_spot(
    solved: SolvedSpot, player: int, classes: Sequence[FrequencyClass], bounds: Bounds,
    counted: Mapping[str, ObservedShare] | None = None, hands: SpotHands | None = None,
) -> SpotTilt:  # fmt: skip
    """The smallest change of an equilibrium with which a player's frequencies are within bounds; classes whose frequency
    is there already are not locked."""
    classes, tree, behaviour = (
        [one for one in classes if one.name in bounds],
        solved.tree,
        solved.plans.behaviour(player),
    )
    nodes: dict[int, TiltedNode] = {}
    for node in dict.fromkeys(at.node for one in classes for at in one.nodes):
        columns, came = tree.sequences_at(player, node), tree.sequences_to(player, node)
        nodes[node] = TiltedNode(columns, np.asarray(behaviour[columns]), came, met_at(solved, player, node))

    def tilted(weights: Mapping[str, float]) -> tuple[SpotPlans, dict[int, F64]]:
        """Both players' strategies under a tilt, and its rows by node."""
        shifts = shifts_by_node(solved.spot.betting, classes, weights)
        rows = {node: shift_rows(nodes[node].rows, shift) for node, shift in shifts.items()}
        if not rows:
            return solved.plans, rows
        columns = np.concatenate([nodes[node].columns.ravel() for node in rows])
        return solved.plans.put(player, columns, np.concatenate([x.ravel() for x in rows.values()])), rows

    def figures(weights: Mapping[str, float]) -> dict[str, float]:
        """The frequency of every class that is reached."""
        plans, rows = tilted(weights)
        reach, sums = plans.reach(player), dict[str, F64]()
        for one in classes:
            total = sums.setdefault(one.name, np.zeros(2))
            for at in one.nodes:
                node = nodes[at.node]
                by_action = (np.maximum(reach[node.came], 0.0) * node.mass) @ rows.get(at.node, node.rows)
                total += by_action[list(at.hits)].sum(), by_action[list(at.among)].sum()
        return {name: float(hit / n) for name, (hit, n) in sums.items() if n > LEAST**2}

    fit = fit_frequencies(figures, bounds)
    if not fit.before:
        raise InputError(f"{PLAYERS[player]} never comes to a decision that the figures are about")
    (plans, rows), trust = tilted(fit.moved), LaneTrust()
    for node in rows:
        trust = trust.put(int(tree.runs[player].lane[node]) + np.arange(len(nodes[node].rows)), 1.0)
    lock = NodeLock(solved, player, plans, trust, tuple(sorted(rows)))
    return SpotTilt(lock, fit.rows(bounds, counted or {}), hands)


def spot_from_hands(solved: SolvedSpot, seat: int, hands: Iterable[HoldemHand], player: str) -> SpotTilt:
    """A player of hands in a solved spot, in a seat: 0 (oop) or 1 (ip). An InputError if no hand fits the spot."""
    classes = situations(solved.spot.betting, seat)
    return _toward(solved, classes, count_in_spot(solved.spot, classes, hands, player, seat))


def _toward(solved: SolvedSpot, classes: Sequence[FrequencyClass], hands: SpotHands) -> SpotTilt:
    """The tilt to the near ends of the intervals of what was counted."""
    seen = {name: share for name, share in hands.counted.items() if share.n}
    bounds = {name: share.interval for name, share in seen.items()}
    return tilt_spot(solved, hands.seat, classes, bounds, seen, hands)


def spot_from_log(
    solved: SolvedSpot,
    seat: int,
    hands: Sequence[Sequence[tuple[PublicNode, int]]],
    player: str,
    left_out: Counter[str],
) -> SpotTilt:
    """A player of a log of that spot's own hands. hands: of each, the player's actions: where, and the number of
    each."""
    classes, actions = situations(solved.spot.betting, seat), [action for hand in hands for action in hand]
    counted = {}
    for one in classes:
        at = {place.node: place for place in one.nodes}
        taken = [(number, at[part.node]) for part, number in actions if part.node in at]
        among = [number in place.hits for number, place in taken if number in place.among]
        counted[one.name] = ObservedShare(sum(among), len(among))
    if not any(share.n for share in counted.values()):
        raise InputError(f"no hand of {quoted(player)} has a decision of {PLAYERS[seat]} in the spot")
    return _toward(solved, classes, SpotHands(player, seat, counted, len(hands), len(actions), left_out))


def spot_from_figures(solved: SolvedSpot, seat: int, figures: Mapping[str, float]) -> SpotTilt:
    """A player with some statistics in a solved spot. figures: shares by name in `seen_decisions.STATISTICS`."""
    classes = statistic_classes(solved.spot.betting, seat)
    return tilt_spot(solved, seat, classes, {name: (share, share) for name, share in figures.items()})
