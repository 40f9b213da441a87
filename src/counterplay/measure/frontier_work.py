"""The points of a frontier as work: a piece for each number of a method's dial; one for rnr, whose corners hang together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from counterplay.measure.frontier_point import Point
from counterplay.responses import METHODS
from counterplay.responses.matchup.envelope import Corner, Envelope, envelope
from counterplay.responses.method import Method
from counterplay.responses.method_options import method_of
from counterplay.responses.respond import respond_in
from counterplay.responses.rnr import RNR
from counterplay.responses.safe import Safe
from counterplay.responses.worlds import AnyMatchup

Far = Mapping[str, Any]
"""Options of the methods that look ahead; the value may be a mapping from methods to their own."""


@dataclass(eq=False)
class FrontierWork:
    """Responses of several methods over their dials.

    Attributes:
        match: responder and model.
        methods: by name.
        points: of every method's dial; of rnr corners at most.
        far: how methods look ahead.
        partial: points of a piece that Ctrl-C cut short.
    """

    match: AnyMatchup
    methods: Sequence[str]
    points: int
    far: Far
    partial: list[Point] = field(default_factory=list)

    def identity(self) -> dict[str, Any]:
        far = {word: _text(given) for word, given in sorted(self.far.items())}
        return {**self.match.identity(), **far}

    def keys(self) -> list[str]:
        return list(self._pieces)

    def compute(self, key: str) -> list[dict[str, Any]]:
        """The points of a piece, as plain data.

        Raises:
            KeyboardInterrupt: Ctrl-C cut a solve short; `partial` has what there is.
        """
        method, index = self._pieces[key]
        return [
            vars(point) for point in (self._corners() if self._by_corners(method) else [self._point(method, index)])
        ]

    @cached_property
    def _pieces(self) -> dict[str, tuple[str, int]]:
        """By key: a method, and which point of its dial."""
        found = {}
        for method in self.methods:
            alone = self._by_corners(method) or METHODS[method].DIAL is None
            for index in range(1 if alone else self.points):
                found[method if alone else f"{method} {index + 1}/{self.points}"] = (method, index)
        return found

    def _by_corners(self, method: str) -> bool:
        return METHODS[method] is RNR and self.match.has_corners

    @cached_property
    def _envelope(self) -> Envelope:
        match: Any = self.match  # it has corners
        return envelope(match, self.points)

    def _corners(self) -> list[Point]:
        found = [_corner(corner) for corner in self._envelope.corners]
        if self._envelope.interrupted:
            self.partial = found
            raise KeyboardInterrupt
        return found

    def _point(self, method: str, index: int) -> Point:
        number = self._number(METHODS[method], index)
        answer = respond_in(self.match, method_at(method, number, self.far))
        if answer.interrupted:
            raise KeyboardInterrupt
        shown = None if METHODS[method].DIAL is None else number
        return Point(method, shown, answer.gain, answer.exploitability, answer.seconds)

    def _number(self, method: type[Method], index: int) -> float:
        """Where a method's dial is set."""
        share = float(np.linspace(0.0, 1.0, self.points)[index])
        if method is not Safe or index == 0:
            return share
        if self._envelope.interrupted:
            raise KeyboardInterrupt
        return self._envelope.allowed(share)


def looks_ahead(method: str) -> bool:
    """Whether there is such a method, and it looks ahead."""
    return method in METHODS and METHODS[method].looks_ahead()


def method_at(method: str, number: float, far: Far) -> Method:
    """A method at one number of its dial."""
    known = METHODS.get(method)
    words = dict(far) if looks_ahead(method) else {}
    if isinstance(words.get("value"), Mapping):
        words["value"] = words["value"].get(method)
    if known and known.GADGET is None:
        for word in ("gadget", "prior", "epsilon", "normalised"):  # they are for the others
            words.pop(word, None)
    if known and known.DIAL:
        words[known.DIAL] = number
    return method_of(method, **words)


def _text(given: Any) -> str:
    """An option as text, for a record."""
    if isinstance(given, Mapping):
        return "; ".join(f"{name}={_text(one)}" for name, one in sorted(given.items()))
    return str(getattr(given, "name", given))


def _corner(corner: Corner) -> Point:
    return Point(
        RNR.HEAD,
        corner.p,
        corner.gain,
        corner.exploitability,
        corner.seconds,
        dial_low=corner.low,
        dial_high=corner.high,
    )
