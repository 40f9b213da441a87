"""Value functions: the value of the game below a look-ahead's limit; one per file, each a record with a text.

Door: `leaf_value.value_function`, which takes a record, its text, or user code.

Registry: `REGISTRY` here, name to class; `other_value` handles user code.
"""

from __future__ import annotations

from typing import Any

from counterplay.games.spec_text import called, is_plugin
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.value_functions.estimates import Heuristic, Rollouts
from counterplay.value_functions.leaf_value import (
    LEAF_VALUES,
    Equity,
    EstimatedValue,
    ExactLeaf,
    LeafValue,
    ValueFunction,
)
from counterplay.value_functions.network_value import NetworkValue
from counterplay.value_functions.portfolio import Portfolio
from counterplay.value_functions.sampled_portfolio import SampledPortfolio
from counterplay.value_functions.solved_value import SolvedValue

REGISTRY: dict[str, type[LeafValue]] = {
    "exact": ExactLeaf,
    "lp": SolvedValue,
    **dict.fromkeys(MINIMISERS, SolvedValue),
    "rollout": Rollouts,
    "portfolio": Portfolio,
    "sampled": SampledPortfolio,
    "equity": Equity,
    "net": NetworkValue,
}
"""Value functions by the first word of their text."""


def other_value(source: Any) -> ValueFunction | EstimatedValue | None:
    """A value function from user code: an object of a protocol, a function of a state, or `module:name` of one."""
    text = source if isinstance(source, str) else ""
    if text:
        if not is_plugin(text, LEAF_VALUES.names):
            return None
        source = called(text, LEAF_VALUES.what, LEAF_VALUES.names)
    if isinstance(source, ValueFunction | EstimatedValue):
        return source
    if text or callable(source):
        return Heuristic(source, text or str(getattr(source, "__name__", "heuristic")))
    return None


LEAF_VALUES.bind(REGISTRY, other_value)
