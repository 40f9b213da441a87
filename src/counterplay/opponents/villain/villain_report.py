"""All that hands say about a player: the card, how much of the player's play was seen, and what bets were mapped to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.coverage import VillainCoverage, villain_coverage
from counterplay.opponents.villain.mapped_sizes import MappedSize, map_sizes
from counterplay.opponents.villain.villain_card import VillainCard, villain_card
from counterplay.poker.betting.tree import BettingTree
from counterplay.poker.spots.solution import SolvedSpot


@dataclass(frozen=True)
class VillainReport:
    """What hands say. card: statistics. coverage: of the places of decisions. sizes: empty without a betting tree."""

    card: VillainCard
    coverage: VillainCoverage
    sizes: tuple[MappedSize, ...]

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        return {**self.card.facts(), "coverage": self.coverage.facts(), "sizes": [one.facts() for one in self.sizes]}


def report_villain(
    hands: Sequence[HoldemHand],
    player: str,
    known: Mapping[str, float] | None = None,
    solved: SolvedSpot | None = None,
    seat: int | None = None,
    tree: BettingTree | None = None,
) -> VillainReport:
    """The report on a player.

    Args:
        hands: those of the player; others are passed over.
        player: name.
        known: figures of a strategy, for the card (see `villain_card`).
        solved: a spot, in which the coverage is measured, and whose tree the sizes are mapped to.
        seat: the player's there, 0 or 1.
        tree: another betting tree for the sizes, where there is no spot.

    Raises:
        InputError: a spot without a seat.
    """
    tree = tree if solved is None else solved.tree.betting
    return VillainReport(
        villain_card(hands, player, known),
        villain_coverage(hands, player, solved, seat),
        tuple(map_sizes(tree, hands, player, seat)) if tree is not None else (),
    )
