"""Models of a player in a spot: from hands, and from figures alone. Both are the solution with the smallest change.

From hands, each class of decisions moves to the near end of the 95 % interval of what was observed, and stays as it is where
the solution is inside: a leak that hands suggest becomes a lock that they support. From figures, each statistic becomes what
was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from counterplay.errors import InputError, quoted
from counterplay.opponents.histories.hand_record import HoldemHand
from counterplay.opponents.tilting.spot_hands import SpotHands, count_in_spot
from counterplay.opponents.tilting.spot_situations import situations, statistic_classes
from counterplay.opponents.tilting.spot_tilt import SpotTilt, tilt_spot
from counterplay.opponents.villain.observed_share import ObservedShare
from counterplay.poker.betting.rules import PLAYERS
from counterplay.poker.public_tree.public_terminals import PublicNode
from counterplay.poker.spots.solution import SolvedSpot


def spot_from_hands(solved: SolvedSpot, seat: int, hands: Iterable[HoldemHand], player: str) -> SpotTilt:
    """A player of hands in a solved spot.

    Args:
        solved: an equilibrium.
        seat: where the player sits: 0 (oop) or 1 (ip).
        hands: those of the player; others are passed over.
        player: name.

    Raises:
        InputError: no hand fits the spot.
    """
    classes = situations(solved.spot.betting, seat)
    found = count_in_spot(solved.spot, classes, hands, player, seat)
    seen = {name: share for name, share in found.counted.items() if share.n}
    bounds = {name: share.interval for name, share in seen.items()}
    return replace(tilt_spot(solved, seat, classes, bounds, seen), hands=found)


def spot_from_log(
    solved: SolvedSpot,
    seat: int,
    hands: Sequence[Sequence[tuple[PublicNode, int]]],
    player: str,
    left_out: Counter[str],
) -> SpotTilt:
    """A player of a log of that spot's own hands.

    Args:
        solved: an equilibrium.
        seat: where the player sits: 0 (oop) or 1 (ip).
        hands: of each, the player's actions: where, and the number of each.
        player: name.
        left_out: hands that do not count, by reason.

    Raises:
        InputError: the player never comes to a decision.
    """
    classes, actions = situations(solved.spot.betting, seat), [action for hand in hands for action in hand]
    counted = {}
    for one in classes:
        at = {place.node: place for place in one.nodes}
        taken = [(number, at[part.node]) for part, number in actions if part.node in at]
        among = [number in place.hits for number, place in taken if number in place.among]
        counted[one.name] = ObservedShare(sum(among), len(among))
    seen = {name: share for name, share in counted.items() if share.n}
    if not seen:
        raise InputError(f"no hand of {quoted(player)} has a decision of {PLAYERS[seat]} in the spot")
    tilt = tilt_spot(solved, seat, classes, {name: share.interval for name, share in seen.items()}, seen)
    return replace(tilt, hands=SpotHands(player, seat, counted, len(hands), len(actions), left_out))


def spot_from_figures(solved: SolvedSpot, seat: int, figures: Mapping[str, float]) -> SpotTilt:
    """A player with some statistics in a solved spot. figures: shares by name in `villain.statistics.STATISTICS`.

    Raises:
        InputError: the player never comes to a decision that the figures are about.
    """
    classes = statistic_classes(solved.spot.betting, seat)
    return tilt_spot(solved, seat, classes, {name: (share, share) for name, share in figures.items()})
