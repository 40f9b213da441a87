"""Hands of a player as counts in a spot: from the street on where the spot begins, bets mapped to those of its tree.

Each street's betting is followed by itself, since pots and cards differ.

Only hands in which the player sits as in the spot count, and in which the stacks are about as deep there as in the spot.
Boards and ranges of the hands are others than the spot's: what is counted is a habit, and the spot's solution says which
hands have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from counterplay.errors import SeatError
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.spot_situations import FrequencyClass
from counterplay.opponents.villain.mapped_sizes import MappedSize, follow_hand, map_sizes
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.poker.betting.rules import PLAYERS, STREETS
from counterplay.poker.betting.state import BettingState
from counterplay.poker.spots.spot import Spot

DEPTHS = 3.0
"""The most by which stacks, as multiples of the pot, may differ from the spot's, as a factor."""


@dataclass(frozen=True)
class SpotHands:
    """What hands show of a player in a spot.

    Attributes:
        player: name.
        seat: 0 (oop) or 1 (ip).
        counted: by class of decisions, how often the class's actions were taken; classes without an observation too.
        hands: how many counted.
        decisions: how many of the player's.
        left_out: hands and rests of hands that did not count, by reason.
        sizes: the bets by both players, and the sizes of the tree that they became.
    """

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
    """Count a player's hands in a spot.

    Args:
        spot: the spot.
        classes: of the decisions of that seat.
        hands: of hold'em; those of other players are passed over.
        player: name.
        seat: where the player sits in the spot.

    Raises:
        SeatError: no hand counts in that seat; the message says why.
    """
    counter = _Counter(spot, list(classes), seat)
    for hand in hands:
        if player in hand.players:
            counter.add(hand, hand.players.index(player))
    if not counter.used:
        told = ", ".join(f"{count:,} {reason}" for reason, count in counter.left_out.items()) or "there are none"
        raise SeatError(f"no hands of {player!r} fit the spot: {told}")
    counted = {name: ObservedShare(k, n) for name, (k, n) in counter.sums.items()}
    sizes = tuple(map_sizes(spot.betting, counter.used, player, seat))
    return SpotHands(player, seat, counted, len(counter.used), counter.decisions, counter.left_out, sizes)


class _Counter:
    def __init__(self, spot: Spot, classes: list[FrequencyClass], seat: int) -> None:
        self.spot, self.seat, self.first = spot, seat, spot.limits.first
        self.sums: dict[str, list[int]] = {one.name: [0, 0] for one in classes}
        self._at: dict[int, list[tuple[str, tuple[int, ...], tuple[int, ...]]]] = {}
        for one in classes:
            for at in one.nodes:
                self._at.setdefault(at.node, []).append((one.name, at.hits, at.among))
        self.left_out, self.used = Counter[str](), list[HoldemHand]()
        self.decisions = 0
        limits = spot.limits
        self._depth = min(limits.stacks) / limits.pot

    def add(self, hand: HoldemHand, seat: int) -> None:
        """Count a hand of the player in a seat."""
        reason = self._unfit(hand, seat)
        if reason:
            self.left_out[reason] += 1
            return
        tree, seen = self.spot.betting, 0
        for (state, _), one in follow_hand(tree, hand):
            if one.child is None:
                self.left_out["streets that leave the tree, from there on"] += 1
            elif state.kind == self.seat:
                seen += 1
                self._count(one.node, int(tree.action[one.child]))
        if seen:
            self.used.append(hand)
        self.decisions += seen
        if not seen:
            self.left_out["hands without a decision of the player there"] += 1

    def _unfit(self, hand: HoldemHand, seat: int) -> str:
        """Why a hand does not count; "" if it does."""
        if hand.deck != self.spot.deck or hand.rules.last != self.spot.limits.last or hand.rules.bets is not None:
            return "hands of another deck, last street or of limit hold'em"
        if seat != self.seat:
            return f"hands not as {PLAYERS[self.seat]}"
        begin = next((state for state, _ in hand.line.steps if state.street >= self.first), None)
        if begin is None:
            return f"hands without betting on the {STREETS[self.first]}"
        if not self._depth / DEPTHS <= _depth(hand, begin) <= self._depth * DEPTHS:
            return f"hands with stacks, in pots, not within a factor of {DEPTHS:g} of the spot's"
        return ""

    def _count(self, node: int, choice: int) -> None:
        for name, hits, among in self._at.get(node, ()):
            if choice in among:
                self.sums[name][0] += choice in hits
                self.sums[name][1] += 1


def _depth(hand: HoldemHand, state: BettingState) -> float:
    """The stacks that are left, as multiples of the pot."""
    left = min(stack - put for stack, put in zip(hand.rules.stacks, state.put, strict=True))
    return left / sum(state.put)
