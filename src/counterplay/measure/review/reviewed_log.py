"""The review of a player's hands in a log, in both seats, against the strategy of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterplay.agents.factory.make_agent import agent
from counterplay.agents.factory.playable_game import PlayableGame
from counterplay.errors import InputError
from counterplay.measure.review.hand_review import HandReview
from counterplay.measure.review.logged_hands import played_hand
from counterplay.measure.review.running_result import PlayedMatch, RunningResult
from counterplay.opponents.histories.hand_record import AnyHand, FileLine, LeftOut


@dataclass(frozen=True)
class ReviewedHand:
    """A hand of a log, reviewed. place: where it is written. won: chips of the player so far, with this hand."""

    place: FileLine
    review: HandReview
    won: float

    def facts(self, beliefs: int | None = None) -> dict[str, Any]:
        """Plain data, with so many beliefs at most after each decision."""
        return {"line": self.place.line, "won_so_far": self.won, **self.review.facts(beliefs)}


@dataclass
class ReviewedLog:
    """The reviews of a log as they are made.

    Attributes:
        against: text of the strategy that prices are against, an agent that plays one strategy in every hand.
        seed: of agents and drawn boards.
        aivat: whether luck is taken out of results, too.
        result: of the player, in both seats.
        left_out: hands that are none of this game, or are not told whole.
    """

    ground: PlayableGame
    against: str
    seed: int = 0
    aivat: bool = False
    result: RunningResult = field(default_factory=RunningResult)
    left_out: list[LeftOut] = field(default_factory=list)
    _matches: dict[int, PlayedMatch] = field(default_factory=dict)

    def review(self, hands: Sequence[AnyHand], player: str) -> Iterator[ReviewedHand]:
        """The reviews of a player's hands, in the order of the log; each counts in the result when it comes. Refused:
        an agent that does not fit the game, or does not play one strategy in every hand."""
        for kept in hands:
            try:
                hand = played_hand(self.ground.rules, kept)
            except InputError as error:
                self.left_out.append(LeftOut(kept.place, "game", str(error)))
                continue
            match = self.match(kept.players.index(player))
            review = match.review(hand)
            if self.aivat:
                match.without_luck(hand, review)
            yield ReviewedHand(kept.place, review, sum(self.result.won))

    def match(self, seat: int) -> PlayedMatch:
        """The match of the player in a seat; errors as of `review`."""
        if seat not in self._matches:
            other = agent(self.ground, self.against, 1 - seat, self.seed)
            found = PlayedMatch(self.ground, other, self.seed, self.result)
            if not found.waits or getattr(other, "learns_in", None) is not None:
                raise InputError(
                    f"{self.against} does not play one strategy in every hand, and a log does not tell what it had decided; "
                    "price against one that does, such as nash"
                )
            self._matches[seat] = found
        return self._matches[seat]

    @property
    def matches(self) -> tuple[PlayedMatch, ...]:
        """Those so far, the one of the seat that came first in front."""
        return tuple(self._matches.values())


def reviewed_player(names: Sequence[str], wanted: str | None, against: str) -> str:
    """Whose hands are reviewed: the player of this name; without one, the player other than the named strategy. Refused
    where there is no such player, or it is not clear who."""
    others = [name for name in names if name != against]
    if wanted is None and len(others) == 1:
        return others[0]
    if wanted in names:
        return str(wanted)
    said = "--player must name whose hands are reviewed" if wanted is None else f"no hand is of {wanted!r}"
    raise InputError(f"{said}; the log has {', '.join(map(repr, list(names)[:8]))}")
