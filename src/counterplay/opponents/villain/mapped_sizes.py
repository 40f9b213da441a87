"""The sizes of observed bets beside those of a betting tree: which sizes, how many, and what they are mapped to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.poker.betting.line_notation import Step
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.betting.state import Kind, Move, all_in
from counterplay.poker.betting.translated_line import TranslatedStep, raise_share, translate_line, translate_street
from counterplay.poker.betting.tree import BettingTree

ALL_IN, NONE = "all-in", "none"


class _Bet(NamedTuple):
    """A bet: street, "bet" or "raise", what it is mapped to, its size in per cent ("all-in" for all chips), and whether the
    tree has another size."""

    street: int
    kind: str
    to: str
    size: str
    mapped: bool


@dataclass(frozen=True)
class MappedSize:
    """Bets or raises of a street that become one action of the tree.

    Attributes:
        street: index in STREETS.
        kind: "bet" or "raise".
        to: size in the tree, per cent of the pot after a call, or "all-in"; "none" if the tree has no bet there.
        n: how many.
        mapped: how many of them have another size than the tree.
        sizes: those seen, in whole per cent, each with its number; the most frequent first.
    """

    street: int
    kind: str
    to: str
    n: int
    mapped: int
    sizes: tuple[tuple[str, int], ...]

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {
            "street": STREETS[self.street], "kind": self.kind, "to": self.to, "n": self.n, "mapped": self.mapped,
            "sizes": [list(one) for one in self.sizes],
        }  # fmt: skip


def map_sizes(tree: BettingTree, hands: Iterable[HoldemHand], player: str, seat: int | None = None) -> list[MappedSize]:
    """The bets and raises of both players in a player's hands, by what they become in a tree, street by street."""
    found = Counter[_Bet]()
    for hand in hands:
        if player in hand.players and seat in (None, hand.players.index(player)) and hand.rules.bets is None:
            found.update(_bets(tree, hand))
    kinds = groupby(sorted(found, key=_order), key=lambda one: one[:3])
    return [_mapped(list(bets), found) for _, bets in kinds]


def _order(one: _Bet) -> tuple[Any, ...]:
    number = {ALL_IN: 1e9, NONE: 2e9}
    return one.street, one.kind, number.get(one.to) or float(one.to[:-2]), one.to


def _mapped(bets: list[_Bet], found: Counter[_Bet]) -> MappedSize:
    sizes = Counter[str]()
    for one in bets:
        sizes[one.size] += found[one]
    first, mapped = bets[0], sum(found[one] for one in bets if one.mapped)
    return MappedSize(first.street, first.kind, first.to, sizes.total(), mapped, tuple(sizes.most_common()))


def _bets(tree: BettingTree, hand: HoldemHand) -> Iterator[_Bet]:
    for (state, action), one in follow_hand(tree, hand):
        if one.share is None:
            continue
        whole = action.to >= all_in(hand.rules, state)
        size = ALL_IN if whole else f"{100.0 * one.share:.0f} %"
        kind = "raise" if max(state.put) > state.base else "bet"
        yield _Bet(state.street, kind, _size(tree, one.child), size, one.mapped)


def follow_hand(tree: BettingTree, hand: HoldemHand) -> Iterator[tuple[Step, TranslatedStep]]:
    """The steps of a hand and what they become in a tree, as in `map_sizes`."""
    steps, rules = hand.line.steps, hand.rules
    if tree.rules.first == 0:
        yield from zip(steps, translate_line(tree, steps, rules), strict=False)
        return
    played = (step for step in steps if step.state.kind <= Kind.PLAYER1)
    for street, part in groupby(played, key=lambda step: step.state.street):
        here = list(part)
        if tree.rules.first <= street <= tree.rules.last:
            yield from zip(here, translate_street(tree, here, rules), strict=False)


def _size(tree: BettingTree, child: int | None) -> str:
    """What an action of the tree is called: without chips, since pots differ."""
    if child is None:
        return NONE
    return ALL_IN if tree.move[child] == Move.ALL_IN else f"{100.0 * raise_share(tree, child):.0f} %"
