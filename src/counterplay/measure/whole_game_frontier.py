"""The points of a frontier in a whole game of hold'em, as work: br, and rnr at equal steps of p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterplay.measure.frontier_point import Point
from counterplay.responses.method_options import method_of
from counterplay.responses.rnr import RNR
from counterplay.responses.whole_game import HoldemMatchup, respond_in_whole_game


@dataclass(eq=False)
class HoldemFrontierWork:
    """Attributes:
    match: responder and model.
    methods: by name.
    points: of the p of rnr.
    partial: the point that Ctrl-C cut short.
    """

    match: HoldemMatchup
    methods: Sequence[str]
    points: int
    partial: list[Point] = field(default_factory=list)

    def identity(self) -> dict[str, Any]:
        return {"game": self.match.game.name, "model": str(self.match.model.facts), "points": self.points}

    def _pieces(self) -> dict[str, tuple[str, float | None]]:
        """By key: a method and its p."""
        grid = np.linspace(0.0, 1.0, self.points).tolist()
        every = [(name, p) for name in self.methods for p in (grid if name == RNR.HEAD else [None])]
        return {name if p is None else f"{name} {p:.6g}": (name, p) for name, p in every}

    def keys(self) -> list[str]:
        return list(self._pieces())

    def compute(self, key: str) -> list[dict[str, Any]]:
        """The point of a piece, as plain data.

        Raises:
            KeyboardInterrupt: Ctrl-C cut it short; `partial` has what there is.
        """
        name, p = self._pieces()[key]
        answer = respond_in_whole_game(self.match, method_of(name, p=p))
        point = Point(name, p, answer.gain, answer.exploitability, answer.seconds)
        if answer.interrupted:
            self.partial = [point]
            raise KeyboardInterrupt
        return [vars(point)]
