"""Variants of a strategy that prefer some actions: the usual portfolio of a blueprint that folds, calls or raises more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from counterplay.errors import InputError, quoted
from counterplay.treeplex.strategy import Strategy


def factors_of(words: str) -> dict[str, float]:
    """The factors of a text such as `fold=10,raise=0.5`.

    Raises:
        InputError: naming the word that is none.
    """
    factors = {}
    for word in words.split(","):
        action, equals, factor = word.rpartition("=")
        if not equals or not action:
            raise InputError(f"bias takes ACTION=FACTOR, as in bias:fold=10:nash, not {quoted(word)}")
        if action in factors:
            raise InputError(f"bias: {quoted(action)} stands there twice")
        try:
            factors[action] = float(factor)
        except ValueError:
            raise InputError(f"bias: the factor must be a number, not {quoted(factor)}") from None
        if not 0.0 <= factors[action] < float("inf"):
            raise InputError(f"bias: the factor must be a number from 0 on, not {factor}")
    return factors


def check_met(factors: Mapping[str, float], met: Collection[str], actions: Iterable[str]) -> None:
    """Refuse a beginning that no action has.

    Args:
        factors: by beginnings.
        met: those that were met.
        actions: the names of all actions.

    Raises:
        InputError: naming the beginning, and some actions.
    """
    missing = [start for start in factors if start not in met]
    if missing:
        known = ", ".join(sorted(set(actions))[:12])
        if not known:
            raise InputError(f"bias: no action begins with {quoted(missing[0])}, for the player has no decision here")
        raise InputError(f"bias: no action begins with {quoted(missing[0])}; they are {known}")


def met_by(name: str, factors: Mapping[str, float]) -> str | None:
    """The first beginning that fits an action's name, in lower or upper case."""
    return next((start for start in factors if name.casefold().startswith(start.casefold())), None)


def bias_actions(strategy: Strategy, factors: Mapping[str, float]) -> Strategy:
    """The strategy with the probability of some actions multiplied, and scaled to sum to 1 again; as it was where that
    leaves nothing.

    Args:
        strategy: any.
        factors: by the beginning of the action's text, in lower or upper case; the first that fits counts.

    Raises:
        InputError: a beginning that no action has, naming it.
    """
    tree = strategy.tree
    labels, behaviour = tree.labels, strategy.behaviour.copy()
    met: set[str] = set()
    for lane, names in zip(labels.lanes, labels.actions, strict=True):
        factor = np.ones(len(names))
        for k, name in enumerate(names):
            found = met_by(name, factors)
            if found is not None:
                factor[k] = factors[found]
                met.add(found)
        if lane >= 0:
            here = tree.sequences_of(lane)
            row = behaviour[here] * factor
            if row.sum() > 0.0:
                behaviour[here] = row / row.sum()
    check_met(factors, met, (name for row in labels.actions for name in row))
    return Strategy(tree, behaviour)
