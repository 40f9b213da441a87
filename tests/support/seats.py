"""Cases of a theorem that holds for both players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def seats_in_turn(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Each case with a seat as its last parameter, 0 and 1 in turn; with the other seat in the slow part."""
    return [
        pytest.param(*case, seat, marks=[pytest.mark.slow] * (number % 2 != seat))
        for number, case in enumerate(cases)
        for seat in (0, 1)
    ]
