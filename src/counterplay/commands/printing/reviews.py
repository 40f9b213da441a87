"""The review of a hand and the result so far, as the command line prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterplay.commands.printing.output import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from counterplay.measure.review.hand_review import HandReview, PricedDecision
    from counterplay.measure.review.running_result import PlayedMatch

_LEAST = 5e-4
"""Chips below which a decision cost nothing."""
_ROUNDING = 1e-9
_SHOWN = 5
"""Hands of a range."""


def review_lines(review: HandReview, other: str = "the agent", whose: str = "your") -> Iterator[str]:
    """What each decision cost, and the range after the last one."""
    from counterplay.measure.review.hand_review import by_classes

    for one in review.decisions:
        yield f"  {one.action} at '{one.infoset}': {_cost(one)}"
    last = by_classes(review.decisions[-1].belief or ()) if review.decisions else ()
    if last:
        shown = ", ".join(f"{text} {100.0 * share:.3g} %" for text, share in last[:_SHOWN])
        more = len(last) - _SHOWN
        yield f"  {whose} range for {other} ({review.assumed}): {shown}{f', and {more} more' if more > 0 else ''}"


def _cost(one: PricedDecision) -> str:
    if one.worth is None or one.cost is None:
        return "no price"
    values = ", ".join(f"{name} {_chips(chips)}" for name, chips in one.worth.values.items())
    error = f" ± {number(one.error, '.2g')}" if one.error else ""
    said = "cost nothing" if one.cost < _LEAST else f"cost {number(one.cost, '.4g')}{error} chips"
    return f"{said} ({values})"


def result_lines(match: PlayedMatch, whose: str = "your") -> Iterator[str]:
    """The intervals of the result, and what all decisions cost."""
    facts = match.result.facts()
    if facts["interval"] is not None:
        yield f"{number(facts['mean'], '+.4g')} chips a hand, 95 % interval {_span(facts['interval'])}"
    if facts["corrected_interval"] is not None:
        yield (
            f"{number(facts['corrected'], '+.4g')} chips a hand without luck ({match.corrected_by}), 95 % interval "
            f"{_span(facts['corrected_interval'])}"
        )
    if facts["cost"] is not None:
        hands = facts["priced"]
        cost = "nothing" if facts["cost"] < _LEAST else f"{number(facts['cost'], '.4g')} chips"
        yield f"{whose} decisions cost {cost} in {hands} hand{'' if hands == 1 else 's'}, against {match.against}"


def _chips(amount: float) -> str:
    return number(amount if abs(amount) >= _ROUNDING else 0.0, "+.4g")


def _span(interval: tuple[float, float]) -> str:
    return " to ".join(number(end, "+.4g") for end in interval)
