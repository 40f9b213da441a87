"""Methods that see the whole game: best response, its mixtures, restricted and data-biased responses, safe ones, LBR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.matchup.risk_search import safe_best_response
from counterplay.responses.method import RISK, Method, P, Risk, Trust, mix_with_equilibrium


@dataclass(frozen=True, repr=False)
class BR(Method):
    """The best response to the model: the largest gain, without a bound on the risk."""

    HEAD: ClassVar[str] = "br"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.best_response()


@dataclass(frozen=True, repr=False)
class BNE(Method):
    """The equilibrium strategy with the largest gain against the model: by linear program, or in large spots and whole games
    of hold'em among the strategies whose worst case is no worse than that of the computed equilibrium or blueprint."""

    HEAD: ClassVar[str] = "bne"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.best_equilibrium()


@dataclass(frozen=True, repr=False)
class LBR(Method):
    """Local best response (Lisý and Bowling 2017), in poker games: the best action if both sides only call from then on.

    At each own decision the opponent's range is the model's, and the value of an action is that against an opponent who
    folds to it as the model does and else calls, with no further bets. It needs no look-ahead and no value function, and
    gives no guarantee: its gain may be negative.
    """

    HEAD: ClassVar[str] = "lbr"
    RAKED: ClassVar[bool] = True

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.local_best_response()


@dataclass(frozen=True, repr=False)
class Safe(Method):
    """The strategy with the largest gain against the model among those whose exploitability is at most
    `max_exploitability` (chips, or a text such as "1%" or "5mbb")."""

    HEAD: ClassVar[str] = "safe"
    DIAL: ClassVar[str | None] = RISK

    max_exploitability: Risk = None

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        return self.response(match, self.risk), None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return safe_best_response(match, trust)


@dataclass(frozen=True, repr=False)
class TrustingMethod(Method):
    """A method that sees the whole game, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P
    RAKED: ClassVar[bool] = True

    p: Trust = None
    max_exploitability: Risk = None


@dataclass(frozen=True, repr=False)
class RNR(TrustingMethod):
    """Restricted Nash response (Johanson, Zinkevich and Bowling 2007): the equilibrium strategy against an opponent who is
    the model with probability p and free otherwise."""

    HEAD: ClassVar[str] = "rnr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.restricted_nash(trust)


@dataclass(frozen=True, repr=False)
class DBR(TrustingMethod):
    """Data-biased response (Johanson and Bowling 2009): as `RNR`, but the model is trusted at each infoset with probability
    p, and less where observations are few."""

    HEAD: ClassVar[str] = "dbr"

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.data_biased(trust)


@dataclass(frozen=True, repr=False)
class Mix(TrustingMethod):
    """The best response with probability p, else an equilibrium, drawn before the game."""

    HEAD: ClassVar[str] = "mix"

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        return mix_with_equilibrium(match, self.response(match, 1.0), self.p, self.risk)

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        return match.best_response()
