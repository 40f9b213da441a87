"""The part of `respond` that measures a response over the posterior of a model from hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.commands.options.shared_options import ResultFlags
from counterplay.commands.printing.output import number
from counterplay.errors import InputError, quoted
from counterplay.progress_line import progress_line

if TYPE_CHECKING:
    from counterplay.opponents.counting.posterior import GainInterval
    from counterplay.opponents.hands_model import HandsModel
    from counterplay.responses.answer import Answer

_SHARE = 0.95
_MOST = 100_000


def hands_of_posterior(tree: Any, to: str, samples: int) -> HandsModel:
    """The model whose posterior is asked for.

    Raises:
        InputError: no model from hands, a game that is not in memory, or a number of samples that gives no interval.
    """
    from counterplay.opponents.hands_model import HandsModel
    from counterplay.opponents.model import MODELS

    model = MODELS.parse(to)
    if not isinstance(model, HandsModel):
        raise InputError(f"--posterior needs --to hands:FILE,player=NAME, not {quoted(to)}")
    if not getattr(tree, "lists_histories", False):
        raise InputError(f"--posterior is for games in memory, not for {tree.name}")
    if not 2 <= samples <= _MOST:
        raise InputError(f"--posterior takes from 2 to {_MOST:,} samples, not {samples:,}")
    return model


def gain_over_posterior(
    tree: Any, hands: HandsModel, answer: Answer, samples: int, result: ResultFlags
) -> GainInterval:
    """The gain of a response over strategies that the hands allow, with the interval of 95 % of them."""
    with progress_line("drawing", result.as_json):
        return hands.posterior(tree, 1 - answer.seat, samples, result.seed).gain(answer.strategy, _SHARE)


def show_posterior(found: GainInterval, samples: int) -> None:
    """One sentence below the lines of a response."""
    print(
        f"\nOver {samples:,} strategies that the hands and the prior allow it gains {number(found.mean)} chips on average, "
        f"and {number(found.low)} to {number(found.high)} in {100 * found.share:g} % of them."
    )
