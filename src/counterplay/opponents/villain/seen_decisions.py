"""The usual statistics of poker as classes of decisions: where each counts, and which actions it counts; the decisions of a
player in a hand, with what each counts for; and the figures of a strategy. docs/hands.md has the definitions in words.

The same classes are found in observed hands and in betting trees, so that a player and a strategy are compared by one
definition. Places are those of leaks: a street, and acting first, after a check, facing a bet or facing a raise.

Figures of a strategy that plays itself are exact over hands and actions, on drawn boards: both players' reaches are carried
down the betting tree, so that no hand is drawn, and before the flop nothing is sampled at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.intervals import NORMAL_975
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.rules import STREETS, BettingRules
from counterplay.poker.betting.state import Action, BettingState, Kind, Move, act, pot, start
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.cards.deck import CARDS
from counterplay.poker.locking.leak_text import LeakPlace
from counterplay.poker.whole_game.boards.board import DEALT
from counterplay.poker.whole_game.holdem import HoldemGame, number_sequences
from counterplay.poker.whole_game.strategy import BlueprintStrategy, lanes_of_hands, reaches

STRENGTH = 15.0
"""Observations that the known figure is worth."""
ENOUGH = 20
"""Observations from which a frequency counts for itself."""
COUNTED, TILTED, ASSUMED, UNKNOWN = "counted", "tilted", "assumed", "unknown"


@dataclass(frozen=True)
class ObservedShare:
    """k of n observations."""

    k: int = 0
    n: int = 0

    @property
    def share(self) -> float | None:
        """k / n; None without observations."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval (Wilson 1927); from 0 to 1 without observations."""
        if not self.n:
            return 0.0, 1.0
        p, scale = self.k / self.n, NORMAL_975 * NORMAL_975 / self.n
        middle, half = p + scale / 2.0, NORMAL_975 * sqrt(p * (1.0 - p) / self.n + scale / (4.0 * self.n))
        return max(0.0, (middle - half) / (1.0 + scale)), min(1.0, (middle + half) / (1.0 + scale))

    def estimate(self, known: float | None) -> tuple[float | None, str]:
        """A figure, and its source: "counted" from `ENOUGH` observations on, else "tilted" toward a known figure (mean of
        the posterior of a Beta prior worth `STRENGTH` observations), "assumed" (the known figure alone) or "unknown"."""
        if self.n >= ENOUGH or (self.n and known is None):
            return self.share, COUNTED
        if known is None:
            return None, UNKNOWN
        if not self.n:
            return known, ASSUMED
        return (self.k + STRENGTH * known) / (self.n + STRENGTH), TILTED

    def nearest(self, known: float) -> float:
        """The end of the interval that is nearer to a known figure; the known figure if it is inside."""
        low, high = self.interval
        return min(max(known, low), high)


FOLD, CALL, RAISE = "fold", "call", "raise"
_POT = (0.75, 1.25)
"""Bets of about the pot, as shares of it."""
LATER = STREETS[1:]
STATISTICS: dict[str, str] = {
    "VPIP button": "calls or raises before the flop, on the button",
    "VPIP big blind": "calls or raises before the flop, in the big blind",
    "PFR button": "raises before the flop at least once, on the button",
    "PFR big blind": "raises before the flop at least once, in the big blind",
    "3-bet": "raises an opening raise",
    "fold to raise": "folds to an opening raise",
    "fold to 3-bet": "folds to a raise of the own raise before the flop",
    **{f"c-bet {street}": "bets first, after the last raise of the street before" for street in LATER},
    **{f"fold to c-bet {street}": "folds to such a bet" for street in LATER},
    **{f"fold to pot {street}": "folds to a bet or raise of 0.75 to 1.25 pots" for street in LATER},
    "check-raise": "raises after a check in the same street",
    "aggression": "bets or raises, of all bets, raises and calls after the flop",
    "WTSD": "goes to showdown, of the hands that see a flop",
    "W$SD": "collects the pot or a part of it at showdown, whoever shows",
}
"""Statistics and what they count; all but the last two are counted decision by decision."""
WENT, WON = "WTSD", "W$SD"


