"""Base classes of the methods whose dial is p, the trust in the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.method import USUAL, Look, Method, P, Risk, Trust


@dataclass(frozen=True, repr=False)
class TrustingMethod(Method):
    """A method that sees the whole game, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P
    RAKED: ClassVar[bool] = True

    p: Trust = None
    max_exploitability: Risk = None


@dataclass(frozen=True, repr=False)
class TrustingSearch(Method):
    """A method that looks ahead, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P

    p: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None
