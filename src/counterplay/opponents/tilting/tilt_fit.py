"""The fit of a tilt to hands: the weights of categories, what a blueprint is worth in each, and its sharpness.

The weights maximise the likelihood of the hands with a penalty: each category is worth some further decisions in which the
player does as the blueprint does there (the number is learned on held-out hands). Contexts are tilted first, then quantiles
from there. Hidden cards are summed over by expectation maximisation: what the player may hold given the whole betting, the
board and the showdown, then the weights. A step of generalised iterative scaling never lowers the penalised likelihood.
Hands that are shown down alone would make every player a caller; here they count no more than others.

A blueprint is surer than a player of its kind is: with hands about which an equilibrium is indifferent, another solution
does something else. So its probabilities are taken to a power, the sharpness, learned on held-out hands, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterplay.arrays import F64
from counterplay.opponents.tilting.categories import CONTEXTS, KINDS, QUANTILES
from counterplay.opponents.tilting.evidence import Evidence

STRENGTH, STRENGTHS = 20.0, (5.0, 20.0, 80.0)
"""Decisions in each category that the blueprint is worth: by default, and what held-out hands choose from."""
SHARPNESSES = (1.0, 0.7, 0.5, 0.35)
"""Exponents of the blueprint's probabilities that held-out hands choose from."""
ROUNDS = 20
_FEW = 200
_HELD_OUT = 30_000_000
"""The most decisions times holdings that strength and sharpness are learned on; the first hands are taken."""
_CLEAR, _SETTLED = 2.0, 1e-3  # nats of all hands together
_TINY = 1e-12


class Fit(NamedTuple):
    """weights: (categories, KINDS). observed: expected numbers seen. likelihood: before every round, penalised."""

    weights: F64
    observed: F64
    likelihood: tuple[float, ...]


def fit(parts: Sequence[Evidence], strength: float = STRENGTH, rounds: int = ROUNDS) -> Fit:
    """The weights: first one for each context and kind, then, starting there and drawn toward it, one for each quantile."""
    size = CONTEXTS * QUANTILES
    ones = np.ones((size, len(KINDS)))
    base = np.sum([part.expected(ones)[2] for part in parts], axis=0)
    base /= np.maximum(base.sum(axis=1, keepdims=True), _TINY)
    by_context = _iterate(parts, ones, base, strength / QUANTILES, rounds, tied=True)
    mix = base * by_context.weights
    mix /= np.maximum(mix.sum(axis=1, keepdims=True), _TINY)
    return _iterate(parts, by_context.weights, mix, strength, rounds, tied=False)


def _iterate(parts: Sequence[Evidence], weights: F64, toward: F64, strength: float, rounds: int, *, tied: bool) -> Fit:
    """Rounds of expectation maximisation. toward: (categories, KINDS) what the pseudo-observations are, made where the
    strategy at the beginning does this. tied: whether the quantiles of a context share their weights."""
    begin, likelihood = weights, list[float]()
    seen = np.zeros_like(weights)
    for _ in range(rounds):
        found = [part.expected(weights) for part in parts]
        seen, moved = np.sum([one[0] for one in found], axis=0), np.sum([one[1] for one in found], axis=0)
        mix = toward * np.divide(weights, begin, out=np.ones_like(weights), where=begin > _TINY)
        mix /= np.maximum(mix.sum(axis=1, keepdims=True), _TINY)
        penalty = strength * float((toward * np.log(np.maximum(mix, _TINY))).sum())
        likelihood.append(sum(one[3] for one in found) + penalty)
        if len(likelihood) > 1 and likelihood[-1] - likelihood[-2] < _SETTLED:
            break
        above, below = seen + strength * toward, moved + strength * mix
        if tied:
            above, below = (_over_quantiles(one) for one in (above, below))
        weights = weights * np.divide(above, below, out=np.ones_like(above), where=below > _TINY)
    return Fit(weights, seen, tuple(likelihood))


def _over_quantiles(numbers: F64) -> F64:
    """(categories, KINDS) sums over the quantiles of a context, at each of them."""
    sums = numbers.reshape(CONTEXTS, QUANTILES, -1).sum(axis=1)
    return np.repeat(sums, QUANTILES, axis=0)


def learn_strength(parts: Sequence[Evidence]) -> float:
    """The strength whose weights give the other half of the hands the largest likelihood, each half in turn; the default
    where there are few."""
    if _are_few(parts):
        return STRENGTH
    halves = _halves(parts)
    return max(STRENGTHS, key=lambda strength: _held_out(halves, strength))


def learn_sharpness(parts: Sequence[Evidence]) -> float:
    """Of `SHARPNESSES` the one that gives held-out halves the largest likelihood; 1 where it is about as likely, or where
    there are few hands."""
    if _are_few(parts):
        return SHARPNESSES[0]

    def likelihood(sharpness: float) -> float:
        found = _held_out(_halves([part.softened(sharpness) for part in parts]), STRENGTH)
        return found + (_CLEAR if sharpness == 1.0 else 0.0)

    return max(SHARPNESSES, key=likelihood)


def _are_few(parts: Sequence[Evidence]) -> bool:
    return sum(len(part.kind) for part in parts) < _FEW


def _halves(parts: Sequence[Evidence]) -> list[list[Evidence]]:
    return [[_first_hands(part).half(k) for part in parts if len(part.may) > 1] for k in (0, 1)]


def _first_hands(part: Evidence) -> Evidence:
    decisions = max(_FEW, _HELD_OUT // part.may.shape[1])
    return part.kept(part.first[1:] <= decisions) if len(part.kind) > decisions else part


def _held_out(halves: Sequence[Sequence[Evidence]], strength: float) -> float:
    """The log-likelihood of each half by the weights of the other."""
    fits = [fit(half, strength, ROUNDS // 2) for half in halves]
    return sum(part.expected(fits[1 - k].weights)[3] for k, half in enumerate(halves) for part in half)
