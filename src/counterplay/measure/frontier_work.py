"""The points of a frontier as work: a piece for each number of a method's dial; one for all of them where the solves go on
from each other, and for rnr, whose corners are interdependent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from counterplay.measure.frontier_point import Point
from counterplay.responses.answer import Answer
from counterplay.responses.matchup.any_matchup import AnyMatchup
from counterplay.responses.matchup.envelope import Corner, Envelope, envelope
from counterplay.responses.method import RISK, Method
from counterplay.responses.respond import respond_in
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe


@dataclass(eq=False)
class FrontierWork:
    """Responses of several methods over their dials.

    Attributes:
        match: responder and model.
        methods: methods by name; one whose dial is set is one point.
        points: number of points of every other dial; for rnr the most corners.
        partial: points of a piece that Ctrl-C cut short.
    """

    match: AnyMatchup
    methods: Mapping[str, Method]
    points: int
    partial: list[Point] = field(default_factory=list)

    def identity(self) -> dict[str, Any]:
        return {**self.match.identity(), "methods": {name: str(one) for name, one in self.methods.items()}}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def piece_size(self, key: str) -> float:
        """The points of a piece: those of chains and corners are computed together."""
        method = self.methods[self._pieces[key][0]]
        return float(self.points if self._by_corners(method) or self._chained(method) else 1)

    def compute(self, key: str) -> list[dict[str, Any]]:
        """The points of a piece, as plain data.

        Raises:
            KeyboardInterrupt: Ctrl-C cut a solve short; `partial` has the points so far.
        """
        name, index = self._pieces[key]
        if self._by_corners(self.methods[name]):
            found = self._corners(name)
        else:
            self.match.forget_solves()
            found = self._chain(name) if self._chained(self.methods[name]) else [self._point(name, index)]
        return [point.facts() for point in found]

    @cached_property
    def _pieces(self) -> dict[str, tuple[str, int]]:
        """By key: the name of a method, and which point of its dial."""
        found = {}
        for name, method in self.methods.items():
            alone = self._by_corners(method) or self._chained(method) or method.is_set
            for index in range(1 if alone else self.points):
                found[name if alone else f"{name} {index + 1}/{self.points}"] = (name, index)
        return found

    def _by_corners(self, method: Method) -> bool:
        return isinstance(method, RNR) and not method.is_set and self.match.has_corners

    def _chained(self, method: Method) -> bool:
        return not method.is_set and not self.match.has_corners

    def _chain(self, name: str) -> list[Point]:
        """The points of a dial from left to right."""
        found: list[Point] = []
        for index in range(self.points):
            try:
                found.append(self._point(name, index))
            except KeyboardInterrupt:
                self.partial = found
                raise
        return found

    @cached_property
    def _envelope(self) -> Envelope:
        return envelope(self.match, self.points)

    def _corners(self, name: str) -> list[Point]:
        found = [_corner(name, corner) for corner in self._envelope.corners]
        if self._envelope.interrupted:
            self.partial = found
            raise KeyboardInterrupt
        return found

    def answer(self, name: str, index: int) -> tuple[Answer, float | None]:
        """The response at a point of a method's dial, and the number there."""
        method = self.methods[name]
        if not method.is_set:
            method = method.at(self._number(method, index))
        answer = respond_in(self.match, method)
        dial = answer.alpha if answer.p is None else answer.p
        return answer, method.in_game(self.match.game).risk if method.DIAL == RISK else dial

    def _point(self, name: str, index: int) -> Point:
        answer, dial = self.answer(name, index)
        if answer.interrupted:
            raise KeyboardInterrupt
        numbers = answer.gain, answer.exploitability if answer.edge is None else nan
        return Point(name, dial, *numbers, answer.seconds, edge=answer.edge, risk=answer.risk)

    def _number(self, method: Method, index: int) -> float:
        """The value of a method's dial."""
        share = float(np.linspace(0.0, 1.0, self.points)[index])
        if not isinstance(method, Safe) or index == 0:
            return share
        if not self.match.has_corners:
            return share * self._most_exploitable
        if self._envelope.interrupted:
            raise KeyboardInterrupt
        return self._envelope.allowed(share)

    @cached_property
    def _most_exploitable(self) -> float:
        """The exploitability of the response that trusts the model most."""
        return max(0.0, float(self.match.exploitability(self.match.best_response().plan)))


def _corner(name: str, corner: Corner) -> Point:
    """A corner as a point."""
    low, high = corner.low, corner.high
    return Point(name, corner.p, corner.gain, corner.exploitability, corner.seconds, dial_low=low, dial_high=high)
