"""Coverage of a player's places of decisions by hands, with their shares of the player's decisions in a spot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.villain.observed_share import ENOUGH, CoveredShares
from counterplay.opponents.villain.seen_decisions import place_of, places_of, seen_decisions, walk_tree
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.locking.leak_text import LeakPlace
from counterplay.poker.spots.solution import SolvedSpot, odds_of

SEEN, LITTLE, GUESSED = BASES = ("seen", "little", "guessed")


@dataclass(frozen=True)
class PlaceCoverage:
    """A place of decisions.

    Attributes:
        place: street, and what is faced.
        n: decisions of the player that were seen there.
        share: of the player's decisions in the spot; None without a spot.
        basis: "seen" from `ENOUGH` decisions on, "little" below, "guessed" without any.
    """

    place: LeakPlace
    n: int
    share: float | None

    @property
    def basis(self) -> str:
        return SEEN if self.n >= ENOUGH else LITTLE if self.n else GUESSED


@dataclass(frozen=True)
class VillainCoverage:
    """Places of decisions after the flop is dealt, in the order of the play."""

    places: tuple[PlaceCoverage, ...]

    def share(self, basis: str) -> float | None:
        """The share of the player's decisions in the spot on a basis; None without a spot."""
        shares = [one.share for one in self.places if one.share is not None]
        if len(shares) < len(self.places):
            return None
        counts = np.array([float(one.n) for one in self.places])
        return CoveredShares.of(counts, np.array(shares), ENOUGH)[BASES.index(basis)]

    def facts(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        rows = [{"place": str(one.place), "n": one.n, "share": one.share, "basis": one.basis} for one in self.places]
        return {**{basis: self.share(basis) for basis in BASES}, "places": rows}


def villain_coverage(
    hands: Iterable[HoldemHand], player: str, solved: SolvedSpot | None = None, seat: int | None = None
) -> VillainCoverage:
    """The coverage of a player's play by the player's hands. solved: a spot; the shares are those of both players'
    strategies there. None: all streets, without shares. seat: the player's, 0 (out of position) or 1: in the spot, and
    of the hands that count. None: of all hands, which goes without a spot only."""
    if solved is not None and seat is None:
        raise InputError("the coverage of a spot is that of a seat: oop or ip")
    seen = Counter[LeakPlace]()
    for hand in hands:
        here = hand.players.index(player) if player in hand.players else None
        if here is not None and seat in (None, here):
            seen.update(one.place for one in seen_decisions(hand, here) if one.place is not None)
    if solved is None or seat is None:
        return VillainCoverage(tuple(PlaceCoverage(one, seen[one], None) for one in places_of(range(1, len(STREETS)))))
    betting, odds = solved.tree.betting, dict[LeakPlace, float]()
    for node, state, _ in walk_tree(betting):
        place = place_of(state)
        if place is not None and state.kind == seat and solved.tree.runs[seat].lane[node] >= 0:
            odds[place] = odds.get(place, 0.0) + odds_of(solved, node)
    total = sum(odds.values())
    shares = {one: odds[one] / total for one in places_of(range(1, len(STREETS))) if one in odds and total > 0.0}
    return VillainCoverage(tuple(PlaceCoverage(place, seen[place], share) for place, share in shares.items()))
