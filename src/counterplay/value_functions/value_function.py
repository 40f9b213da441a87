"""The public entry: a value function from a record, its text, or user code."""

from __future__ import annotations

from typing import Any

from counterplay.errors import InputError
from counterplay.games.plugin import import_object, is_plugin
from counterplay.value_functions.leaf_value import EXACT, LEAF_VALUES, EstimatedValue, ExactLeaf, ValueFunction
from counterplay.value_functions.portfolio import Portfolio

Value = ExactLeaf | ValueFunction | EstimatedValue | Portfolio


def value_function(source: Any) -> Value:
    """A value function.

    Args:
        source: a record such as `Rollouts(20)`, or its text (see `catalogue.VALUES`); a function from a state to chips of
            player 0, or `module:function` of one; an object of a protocol in `leaf_value`; None is the exact one.
    """
    found: Value = EXACT if source is None else LEAF_VALUES.record(source)
    return found


def name_of_value(value: Value) -> str:
    """The text of a value function, as on the command line."""
    return value.name


def check_value(text: str) -> None:
    """Reject a text that is not a value function in any game."""
    if is_plugin(text, LEAF_VALUES.names):
        import_object(text, LEAF_VALUES.what, LEAF_VALUES.names)  # made when there is a game, for it may be large
    else:
        LEAF_VALUES.parse(text).check()


def is_fixed_value(rules: Any, text: str) -> bool:
    """Whether a text always means the same value function of a game (see `LeafValue.is_fixed`)."""
    try:
        return text.partition(":")[0] in LEAF_VALUES.registry and bool(LEAF_VALUES.parse(text).is_fixed(rules))
    except InputError:
        return False
