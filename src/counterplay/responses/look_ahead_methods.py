"""Methods that look ahead: CDBR, CDRNR and their mixture, continual re-solving, SES, and adapting beyond the depth limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterplay.errors import InputError
from counterplay.gadgets import FullGadget, Gadget, MaxMargin, Resolving
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.tremble import UNBOUNDED
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.method import ALPHA, USUAL, Look, Method, P, Risk, Trust, mix_with_equilibrium
from counterplay.value_functions.portfolio import Portfolio


@dataclass(frozen=True, repr=False)
class CDBR(Method):
    """Continual depth-limited best response (Milec et al. 2024), by look-aheads against the model alone."""

    HEAD: ClassVar[str] = "cdbr"

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.depth_limited(self, 1.0)


@dataclass(frozen=True, repr=False)
class Resolve(Method):
    """Continual re-solving (Moravčík et al. 2017): look-aheads without a model that the opponent enters through a gadget,
    each as safe as the previous one."""

    HEAD: ClassVar[str] = "resolve"
    GADGET: ClassVar[Gadget | None] = Resolving()

    look: Look = USUAL

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - it has no dial
        return match.depth_limited(self, 0.0)


@dataclass(frozen=True, repr=False)
class SES(Method):
    """Continual safe exploitation search: re-solving with the gadget of Liu et al. 2022 at the entry of every look-ahead,
    where the opponent enters with the model's range with probability alpha.

    The paper refines a given blueprint in the subgames of one place, as `resolve` does with alpha above 0; only there its
    bounds can hold. This method has no blueprint: it solves its first look-ahead without a gadget and every later decision
    again.
    """

    HEAD: ClassVar[str] = "ses"
    DIAL: ClassVar[str | None] = ALPHA
    GADGET: ClassVar[Gadget | None] = MaxMargin()
    VARIANT: ClassVar[str | None] = "continual: every decision solved again, without a blueprint"
    BOUND: ClassVar[str | None] = UNBOUNDED

    alpha: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.depth_limited(self, 0.0, trust)


@dataclass(frozen=True, repr=False)
class TrustingSearch(Method):
    """A method that looks ahead, by p or by a largest exploitability."""

    DIAL: ClassVar[str | None] = P

    p: Trust = None
    look: Look = USUAL
    max_exploitability: Risk = None


@dataclass(frozen=True, repr=False)
class CDBRNE(TrustingSearch):
    """A mixture (Milec et al. 2024), drawn before the game: CDBR with probability p, else an equilibrium."""

    HEAD: ClassVar[str] = "cdbr-ne"

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        return mix_with_equilibrium(match, self.response(match, 1.0), self.p, self.risk)

    def response(self, match: AnyMatchup, trust: float) -> Outcome:  # noqa: ARG002 - the weight comes later
        return match.depth_limited(self, 1.0)


@dataclass(frozen=True, repr=False)
class CDRNR(TrustingSearch):
    """Continual depth-limited restricted Nash response (Milec et al. 2024): look-aheads in which the opponent is the model
    with probability p, and otherwise enters through a gadget."""

    HEAD: ClassVar[str] = "cdrnr"
    GADGET: ClassVar[Gadget | None] = FullGadget()

    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        return match.depth_limited(self, trust)


@dataclass(frozen=True, repr=False)
class ABD(CDRNR):
    """Adapting beyond the depth limit (Milec et al. 2025): CDRNR with a portfolio at the limit, where the model continues as
    the model."""

    HEAD: ClassVar[str] = "abd"

    def _check_look(self, look: LookAhead) -> None:
        if not isinstance(look.leaf, Portfolio):
            raise InputError("abd needs a portfolio at the limit, as in value=portfolio:uniform;nash")
        super()._check_look(look)
