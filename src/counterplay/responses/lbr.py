"""Local best response (Lisý and Bowling 2017): the best action if both sides only call (or fold) from then on.

At each own decision the opponent's range is the model's, and the value of an action is that against an opponent who
folds to it as the model does and else calls, with no further bets. It needs no look-ahead and no value function, and
gives no guarantee: its gain may be negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import Method


@dataclass(frozen=True, repr=False)
class LBR(Method):
    """The best action at each decision if both sides only call from then on; in poker games."""

    HEAD: ClassVar[str] = "lbr"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        """LBR, by infosets or by hands."""
        return match.local_best_response()
