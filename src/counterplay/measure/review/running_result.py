"""The result of a match as it goes: what a player has won, with and without luck, and what their decisions cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.agents.agent import Agent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.errors import InputError
from counterplay.measure.aivat.make_aivat import aivat_against
from counterplay.measure.confidence import interval_of
from counterplay.measure.play_hand import Hand
from counterplay.measure.review.hand_review import HandReview
from counterplay.measure.review.reviewer import reviewer_of
from counterplay.steps import Steps

Correction = Callable[[Hand, HandReview], float | None]
"""The result of a hand without luck; None where it is not known."""
_BOARDS = 40
"""Boards by which AIVAT values hands of hold'em: enough for most of the variance, and a second or two."""


@dataclass
class RunningResult:
    """Results of a player, hand by hand.

    Attributes:
        won: chips of each hand.
        corrected: the same with the luck taken out by AIVAT; empty where the other's strategy is not known.
        costs: what the decisions of each hand cost; of those hands where that is known.
    """

    won: list[float] = field(default_factory=list)
    corrected: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Plain data: number of hands, chips in all, the mean of a hand and its 95 % interval, the same without luck,
        and what decisions cost in all."""
        return {
            "hands": len(self.won), "won": sum(self.won), **_mean("mean", "interval", self.won),
            **_mean("corrected", "corrected_interval", self.corrected), "corrected_hands": len(self.corrected),
            "cost": sum(self.costs) if self.costs else None, "priced": len(self.costs),
        }  # fmt: skip


def _mean(name: str, interval: str, values: list[float]) -> dict[str, Any]:
    found = np.array(values)
    return {name: float(found.mean()) if values else None, interval: interval_of(found)}


class PlayedMatch:
    """A person's match against an agent: reviews of its hands and the running result.

    `finish` does all of a hand at once. What can wait goes in steps instead: `review` and then `without_luck`, or while the
    person thinks, `reviewer.prepare` and `correct_ahead`.

    Attributes:
        reviewer: of the person's hands.
        result: so far; it may begin with that of the same player in the other seat.
        against: what decisions are priced against, in words; empty before the first price.
        corrected_by: how luck is taken out of results, in words; empty where it is not.
    """

    def __init__(self, ground: PlayableGame, agent: Agent, seed: int = 0, result: RunningResult | None = None) -> None:
        self.result, self.against, self.corrected_by = result or RunningResult(), "", ""
        self._ground, self._agent, self._seed = ground, agent, seed
        self.reviewer = reviewer_of(ground, agent, seed)
        self._correct: Correction | None = None
        self._making: Steps[Correction] | None = None

    def finish(self, hand: Hand) -> HandReview:
        """Take in a finished hand, before the next one begins; returns its review."""
        review = self.review(hand)
        self.without_luck(hand, review)
        return review

    def review(self, hand: Hand) -> HandReview:
        """The review of a finished hand, which counts in the result from now on."""
        review = self.reviewer.review(hand)
        self.result.won.append(review.won)
        if review.cost is not None:
            self.result.costs.append(review.cost)
        self.against = review.against or self.against
        return review

    def without_luck(self, hand: Hand, review: HandReview) -> None:
        """Take the luck out of the result of a hand, after its review."""
        for _ in self.correct_ahead():
            pass
        assert self._correct is not None
        corrected = self._correct(hand, review)
        if corrected is not None:
            self.result.corrected.append(corrected)

    def correct_ahead(self) -> Iterator[None]:
        """Work toward results without luck, in steps."""
        self._making = self._making or self._corrections()
        while self._correct is None:
            try:  # not `yield from`: who stops early would close the work, too
                next(self._making)
            except StopIteration as end:
                self._correct = end.value
                return
            yield

    def _corrections(self) -> Steps[Correction]:
        """AIVAT; where there is none, and all costs are exact, what a best response wins less what decisions cost."""
        try:
            by_aivat = yield from aivat_against(self._ground, self._agent, boards=_BOARDS, seed=self._seed)
        except InputError:
            best = self.reviewer.best
            self.corrected_by = "" if best is None else "a best response's result less what your decisions cost"
            return lambda _, review: None if best is None else best - (review.cost or 0.0)
        self.corrected_by = "AIVAT"
        return lambda hand, _: by_aivat(hand)
