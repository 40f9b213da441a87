"""The parts of `respond` that say how far a gain against a model from hands is to be believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import ResultFlags
from counterplay.commands.printing.output import number
from counterplay.errors import InputError, quoted
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.measure.cross_fit import CrossFit
    from counterplay.opponents.counting.posterior import GainSpread
    from counterplay.opponents.hands_model import HandsModel
    from counterplay.responses.answer import Answer
    from counterplay.treeplex.strategy import Strategy

NOT_AN_INTERVAL = "spread over the posterior, not a confidence interval"
_PRIOR_FROM_HANDS = "The prior is a model from hands: the interval holds only if these are others."
_SHARE = 0.95
_MOST = 100_000
_FROM_HANDS = ("hands by ", "logit with precision ")
"""The beginnings of a model's method where it was made from hands."""


def model_from_hands(tree: Any, to: str) -> HandsModel | None:
    """The model of a text `hands:...` in a game in memory; None for other opponents and games."""
    from counterplay.opponents.hands_model import HandsModel
    from counterplay.opponents.model import MODELS

    if not to.startswith(f"{HandsModel.HEAD}:") or not getattr(tree, "lists_histories", False):
        return None
    model = MODELS.parse(to)
    return model if isinstance(model, HandsModel) else None


def check_posterior(tree: Any, to: str, hands: HandsModel | None, samples: int) -> None:
    """Reject --posterior for other opponents and games, and a number of samples that gives no spread.

    Raises:
        InputError: see above.
    """
    if not to.startswith("hands:"):
        raise InputError(f"--posterior needs --to hands:FILE,player=NAME, not {quoted(to)}")
    if hands is None:
        raise InputError(f"--posterior is for games in memory, not for {tree.name}")
    if not 2 <= samples <= _MOST:
        raise InputError(f"--posterior takes from 2 to {_MOST:,} samples, not {samples:,}")


def gain_over_posterior(tree: Any, hands: HandsModel, answer: Answer, samples: int, result: ResultFlags) -> GainSpread:
    """The gain of a response over strategies that the hands allow, with the spread of the middle 95 % of them."""
    with progress_line("drawing", result.as_json):
        return hands.posterior(tree, 1 - answer.seat, samples, result.seed).gain(answer.strategy, _SHARE)


def show_posterior(found: GainSpread, samples: int) -> None:
    """Two sentences below the lines of a response."""
    low, high = (f"{100 * share:g} %" for share in (0.5 - found.spread_share / 2, 0.5 + found.spread_share / 2))
    print(
        f"\nOver {samples:,} strategies that the hands and the prior allow it gains {number(found.mean)} chips on average, "
        f"{number(found.spread_low)} at the {low} quantile and {number(found.spread_high)} at the {high} quantile: "
        f"{NOT_AN_INTERVAL}."
    )


def cross_fitted(
    tree: Any, hands: HandsModel, answer: Answer, respond: Callable[[Strategy], Answer], result: ResultFlags
) -> CrossFit:
    """The cross-fitted gain of a response to a model from hands. respond: makes the response to another model."""
    from counterplay.measure.cross_fit import CrossFit, cross_fit

    counts = hands.counts(tree, 1 - answer.seat)
    interrupted = CrossFit(round(counts.hands), reason="the command was interrupted")
    if answer.interrupted:
        return interrupted

    def strategy(model: Strategy) -> Strategy:
        found = respond(model)
        if found.interrupted:
            raise KeyboardInterrupt
        return found.strategy

    with progress_line("cross-fitting", result.as_json):
        try:
            return cross_fit(counts, lambda part: hands.strategy_of(part, result.seed), strategy, result.seed)
        except KeyboardInterrupt:
            return interrupted


def prior_note(tree: Any, hands: HandsModel, player: int, seed: int) -> str | None:
    """A caveat where the prior was made from hands itself: if these are the same, no half is new to its model."""
    made = str(hands.prior.strategy(tree, player, seed).facts.get("method", ""))
    return _PRIOR_FROM_HANDS if made.startswith(_FROM_HANDS) else None


def show_cross_fit(found: CrossFit, note: str | None = None) -> None:
    """One sentence below the lines of a response, and the caveat of `prior_note`."""
    if found.low is None or found.high is None or found.claimed is None:
        print(f"\nCross-fitted gain: not known, since {found.reason}.")
        return
    low, high, claimed = (number(one, ".3g") for one in (found.low, found.high, found.claimed))
    print(
        f"\nCross-fitted gain: {low} to {high} chips (95 %), where the models claim {claimed}: two responses, each to a "
        f"model of one half of the {found.hands:,} hands, measured on the other half." + (f" {note}" if note else "")
    )


def show_unknown_hands(model: Strategy, tree: Any) -> None:
    """One sentence below a response to a model that was made from hands, where these do not check it: in a spot, and where
    they are not there."""
    if str(model.facts.get("method", "")).startswith(_FROM_HANDS):
        told = "Write --to hands:FILE,player=NAME for its cross-fitted value."
        if not getattr(tree, "lists_histories", False):
            told = (
                "What it wins from the player is not known: values are cross-fitted in games in memory, not in spots."
            )
        print(f"\nThe gain is against a model from hands. {told}")
