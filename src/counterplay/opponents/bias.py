"""Biased opponents: another opponent with some actions preferred, as in the usual portfolio of a blueprint that folds,
calls or raises more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from counterplay.arrays import F64
from counterplay.errors import InputError, quoted
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.strategies.decision_rows import DecisionRows
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.grammar import split_pairs
from counterplay.texts.readers import NumberPairs
from counterplay.treeplex.strategy import Strategy


def factors_of(words: str) -> dict[str, float]:
    """The factors of a text such as `fold=10,raise=0.5`.

    Raises:
        InputError: an invalid word, which the message names.
    """
    factors: dict[str, float] = {}
    for action, factor in split_pairs(words, "bias takes ACTION=FACTOR, as in bias:fold=10:nash"):
        check_new(action, factors, "bias")
        try:
            factors[action] = float(factor)
        except ValueError:
            raise InputError(f"bias: the factor must be a number, not {quoted(factor)}") from None
        if not 0.0 <= factors[action] < float("inf"):
            raise InputError(f"bias: the factor must be at least 0, not {factor}")
    return factors


def check_new(prefix: str, others: Iterable[str], what: str) -> None:
    """Reject a prefix that is given twice, ignoring case.

    Args:
        prefix: of actions' names.
        others: prefixes given before.
        what: whose they are, for the message.

    Raises:
        InputError: a duplicate.
    """
    if prefix.casefold() in map(str.casefold, others):
        raise InputError(f"{what}: duplicate action {quoted(prefix)}")


def check_met(factors: Mapping[str, float], met: Collection[str], actions: Iterable[str]) -> None:
    """Reject a prefix that changes no action: none begins with it, or all that do match a longer one.

    Args:
        factors: factors by prefix.
        met: prefixes that were matched.
        actions: names of all actions.

    Raises:
        InputError: an unmatched prefix; the message names it and some actions, or the longer prefixes.
    """
    missing = next((start for start in factors if start not in met), None)
    if missing is None:
        return
    names = sorted(set(actions))
    if not names:
        raise InputError(f"no action begins with {quoted(missing)}, since the player has no decision here")
    longer = {met_by(name, factors): None for name in names if _begins(name, missing)}
    if longer:
        raise InputError(
            f"{quoted(missing)} changes nothing: every action that begins with it begins with "
            f"{' or '.join(map(quoted, longer))} too, and the longest of these counts"
        )
    raise InputError(f"no action begins with {quoted(missing)}; they are {', '.join(names[:12])}")


def met_by(name: str, factors: Iterable[str]) -> str | None:
    """The longest prefix that matches an action's name, ignoring case."""
    return max(
        (start for start in factors if _begins(name, start)), key=lambda start: len(start.casefold()), default=None
    )


def _begins(name: str, prefix: str) -> bool:
    return name.casefold().startswith(prefix.casefold())


@dataclass(frozen=True)
class Bias(OpponentModel):
    """Another opponent with the probabilities of some actions multiplied, and each row normalised again; a row whose
    products are all 0 is left unchanged.

    Attributes:
        factors: factors by prefix of an action's name, ignoring case; the longest match counts; a mapping is
            accepted.
        to: the opponent that is changed.
    """

    HEAD = "bias"
    factors: Annotated[tuple[tuple[str, float], ...], NumberPairs(parse=factors_of, example="raise=2")]
    to: Annotated[OpponentModel, MODELS.nested(CHANGED)]

    def make(self, game: AnyGame, player: int, seed: int) -> Strategy:
        """Raises: InputError: a prefix that no action has; the message names it."""
        inner = self.to.strategy(game, player, seed)
        factors, met, names = dict(self.factors), set[str](), set[str]()

        def biased(decision: DecisionRows, rows: F64) -> F64:
            starts = [met_by(name, factors) for name in decision.actions]
            names.update(decision.actions)
            met.update(start for start in starts if start is not None)
            if not rows.size:
                return rows
            by = np.array([1.0 if start is None else factors[start] for start in starts])
            after = rows * by[:, None]
            total = after.sum(axis=0)
            kept = total > 0.0
            return np.where(kept, after / np.where(kept, total, 1.0), rows)

        found: Strategy = strategies_of(game).changed(inner, biased)
        check_met(factors, met, names)
        return found
