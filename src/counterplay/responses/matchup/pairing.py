"""A responder and a model, with the limits of solves: the fields of every kind of match-up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from counterplay.solvers.cfr import Progress, Stop
from counterplay.solvers.minimiser import Solver


@dataclass(eq=False)
class Pairing:
    """One responder, one model.

    Attributes:
        game: the game.
        model: the opponent's modelled strategy; the responder has the other seat.
        solver: `lp`, a regret minimiser, or `auto`.
        stop: stopping rule of iterative solvers.
        progress: called with iterations and exploitability of iterative solves.
        seed: seed of draws.
    """

    game: Any
    model: Any
    solver: Solver = "auto"
    stop: Stop = field(default_factory=Stop)
    progress: Progress | None = None
    seed: int | None = None

    @property
    def seat(self) -> int:
        """The responder's seat."""
        seat: int = 1 - self.model.player
        return seat