class Counted(NamedTuple):
    """A decision that counts in a statistic. name: of the statistic. hits: the actions that count in its favour. among:
    the actions that count at all; none at a later decision of a hand that counts already, which `hits` may turn."""

    name: str
    hits: frozenset[str]
    among: frozenset[str] = frozenset((FOLD, CALL, RAISE))


_FOLDS, _RAISES, _PUTS_IN = frozenset({FOLD}), frozenset({RAISE}), frozenset({CALL, RAISE})
_EITHER = 2
"""The leader where the street before is not known: whoever acts."""


class DecisionWatch:
    """The statistics at each decision of a hand or spot, in which `after` follows the steps.

    A spot does not say who raised last before it: there, either player counts as that one."""

    def __init__(self, rules: BettingRules) -> None:
        self._rules = rules
        self._leader = _EITHER if rules.first > 0 else -1
        self._acted, self._raised, self._checked = [False, False], [False, False], [False, False]

    def branch(self) -> DecisionWatch:
        """A copy, to follow another branch."""
        other = copy(self)
        other._acted, other._raised, other._checked = self._acted.copy(), self._raised.copy(), self._checked.copy()
        return other

    def after(self, state: BettingState, action: Action) -> None:
        """Follow a step."""
        if action.move is Move.DEAL:
            self._leader, self._checked = state.leader, [False, False]
            return
        self._acted[state.kind] = True
        self._raised[state.kind] |= kind_of(action.move) == RAISE
        self._checked[state.kind] |= action.move is Move.CHECK

    def statistics(self, state: BettingState) -> Iterator[Counted]:
        """The statistics in which the decision at a state counts."""
        me = int(state.kind)
        faced = state.put[1 - me] - state.put[me]
        if state.street == 0:
            seat = "button" if me else "big blind"
            if not self._acted[me]:  # who folds or checks here has no later decision before the flop
                yield Counted(f"VPIP {seat}", _PUTS_IN if faced > 0 else _RAISES)
                yield Counted(f"PFR {seat}", _RAISES)
            elif not self._raised[me]:
                yield Counted(f"PFR {seat}", _RAISES, frozenset())
            if faced > 0 and state.raises == 1:
                yield Counted("3-bet", _RAISES)
                yield Counted("fold to raise", _FOLDS)
            if faced > 0 and state.raises == 2 and self._acted[me]:
                yield Counted("fold to 3-bet", _FOLDS)
            return
        street = STREETS[state.street]
        yield Counted("aggression", _RAISES, _PUTS_IN if faced > 0 else _RAISES)
        if faced <= 0:
            if self._leader in (me, _EITHER):
                yield Counted(f"c-bet {street}", _RAISES)
            return
        if state.raises == 1 and self._leader in (1 - me, _EITHER):
            yield Counted(f"fold to c-bet {street}", _FOLDS)
        if _POT[0] <= faced / (pot(self._rules, state) - faced) <= _POT[1]:
            yield Counted(f"fold to pot {street}", _FOLDS)
        if self._checked[me]:
            yield Counted("check-raise", _RAISES)


def kind_of(move: Move) -> str:
    """What a statistic calls an action: a check is a call."""
    if move is Move.FOLD:
        return FOLD
    return CALL if move in (Move.CHECK, Move.CALL) else RAISE


def walk_tree(betting: BettingTree) -> Iterator[tuple[int, BettingState, DecisionWatch]]:
    """Every decision of a betting tree, with its state by the rules and what was watched on the way."""
    stack = [(0, start(betting.rules), DecisionWatch(betting.rules))]
    while stack:
        node, state, watch = stack.pop()
        if state.kind <= Kind.PLAYER1:
            yield node, state, watch
        for child in betting.children(node):
            move, to = Move(int(betting.move[child])), round(float(betting.to[child]) / betting.rules.unit)
            action, branch = Action(move, to), watch.branch()
            branch.after(state, action)
            stack.append((child, act(betting.rules, state, action), branch))


class NodeActions(NamedTuple):
    """A decision in a class. node: of the betting tree. hits: the actions whose frequency it is. among: those that count."""

    node: int
    hits: tuple[int, ...]
    among: tuple[int, ...]


