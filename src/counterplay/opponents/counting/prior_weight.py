"""How many observations of an infoset the prior is worth, learned from hands that the model has not seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
    parts = _split(data.hands, seed)
    scores = np.zeros(len(WEIGHTS))
    for part in parts:
        rest, left = data.weighted(data.hands - part), data.weighted(part)
        for i, weight in enumerate(WEIGHTS):
            mean, _, many = left.score(fit(rest, weight).behaviour)
            scores[i] += float(part.sum()) * mean * many
    return WEIGHTS[int(np.argmax(scores))]


def _split(hands: np.ndarray, seed: int) -> list[np.ndarray]:
    """Counts (n,) divided at random among `FOLDS` parts of about equal size."""
    draw, left, parts = np.random.default_rng(seed), hands.astype(np.int64), []
    for fold in range(FOLDS - 1):
        part = draw.binomial(left, 1.0 / (FOLDS - fold))
        parts.append(part.astype(np.float64))
        left = left - part
    return [*parts, left.astype(np.float64)]
