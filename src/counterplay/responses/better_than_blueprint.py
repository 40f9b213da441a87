"""Comparison of a response in a whole game with the blueprint: conditions under which the response is the answer."""

from __future__ import annotations

from counterplay.poker.whole_game.strategies.row_models import ObservedStrategy
from counterplay.poker.whole_game.strategy import BlueprintStrategy, Deviation
from counterplay.poker.whole_game.walks.flop_draw import Interval
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.matchup.any_matchup import MatchedMethod
from counterplay.responses.mix import Mix
from counterplay.responses.trusting_method import TrustingMethod, TrustingSearch

_ANSWER, _KEPT = "The answer is the blueprint:", "Kept although:"


def trust_of(method: MatchedMethod, p: float | None) -> float | None:
    """The p of the bound below, of methods whose dial is the trust in the model: others mix strategies by it."""
    return p if isinstance(method, TrustingMethod | TrustingSearch) and not isinstance(method, Mix | CDBRNE) else None


def is_of_hands(model: BlueprintStrategy) -> bool:
    """Return whether a model was learned from hands, and so errs where hands are few."""
    return isinstance(model, ObservedStrategy | Deviation)


def why_blueprint(edge: Interval, risk: Interval, p: float | None, known: Interval | None = None) -> str | None:
    """The sentence that says why the blueprint is played instead of a response; None where the response is.

    A response that maximises p · value against the model + (1 - p) · worst case has an edge of at least (1 - p) / p times
    its risk, for the blueprint has neither (cf. theorem 5.3 of Milec et al. 2024). One without is not the optimum.

    Neither speaks of the player, whom a model from hands misses: both hold of responses that lose to the player. Values are
    linear in the opponent's plan, so that a response with an edge against a player who plays as the blueprint, too, has one
    against every mixture of that player and the model, however little of the model is true. Beside an equilibrium nothing
    has such an edge, and the answer is always the blueprint.
    """
    if not edge.value - edge.error > 0.0:
        return f"{_ANSWER} the edge of the response is not above 0 by its interval."
    if p is not None and p * edge.value < (1.0 - p) * risk.value:
        return f"{_ANSWER} the edge of the response is below (1 - p) / p times its risk, p = {p:.3g}."
    if known is not None and known.value - known.error <= 0.0:
        return (
            f"{_ANSWER} the model is of hands, and against a player who plays as the blueprint the edge "
            "is not above 0 by its interval."
        )
    return None


def kept_although(why: str) -> str:
    """The sentence of a response that is kept although `why` (of `why_blueprint`) speaks for the blueprint."""
    return why.replace(_ANSWER, _KEPT)
