"""How many observations of an infoset the prior is worth, learned from hands that the model has not seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.opponents.counting.estimate import Estimate
from counterplay.opponents.counting.observations import Observations

WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""The weights that are compared."""
FOLDS = 4
_FEW = 20
"""Hands below which the data cannot choose, and `USUAL` is taken."""
USUAL = 10.0

Fit = Callable[[Observations, float], Estimate]
"""A fit of observations with a weight of the prior."""


def learn_weight(data: Observations, fit: Fit, seed: int = 0) -> float:
    """The weight whose fits predict left-out hands best, by cross-validation in `FOLDS` parts.

    Args:
        data: the observations.
        fit: makes an estimate of a part of them with a weight.
        seed: of the parts.
    """
    if data.hands.sum() < _FEW:
        return USUAL
    parts = split_hands(data.hands, FOLDS, seed)
    scores = np.zeros(len(WEIGHTS))
    for part in parts:
        rest, left = data.weighted(data.hands - part), data.weighted(part)
        for i, weight in enumerate(WEIGHTS):
            mean, _, many = left.score(fit(rest, weight).behaviour)
            scores[i] += float(part.sum()) * mean * many
    return WEIGHTS[int(np.argmax(scores))]


def split_hands(hands: F64, count: int, seed: int) -> list[F64]:
    """Numbers of hands (n,) divided at random among parts of about equal size.

    Args:
        hands: (n,) how often each observation was made.
        count: number of parts.
        seed: of the draws.
    """
    draw, left, parts = np.random.default_rng(seed), hands.astype(np.int64), list[F64]()
    for fold in range(count - 1):
        part = draw.binomial(left, 1.0 / (count - fold))
        parts.append(part.astype(np.float64))
        left = left - part
    return [*parts, left.astype(np.float64)]


def checked_weight(weight: float | str) -> float:
    """The weight of a prior as a number.

    Raises:
        InputError: it is none of at least 0.
    """
    try:
        number = float(weight)
    except (ValueError, TypeError):
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise InputError(f"the weight of a prior is auto or a number of at least 0, not {quoted(weight)}")
    return number