def counted_nodes(betting: BettingTree) -> Iterator[tuple[str, BettingState, NodeActions]]:
    """Every decision of a betting tree in every statistic: its name, the state, and the actions."""
    for node, state, watch in walk_tree(betting):
        kinds = [kind_of(Move(int(betting.move[child]))) for child in betting.children(node)]
        for name, *sets in watch.statistics(state):
            hits, among = (tuple(k for k, kind in enumerate(kinds) if kind in some) for some in sets)
            yield name, state, NodeActions(node, hits, among)


class SeenDecision(NamedTuple):
    """A decision, or the end of a hand. step: number of the step in the hand's line; that after the last for the end of
    the hand. place: street and what is faced; None before the flop and at the end. counted: the statistics in which it
    counts, and whether in their favour. pot: in big blinds, bets of the street included."""

    step: int
    place: LeakPlace | None
    counted: tuple[tuple[str, bool], ...]
    pot: float


def seen_decisions(hand: HoldemHand, seat: int) -> list[SeenDecision]:
    """Every decision of a player in order, then the end of the hand where that counts. seat: the player's."""
    watch, big, found = DecisionWatch(hand.rules), max(hand.rules.blinds), list[SeenDecision]()
    for number, (state, action) in enumerate(hand.line.steps):
        if state.kind == seat:
            kind, counted = kind_of(action.move), list[tuple[str, bool]]()
            for name, hits, among in watch.statistics(state):
                if kind in among or (not among and kind in hits):
                    counted.append((name, kind in hits))
                if not among and kind in hits:  # in place of the decision that counted before
                    found = [one._replace(counted=tuple(x for x in one.counted if x[0] != name)) for one in found]
            found.append(SeenDecision(number, place_of(state), tuple(counted), sum(state.put) / big))
        watch.after(state, action)
    ended = list[tuple[str, bool]]()
    shown = hand.line.end.kind is Kind.SHOWDOWN
    if len(hand.board) >= 3:
        ended.append((WENT, shown))
    if shown and hand.won is not None:
        lost = -hand.rules.chips(min(hand.line.end.put))
        ended.append((WON, (hand.won if seat == 0 else -hand.won) > 0.5 * lost))  # shares of a raked pot, too
    if ended:
        found.append(SeenDecision(len(hand.line.steps), None, tuple(ended), sum(hand.line.end.put) / big))
    return found


def hands_in_seat(
    hands: Iterable[HoldemHand], player: str, seat: int | None = None
) -> Iterator[tuple[HoldemHand, int]]:
    """The hands of a player, each with the player's seat. seat: of these hands; None for both."""
    for hand in hands:
        if player in hand.players and seat in (None, here := hand.players.index(player)):
            yield hand, here


def place_of(state: BettingState) -> LeakPlace | None:
    """The place of a decision after the flop is dealt; None before, and where no player acts.

    The places of a street exclude each other: who faces a raise is not counted as facing a bet."""
    if state.kind > Kind.PLAYER1 or state.street == 0:
        return None
    if state.put[0] != state.put[1]:
        return LeakPlace(street=state.street, facing="raise" if state.raises > 1 else "bet")
    return LeakPlace(street=state.street, first=not state.acted, check=bool(state.acted))


def places_of(streets: range) -> list[LeakPlace]:
    """All places of some streets, in the order of the play."""
    return [
        LeakPlace(street=street, **where)
        for street in streets
        for where in ({"first": True}, {"check": True}, {"facing": "bet"}, {"facing": "raise"})
    ]  # type: ignore[arg-type]


Sums = dict[str, F64]
Plans = Sequence[F64]
"""(sequences, hands) reach of both players on a street."""


