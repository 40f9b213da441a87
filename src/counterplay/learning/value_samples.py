"""Samples of values: public states with both ranges, and the CFVs of their solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from counterplay.arrays import F32, F64, I32
from counterplay.networks.border_states import BorderRows
from counterplay.networks.value_network import normalised
from counterplay.value_functions.leaf_value import Evaluate

_LEAST = 1e-9
"""Reach below which a solution says nothing about a state."""


class ValueSamples(NamedTuple):
    """Solved public states, one a row.

    Attributes:
        kinds: (n,) kind of each.
        inputs: (n, numbers + width0 + width1) what the rules say of the state, if it is known by that, and both ranges,
            scaled to sum 1.
        targets: (n, width0 + width1) both players' CFVs, divided by the other's mass and chance's probability of the state.
    """

    kinds: I32
    inputs: F32
    targets: F32

    def facts(self) -> dict[str, Any]:
        """As the result of a piece of work."""
        return self._asdict()

    @staticmethod
    def join(parts: Iterable[Mapping[str, Any]], wide: int, numbers: int = 0) -> ValueSamples:
        """The samples of several pieces, none included; their ranges are `wide`."""
        none = np.zeros(0, np.int32), np.zeros((0, numbers + wide), np.float32), np.zeros((0, wide), np.float32)
        listed = [ValueSamples(*none).facts(), *parts]
        return ValueSamples(*(np.concatenate([part[name] for part in listed]) for name in ValueSamples._fields))


def solve_samples(
    rows: BorderRows,
    evaluate: Evaluate,
    asked: Iterable[tuple[F64, F64]],
    choose: np.random.Generator | None = None,
) -> ValueSamples:
    """The samples of a border's public states at some ranges, (size,) of both players each; states to which a player never
    comes are left out. `choose` keeps equally many of each kind.
    """
    kinds, inputs, targets = [], [], []
    for ranges in asked:
        cfvs = evaluate(*ranges)
        both = [rows.spread(i, ranges[i]) for i in (0, 1)]
        mass = [one.sum(axis=1, keepdims=True) for one in both]
        come = (mass[0] > _LEAST) & (mass[1] > _LEAST)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = [rows.spread(i, cfvs[i]) / (mass[1 - i] * rows.chance[:, None]) for i in (0, 1)]
        keep = come[:, 0]
        if choose is not None:
            keep &= rows.some_of_each_kind(choose)
        shares = [normalised(rows, i, both[i], mass[i]) for i in (0, 1)]
        turned, order = rows.turned(np.concatenate(shares, axis=1, dtype=np.float32))
        kinds.append(rows.kinds[keep])
        inputs.append(turned[keep])
        targets.append(np.concatenate(values, axis=1).reshape(-1)[order][keep])
    return ValueSamples(
        np.concatenate(kinds).astype(np.int32),
        np.concatenate(inputs).astype(np.float32),
        np.concatenate(targets).astype(np.float32),
    )
