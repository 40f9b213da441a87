"""A solved spot tilted toward frequencies of one player: as a lock, with what was asked for beside what was reached.

A tilt is the smallest change of a strategy that meets frequencies: every probability is multiplied by exp(weight of its
classes). A class is a set of decisions with some of their actions; its frequency is how often these are taken there. With
one weight for each class the change of least relative entropy, counted where the player comes, is of this form (Csiszár
1975), and a class whose frequency is within its bounds keeps the weight 0. Hands keep their order.

From hands, each class of decisions moves to the near end of the 95 % interval of what was observed, and stays as it is where
the solution is inside: a leak that hands suggest becomes a lock that they support. From figures, each statistic becomes what
was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, nan
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F64, I64, AnyArray
from counterplay.errors import InputError, SeatError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
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

Bounds = Mapping[str, tuple[float, float]]
"""The least and the largest frequency of each class, by name."""
_MISSED = 1e-3
"""The difference from which a figure was not reached."""
LEAST = 1e-4
"""The least probability of an action before it is multiplied: what a strategy never does may yet be asked for."""
_ROUNDS, _CLOSE, _MOST, _STILL = 60, 2e-5, 12.0, 1e-4
_LONGEST, _CAREFUL, _DEAF = 2.0, 0.5, 1e-9


@dataclass(frozen=True)
class FrequencyRow:
    """A class of decisions under a tilt. known: the frequency without the tilt; None where the player never comes
    there. low, high: what was asked for. target: the near end of it, which the tilt aims at; None where it is met
    already. achieved: what the tilt reaches; None as `known`. locked: whether the class is changed, and locked.
    counted: what was observed; None where the figure was given."""

    name: str
    known: float | None
    low: float
    high: float
    target: float | None
    achieved: float | None
    locked: bool
    counted: ObservedShare | None = None

    @property
    def facts(self) -> dict[str, Any]:
        seen = {} if self.counted is None else {"k": self.counted.k, "n": self.counted.n}
        return {name: value for name, value in vars(self).items() if name != "counted"} | seen


@dataclass(frozen=True)
class FrequencyFit:
    """Weights by class, the frequencies without and with them, and the frequencies that were asked for; classes that are
    never reached are in none of them."""

    weights: dict[str, float]
    before: dict[str, float]
    goals: dict[str, float]
    after: dict[str, float]

    @property
    def moved(self) -> dict[str, float]:
        """The weights that are not 0."""
        return {name: weight for name, weight in self.weights.items() if weight}

    def rows(self, bounds: Bounds, counted: Mapping[str, ObservedShare]) -> tuple[FrequencyRow, ...]:
        """The report by class. bounds: that were fitted. counted: what was observed, by class."""
        out = []
        for name, (low, high) in bounds.items():
            goal, after, locked = self.goals.get(name), self.after.get(name), self.weights[name] != 0.0
            missed = goal is not None and after is not None and abs(goal - after) > _MISSED
            target = goal if locked or missed else None
            out.append(FrequencyRow(name, self.before.get(name), low, high, target, after, locked, counted.get(name)))
        return tuple(out)


def fit_frequencies(figures: Callable[[Mapping[str, float]], Mapping[str, float]], bounds: Bounds) -> FrequencyFit:
    """The weights with which all classes are within their bounds, 0 where they are without.

    Quasi-Newton steps (Broyden 1965) in the log odds of all classes at once, which a weight moves by about its size."""
    names, low, high = list(bounds), *np.array(list(bounds.values()), np.float64).reshape(-1, 2).T
    weights, slopes, is_stuck = np.zeros(len(names)), np.eye(len(names)), np.zeros(len(names), np.bool_)
    last: tuple[F64, F64, float] | None = None

    def measured() -> F64:
        """(classes,) frequencies, NaN of classes that are not reached."""
        found = figures(dict(zip(names, weights.tolist(), strict=True)))
        return np.array([found.get(name, nan) for name in names])

    def aims() -> F64:
        """(classes,) the near bounds; what pushes upward pushes no further than the lower one."""
        return np.where(weights > 0.0, low, np.where(weights < 0.0, high, np.clip(now, low, high)))

    before = now = measured()
    for _ in range(_ROUNDS):
        goals, is_free = aims(), ~np.isnan(now) & ~is_stuck
        if (np.abs(now - goals)[is_free] <= _CLOSE).all():
            break
        here = _log_odds(np.where(np.isnan(now), 0.5, now))
        left = np.where(is_free, _log_odds(goals) - here, 0.0)
        start, distance, scale = weights.copy(), float(np.linalg.norm(left)), 1.0
        if last is not None:
            moved, change = start - last[0], here - last[1]
            is_deaf = (np.abs(moved) > _STILL) & (np.abs(change) < _DEAF)
            is_stuck |= is_deaf  # no weight moves the class, which is left alone
            weights[is_deaf] = 0.0
            if distance > last[2]:  # the last step went astray
                slopes, scale = np.eye(len(names)), _CAREFUL
            elif moved.any():
                slopes += np.outer(change - slopes @ moved, moved) / (moved @ moved)
        last = start, here, distance
        active = np.flatnonzero(is_free & ((start != 0.0) | (np.abs(left) > 0.0)))
        steps = np.linalg.lstsq(slopes[np.ix_(active, active)], left[active], rcond=1e-3)[0]
        after = np.clip(weights[active] + scale * np.clip(steps, -_LONGEST, _LONGEST), -_MOST, _MOST)
        after[weights[active] * after < 0.0] = 0.0  # beyond 0 the other bound counts
        weights[active] = np.where(is_stuck[active], weights[active], after)
        now = measured()
        if np.abs(weights - start).max(initial=0.0) < _STILL:
            break  # what is left cannot be reached
    reached = np.flatnonzero(~np.isnan(now)).tolist()
    old, goal, new = ({names[k]: float(of[k]) for k in reached} for of in (before, aims(), now))
    return FrequencyFit(dict(zip(names, weights.tolist(), strict=True)), old, goal, new)


def shift_rows(rows: AnyArray, shift: F64) -> F64:
    """(places, actions) probabilities multiplied by exp of the shifts, (actions,), and normalised."""
    out = (np.asarray(rows, np.float64) + LEAST) * np.exp(shift - shift.max())
    return np.asarray(out / out.sum(axis=1, keepdims=True), np.float64)


def _log_odds(shares: F64) -> F64:
    return np.array([log(share / (1.0 - share)) for share in np.clip(shares, LEAST, 1.0 - LEAST).tolist()])


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

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "player": self.player, "seat": PLAYERS[self.seat], "hands": self.hands, "decisions": self.decisions,
            "left_out": dict(self.left_out), "sizes": [one.facts for one in self.sizes],
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

    @property
    def facts(self) -> dict[str, Any]:
        told = {"frequencies": [row.facts for row in self.rows]}
        return told if self.hands is None else told | {"hands": self.hands.facts}


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
    solved: SolvedSpot, seat: int, hands: Sequence[Sequence[tuple[PublicNode, int]]], player: str,
    left_out: Counter[str],
) -> SpotTilt:  # fmt: skip
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
