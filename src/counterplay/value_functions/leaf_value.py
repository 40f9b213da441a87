"""Value functions: values of the game below the limit of a look-ahead. Their protocols, and the public entry.

A value function is prepared for the border at which a look-ahead stops and then called many times: both players' ranges
in, both players' CFVs out. A range is a player's reach of each own augmented infoset of the border; a CFV is chips of
its player times chance's and the other's reach, so that the sum of range · CFV is the player's value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from counterplay.arrays import F64
from counterplay.catalogue import VALUES
from counterplay.errors import InputError
from counterplay.games.spec_text import import_object, is_plugin
from counterplay.subgames.cut_game import Border
from counterplay.texts.record import Record, RecordKind

Evaluate = Callable[[F64, F64], tuple[F64, F64]]
"""Ranges of players 0 and 1 at a border in, CFVs of both out; arrays of the border's sizes."""


@runtime_checkable
class ValueFunction(Protocol):
    """The values beyond the limit of a look-ahead."""

    @property
    def name(self) -> str:
        """The text, as on the command line."""

    def at(self, border: Any) -> Evaluate:
        """Prepare it for a border: a `subgames.cut_game.Border`, or in spots a `poker.subtrees.street_limit.StreetEnd`."""


@runtime_checkable
class EstimatedValue(Protocol):
    """A value of each history whatever the ranges: a heuristic. It is linear, so that the linear program takes it, too."""

    @property
    def name(self) -> str:
        """The text, as on the command line."""

    def chips(self, border: Border) -> F64:
        """(n,) chips of player 0 at each history of a border."""


class LeafValue(Record):
    """A value function of the library: a record with a text.

    Attributes:
        quick: whether a call in a game in memory costs no more than a few iterations of a look-ahead.
        on_way: whether it needs the game above the limit alone, which need not fit in memory below.
    """

    quick: ClassVar[bool] = False
    on_way: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return str(self)

    def check(self) -> None:
        """Reject a value function that fits no game; what depends on the game is checked later."""

    def is_fixed(self, rules: Any) -> bool:  # noqa: ARG002 - most look at no game
        """Return whether it always means the same for a game (see `OpponentModel.is_fixed`)."""
        return True


LEAF_VALUES: RecordKind[Any] = RecordKind(
    "value function", LeafValue, listed=VALUES, accepts="a text, a function of a state, or have the method at"
)
"""All value functions; the registry is in `value_functions/__init__.py`."""


def linear(border: Border, chips: F64) -> Evaluate:
    """An estimate, `chips` (n,) at the histories of a border, as a value function of two ranges."""
    weight = border.chance * chips
    known0, known1 = border.known
    size0, size1 = border.sizes

    def evaluate(range0: F64, range1: F64) -> tuple[F64, F64]:
        return (
            np.bincount(known0, weight * range1[known1], size0).astype(np.float64),
            np.bincount(known1, -weight * range0[known0], size1).astype(np.float64),
        )

    return evaluate


@dataclass(frozen=True)
class ExactLeaf(LeafValue):
    """The game below the limit belongs to the problem of the look-ahead."""

    HEAD = "exact"


EXACT = ExactLeaf()
"""The usual one."""


@dataclass(frozen=True)
class Equity(LeafValue):
    """The pot is split by the chance of winning it over all cards to come."""

    HEAD = "equity"

    def chips(self, border: Border) -> F64:
        """(histories,) unavailable: only spots of hold'em, whose look-aheads end before a card, have equity.

        Raises:
            InputError: the game is not a spot.
        """
        raise InputError(f"equity is a value function for spots of hold'em, not for {border.game.name}")


Value = LeafValue | ValueFunction | EstimatedValue


def value_function(source: Any) -> Value:
    """A value function.

    Args:
        source: a record such as `Rollouts(20)`, or its text (see `catalogue.VALUES`); a function from a state to chips of
            player 0, or `module:function` of one; an object of a protocol in `leaf_value`; None is the exact one.
    """
    return EXACT if source is None else LEAF_VALUES.record(source)


def check_value(text: str) -> None:
    """Reject a text that is not a value function in any game."""
    if is_plugin(text, LEAF_VALUES.names):
        import_object(text, LEAF_VALUES.what, LEAF_VALUES.names)  # made when there is a game, for it may be large
    else:
        LEAF_VALUES.parse(text).check()


def is_fixed_value(rules: Any, text: str) -> bool:
    """Return whether a text always means the same value function of a game (see `LeafValue.is_fixed`)."""
    try:
        return text.partition(":")[0] in LEAF_VALUES.registry and bool(LEAF_VALUES.parse(text).is_fixed(rules))
    except InputError:
        return False
