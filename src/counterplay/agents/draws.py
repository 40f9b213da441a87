"""The state of a player's draws, as plain data for files."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any


def draws_state(draws: random.Random) -> list[Any]:
    """The state of a generator: plain numbers and a list of them."""
    version, numbers, gauss = draws.getstate()
    return [version, list(numbers), gauss]


def restore_draws(draws: random.Random, state: Sequence[Any]) -> None:
    """Set a generator to such a state."""
    version, numbers, gauss = state
    draws.setstate((version, tuple(numbers), gauss))