class StrategyFigures:
    """The statistics of one strategy in both seats. other: whom it meets; itself if None."""

    def __init__(self, game: HoldemGame, play: BlueprintStrategy, other: BlueprintStrategy | None = None) -> None:
        self.game, self.play, self.other = game, play, other
        betting, deck = game.betting, game.deck
        self._last = number_sequences(betting).at
        self._showdowns = [self._last[node] for node in range(betting.nodes) if betting.kind[node] == Kind.SHOWDOWN]
        self._holds = np.zeros((len(deck.hands), CARDS))
        self._holds[np.arange(len(deck.hands))[:, None], deck.hands] = 1.0

    def of_strategy(self, play: BlueprintStrategy) -> StrategyFigures:
        """Those of another strategy, which meets the same player; the decisions are not searched again."""
        other = copy(self)
        other.play = play
        return other

    def figures(self, boards: int, seed: int = 0) -> dict[str, float]:
        """Each statistic that the strategy ever counts in. boards: how many are drawn."""
        rng, sums = np.random.default_rng(seed), dict[str, F64]()
        self._nodes  # noqa: B018 - listed once for all that `of_strategy` makes
        early = self._plans_before_flop(self.play)
        met = early if self.other is None else self._plans_before_flop(self.other)
        self._add(sums, 0, early, met)
        for _ in range(boards):
            dealt = rng.permutation(np.array(self.game.deck.cards))[: DEALT[self.game.last]].tolist()
            cards = (*sorted(dealt[: DEALT[1]]), *dealt[DEALT[1] :])
            plans, others = early, met
            for street in range(1, self.game.last + 1):
                shown = cards[: DEALT[street]]
                plans = [self._plan(self.play, player, street, plans[player], shown) for player in (0, 1)]
                if self.other is not None:
                    others = [self._plan(self.other, player, street, others[player], shown) for player in (0, 1)]
                else:
                    others = plans
                self._add(sums, street, plans, others)
            live = self.game.deck.live(cards)  # so that both are counted over the same hands
            seats = [(plans[0], others[1], early[0], met[1])]
            if self.other is not None:
                seats.append((others[0], plans[1], met[0], early[1]))
            for one, two, first, second in seats:
                shown_down = sum(self._mass((one, two), *at) for at in self._showdowns)
                begins = [plan[side.entry] * live for side, plan in zip(self.game.sides, (first, second), strict=True)]
                saw_flop = sum(self._mass(begins, entry, entry) for entry in range(len(begins[0])))
                sums[WENT] = sums.get(WENT, np.zeros(2)) + np.array((shown_down, saw_flop))
        return {name: float(hit / n) for name, (hit, n) in sums.items() if n > 0.0}

    def _add(self, sums: Sums, street: int, plans: Plans, others: Plans) -> None:
        met, cards = [self._met(plan) for plan in others], len(self.game.deck.cards) - DEALT[street]
        pairs = comb(cards, 2) * comb(cards - 2, 2)  # of hands that go with a board: the weight of the street
        for name, state, (node, hits, among), first in self._nodes:
            if state.street == street:
                player = int(state.kind)
                plan, other = plans[player][first:], met[1 - player][self._last[node][1 - player]]
                sums[name] = sums.get(name, np.zeros(2)) + [
                    float((plan[list(rows)] @ other).sum()) / pairs for rows in (hits, among)
                ]

    def _mass(self, plans: Plans, first: int, second: int) -> float:
        return float(plans[0][first] @ self._met(plans[1][[second]])[0])

    def _met(self, plan: F64) -> F64:
        """(sequences, hands) the reach of all hands of a player that go with each hand of the other."""
        by_card = plan @ self._holds
        one, two = self.game.deck.hands.T
        return plan.sum(axis=1)[:, None] - by_card[:, one] - by_card[:, two] + plan  # type: ignore[no-any-return]

    def _plans_before_flop(self, play: BlueprintStrategy) -> Plans:
        group = self.game.boards.group
        return [reaches(side, play.preflop[k])[:, group] for k, side in enumerate(self.game.sides)]

    def _plan(self, play: BlueprintStrategy, player: int, street: int, before: F64, cards: tuple[int, ...]) -> F64:
        """(sequences, hands) a player's reach on a board."""
        side = self.game.sides[player]
        table, lane = lanes_of_hands(self.game, play, player, cards)
        rows: AnyArray = np.asarray(table, np.float64)[:, lane]
        plan = np.zeros((side.sizes[street], before.shape[1]))
        plan[: len(side.entries[street])] = before[side.entries[street]] * self.game.deck.live(cards)
        for _, above, first, count in side.decisions[street].tolist():
            plan[first : first + count] = plan[above] * rows[first : first + count]
        return plan

    @cached_property
    def _nodes(self) -> list[tuple[str, BettingState, NodeActions, int]]:
        """Every decision of the tree in every statistic, and the first sequence of the player there."""
        firsts = {int(row[0]): int(row[2]) for side in self.game.sides for rows in side.decisions for row in rows}
        return [(*counted, firsts[counted[2].node]) for counted in counted_nodes(self.game.betting)]
