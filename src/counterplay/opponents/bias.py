"""Biased opponents: another opponent with some actions preferred, as in the usual portfolio of a blueprint that folds,
calls or raises more; and the two plain styles of play in whole games of hold'em.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
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
from counterplay.strategies.decision_rows import DecisionRows
from counterplay.strategies.strategy_makers import strategies_of
from counterplay.texts.grammar import split_pairs
from counterplay.texts.readers import NumberPairs
from counterplay.treeplex.strategy import Strategy

PASSIVE, AGGRESSIVE = STYLES = ("passive", "aggressive")
"""Styles in whole games of hold'em."""
Factor = Callable[[int, AnyArray], F64]
"""A betting node and (actions, lanes) probabilities there in; their factors out, of a broadcastable shape."""
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


def check_met(factors: Mapping[str, float], met: Collection[str], actions: Iterable[str]) -> None:
    """Reject a prefix that changes no action: none begins with it, or all that do match a longer one."""
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

        changed: Strategy = strategies_of(game).changed(inner, biased)
        check_met(factors, met, names)
        return changed

    def make_blueprint(self, game: HoldemGame, seed: int) -> BucketedStrategy:
        return bias_actions(game, self.bucketed(game, seed), dict(self.factors))


def play_style(game: HoldemGame, style: str) -> BucketedStrategy:
    """The strategy that always checks and calls, or always bets and raises."""

    def only(node: int, rows: AnyArray) -> F64:
        moves = [int(game.betting.move[child]) for child in game.betting.children(node)]
        calls = [k for k, move in enumerate(moves) if move in (Move.CHECK, Move.CALL)]
        found = calls[0] if style == PASSIVE else len(moves) - 1
        return np.asarray(np.eye(len(rows))[found][:, None], np.float64)

    return _multiplied(game, uniform(game), only)


def bias_actions(game: HoldemGame, play: BucketedStrategy, factors: Mapping[str, float]) -> BucketedStrategy:
    """A strategy with the probability of some actions multiplied, as `Bias` has it."""
    met = set[str]()

    @cache
    def factors_at(node: int) -> F64:
        found = [met_by(name, factors) for name in game.betting.actions(node)]
        met.update(start for start in found if start is not None)
        by = np.array([1.0 if start is None else factors[start] for start in found])[:, None]
        return np.asarray(by / max(1.0, by.max()), np.float64)  # so that sums stay finite

    def factor(node: int, rows: AnyArray) -> F64:
        by = factors_at(node)
        return np.where((rows * by).sum(axis=0) > 0.0, by, 1.0)

    changed = _multiplied(game, play, factor)
    nodes = (int(row[0]) for side in game.sides for part in side.decisions for row in part)
    check_met(factors, met, (name for node in nodes for name in game.betting.actions(node)))
    return changed


def _multiplied(game: HoldemGame, play: BucketedStrategy, factor: Factor) -> BucketedStrategy:
    """A strategy with the rows of every decision multiplied and normalised."""

    def changed(node: int, rows: AnyArray) -> AnyArray:
        return normalise_rows(rows * factor(node, rows), np.array([[node, 0, 0, len(rows)]]))

    wide = tuple((_side_by_side(one), _side_by_side(two)) for one, two in play.tables)
    found = change_rows(game, replace(play, tables=wide), changed)
    apart = zip(found.tables, play.tables, strict=True)
    return replace(found, tables=tuple((_apart(new[0], old[0]), _apart(new[1], old[1])) for new, old in apart))


def _side_by_side(blocks: list[AnyArray]) -> list[AnyArray]:
    """Tables of many blocks each: a lossless blueprint has thousands, each of few hands."""
    return [np.hstack(blocks[k : k + _MANY]) for k in range(0, len(blocks), _MANY)]


def _apart(tables: list[AnyArray], blocks: list[AnyArray]) -> list[AnyArray]:
    """The blocks of such tables, each as wide as the one that stands at its place in `blocks`."""
    found = list[AnyArray]()
    for k, table in enumerate(tables):
        ends = np.cumsum([block.shape[1] for block in blocks[k * _MANY : (k + 1) * _MANY]])
        found += map(np.ascontiguousarray, np.split(table, ends[:-1], axis=1))
    return found
