"""The cross-fitted gain: responses to models of one half of the hands, measured on the other half."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterplay.display import brief
from counterplay.intervals import HALF_95
from counterplay.opponents.counting.estimate import split_hands
from counterplay.opponents.counting.hand_weights import SeatObservations, classes_of_hands, span_of
from counterplay.opponents.counts import Counts
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.texts.arguments import FUNCTION, SEED, instance, takes
from counterplay.treeplex.strategy import Strategy

FEWEST = 40
"""Hands, and effective hands in each half, below which nothing is said."""


@dataclass(frozen=True)
class CrossFit:
    """What two responses, each to a model of one half of the hands, gain on average, in chips a hand.

    Attributes:
        hands: in both halves.
        claimed: the mean gain against the two models.
        low, high: the interval of 95 % of the mean gain against the player; None if it is not known.
        reason: why it is not known; None if it is.
        effective: hands of the half that weigh about alike, fewer than all where a few decide; the smaller number counts.
    """

    hands: int
    claimed: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    effective: float | None = None

    def __repr__(self) -> str:
        shown = "gain not known" if self.low is None else f"gain {self.low:.4g} to {self.high:.4g}"
        return brief(self, f"{self.hands:,} hands", shown)


@takes(counts=instance("a Counts", Counts), model=FUNCTION, respond=FUNCTION, seed=SEED)
def cross_fit(
    counts: Counts, model: Callable[[Counts], Strategy], respond: Callable[[Strategy], Strategy], seed: int = 0
) -> CrossFit:
    """The cross-fitted gain of a way to respond.

    The value of each response is estimated from the other half by weights that are right on average whoever the player is
    (see `opponents.counting.hand_weights`). The interval holds if the player's strategy is fixed and hands are independent;
    how often the other seat took each action is estimated from all hands.

    Args:
        counts: hands of the player.
        model: makes the model of hands.
        respond: makes the response to a model.
        seed: of the halves.
    """
    hands = round(float(counts.hands))
    if hands < 2 * FEWEST:
        return CrossFit(hands, reason=f"{hands} hands are too few: {2 * FEWEST} are the fewest")
    found = classes_of_hands(counts.game, counts.seat, counts.ends)
    if found is None:
        return CrossFit(hands, reason="hands hide the cards of both players, or their result")
    classes, label = found
    parts = split_hands(counts.observations.hands, 2, seed)
    halves = [np.bincount(label, part, classes.count).astype(np.float64) for part in parts]
    own = classes.own_plan(halves[0] + halves[1])
    made = [model(counts.part(part)) for part in parts]
    measured = [_Half(classes, one, respond(one), own, other) for one, other in zip(made, halves[::-1], strict=True)]
    value = equilibrium_of(counts.game).bound(1 - counts.seat)
    claimed = float(np.mean([one.claimed for one in measured])) - value
    effective = min(one.effective for one in measured)
    if effective < FEWEST:
        reason = f"the value rests on {effective:.0f} effective hands of a half, and {FEWEST} are the fewest"
        return CrossFit(hands, claimed, reason=reason, effective=effective)
    ends, spans = (np.mean([getattr(one, name) for one in measured], axis=0) for name in ("bounds", "span"))
    errors = np.linalg.norm([one.errors for one in measured], axis=0) / 2.0
    low, high = float(ends[0] - HALF_95 * errors[0]), float(ends[1] + HALF_95 * errors[1])
    least, most = spans.tolist()
    if low <= least:
        reason = "the hands leave open that the player wins as much as a best responder"
        return CrossFit(hands, claimed, reason=reason, effective=effective)
    return CrossFit(hands, claimed, low - value, min(high, most) - value, effective=effective)


class _Half:
    """A response to a model of one half, on the other half."""

    def __init__(
        self, classes: SeatObservations, model: Strategy, response: Strategy, own: np.ndarray, hands: np.ndarray
    ) -> None:
        chips = classes.values_by_sequence(response)
        self.claimed, self.span = float(chips @ model.plan), span_of(model.tree, chips)
        both = [one.estimate(hands) for one in classes.weights(chips, model.behaviour, own, float(hands.sum()))]
        self.bounds, self.errors = [one[0] for one in both], [one[1] for one in both]
        self.effective = both[0][2]
