"""Cases of a theorem that holds for every combination of some parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def covering(*values: Sequence[Any]) -> list[Any]:
    """Every combination of the values of some parameters. In the fast part is a covering array of strength one: as many
    combinations as the longest list has values, each value of each parameter in one of them. The others are slow."""
    rows = max(map(len, values))
    # Each parameter runs through its values at its own pace, so that two with as many values are not always at the same.
    fast = {tuple((k + j * (k // len(one))) % len(one) for j, one in enumerate(values)) for k in range(rows)}
    return [
        pytest.param(*(one[i] for one, i in zip(values, at, strict=True)), marks=[pytest.mark.slow] * (at not in fast))
        for at in product(*(range(len(one)) for one in values))
    ]
