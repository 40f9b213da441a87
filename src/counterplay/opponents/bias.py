"""Biased opponents: another opponent with some actions preferred, as in the usual portfolio of a blueprint that folds,
calls or raises more; and the two plain styles of play in whole games of hold'em.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

import numpy as np

from counterplay.arrays import F64, AnyArray
from counterplay.errors import InputError, quoted
from counterplay.opponents.model import CHANGED, MODELS, AnyGame, OpponentModel
from counterplay.poker.betting.state import Move
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.strategy import BucketedStrategy, change_rows, normalise_rows, uniform
from counterplay.strategies.strategy_makers import DecisionRows, strategies_of
from counterplay.texts.grammar import split_pairs
from counterplay.texts.readers import NumberPairs
from counterplay.treeplex.strategy import Strategy

PASSIVE, AGGRESSIVE = STYLES = ("passive", "aggressive")
"""Styles in whole games of hold'em."""
_MANY = 256
"""Blocks that are changed at a time."""


def factors_of(words: str) -> dict[str, float]:
    """The factors of a text such as `fold=10,raise=0.5`."""
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
    """Reject a prefix that is given twice, ignoring case. what: whose they are, for the message."""
    if prefix.casefold() in map(str.casefold, others):
        raise InputError(f"{what}: duplicate action {quoted(prefix)}")


class ByPrefix:
    """Numbers by prefix of an action's name, ignoring case: the longest match counts. It remembers all names and matches."""

    def __init__(self, numbers: Mapping[str, float], default: float) -> None:
        self._numbers, self._default = numbers, default
        self._met, self._names = set[str](), set[str]()

    def of(self, names: Iterable[str]) -> F64:
        """(actions,) the number of each name; the default where no prefix matches."""
        names = list(names)
        starts = [self._longest(name) for name in names]
        self._names.update(names)
        self._met.update(start for start in starts if start is not None)
        return np.array([self._default if start is None else self._numbers[start] for start in starts])

    def check(self) -> None:
        """Reject a prefix that changes no name so far: none begins with it, or all that do match a longer one."""
        missing = next((start for start in self._numbers if start not in self._met), None)
        if missing is None:
            return
        names = sorted(self._names)
        if not names:
            raise InputError(f"no action begins with {quoted(missing)}, since the player has no decision here")
        longer = {self._longest(name): None for name in names if _begins(name, missing)}
        if longer:
            raise InputError(
                f"{quoted(missing)} changes nothing: every action that begins with it begins with "
                f"{' or '.join(map(quoted, longer))} too, and the longest of these counts"
            )
        raise InputError(f"no action begins with {quoted(missing)}; they are {', '.join(names[:12])}")

    def _longest(self, name: str) -> str | None:
        matches = (start for start in self._numbers if _begins(name, start))
        return max(matches, key=lambda start: len(start.casefold()), default=None)


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
        inner, factors = self.to.strategy(game, player, seed), ByPrefix(dict(self.factors), 1.0)

        def biased(decision: DecisionRows, rows: F64) -> F64:
            after = rows * factors.of(decision.actions)[:, None]
            total = after.sum(axis=0)
            return np.where(total > 0.0, after / np.where(total > 0.0, total, 1.0), rows)

        changed: Strategy = strategies_of(game).changed(inner, biased)
        factors.check()
        return changed

    def make_blueprint(self, game: HoldemGame, seed: int) -> BucketedStrategy:
        return bias_actions(game, self.bucketed(game, seed), dict(self.factors))


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """The strategy that always checks and calls, or always bets and raises."""

    def only(node: int, rows: AnyArray) -> F64:
        moves = [int(game.betting.move[child]) for child in game.betting.children(node)]
        calls = [k for k, move in enumerate(moves) if move in (Move.CHECK, Move.CALL)]
        choice = calls[0] if style == PASSIVE else len(moves) - 1
        return np.broadcast_to(np.eye(len(rows))[:, [choice]], rows.shape)

    return change_rows(game, uniform(game), only)


def bias_actions(game: HoldemGame, play: BucketedStrategy, numbers: Mapping[str, float]) -> BucketedStrategy:
    """A strategy with the probability of some actions multiplied, as `Bias` has it."""
    factors = ByPrefix(numbers, 1.0)

    @cache
    def factors_at(node: int) -> F64:
        by = factors.of(game.betting.actions(node))[:, None]
        return np.asarray(by / max(1.0, by.max()), np.float64)  # so that sums stay finite

    def changed(node: int, rows: AnyArray) -> AnyArray:
        after = rows * factors_at(node)
        weights = np.where(after.sum(axis=0) > 0.0, after, rows)
        return normalise_rows(weights, np.array([[node, 0, 0, len(rows)]]))

    def joined(blocks: list[AnyArray]) -> list[AnyArray]:  # a lossless blueprint has thousands, each of few hands
        return [np.hstack(blocks[k : k + _MANY]) for k in range(0, len(blocks), _MANY)]

    wide = tuple((joined(one), joined(two)) for one, two in play.tables)
    found = change_rows(game, replace(play, tables=wide), changed)
    factors.check()
    pairs = zip(found.tables, play.tables, strict=True)
    return replace(found, tables=tuple((_apart(new[0], old[0]), _apart(new[1], old[1])) for new, old in pairs))


def _apart(tables: list[AnyArray], blocks: list[AnyArray]) -> list[AnyArray]:
    """The blocks of such tables, each as wide as its twin in `blocks`."""
    found = list[AnyArray]()
    for k, table in enumerate(tables):
        ends = np.cumsum([block.shape[1] for block in blocks[k * _MANY : (k + 1) * _MANY]])
        found += map(np.ascontiguousarray, np.split(table, ends[:-1], axis=1))
    return found
