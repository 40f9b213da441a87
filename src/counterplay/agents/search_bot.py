"""Agents that search while they play."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from counterplay.agents.record import MethodRecord
from counterplay.errors import InputError
from counterplay.leaf_values.leaf_value import LeafValue
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.responses.cdbr_ne import CDBRNE
from counterplay.responses.method import Method, P
from counterplay.solvers.minimiser import minimiser
from counterplay.texts.readers import OneOf, Reader, Real, Whole, YesNo

WHOLE, WAY = "whole", "way"
_DIGITS = 9


@dataclass(frozen=True, repr=False)
class SearchBot(MethodRecord):
    """Searches every decision while it plays, by a method that looks ahead.

    Attributes:
        method: `CDBR`, `CDRNR`, `ABD`, `Resolve`, `SES` or `CDBRNE`; every public state is solved alone.
        to: the model of the opponent, also as text.
        gain: the largest possible gain in chips, for a bound on p if exploitability cannot be measured.
        solver: `lp` or a regret minimiser.
        seconds, iterations, gap: limits of a look-ahead's solve, whichever comes first; the gap is in chips.
        expand: compile the `whole` game, or expand it lazily along the agent's `way`; None for the whole, unless its
            value function samples and the game does not fit.
        memory: limit in GiB of a lazily expanded game.
        remember: keep solutions from hand to hand.
        budget, particles: moves of random games per decision, and states of the belief, of ABD with `expand=way` and p
            = 1.
    """

    method: Method
    to: Annotated[OpponentModel | str | None, MODELS.nested(keyed=True)] = None
    _: KW_ONLY
    gain: Annotated[float | None, Real()] = None
    solver: Annotated[str | None, Reader()] = None
    seconds: Annotated[float | None, Real()] = None
    iterations: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None
    gap: Annotated[float | None, Real()] = None
    expand: Annotated[str | None, OneOf(words=(WHOLE, WAY))] = None
    memory: Annotated[float | None, Real()] = None
    remember: Annotated[bool, YesNo()] = True
    budget: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None
    particles: Annotated[int | None, Whole(least=1, digits=_DIGITS)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.method.looks_ahead():
            raise InputError(f"{self.head} does not look ahead; its strategy is computed before the match: ResponseBot")
        if self.method.look is not None and self.method.look.joint:
            raise InputError(f"{self.head}: an agent solves each public state alone, not joint")
        dial, finds_p = self.method.DIAL, self.method.DIAL == P and self.head != CDBRNE.HEAD
        if dial is not None and not finds_p and self.method.trust is None:
            raise InputError(f"{self.head} needs {dial}, as in {self.head}:{dial}=0.5,to=uniform")
        if self.solver not in (None, "lp"):
            minimiser(self.solver)
        if self.seconds == 0.0:
            raise InputError(f"{self.head}: seconds must be above 0")
        if self.gap == 0.0 and self.seconds is None and self.iterations is None and self.solver != "lp":
            raise InputError(f"{self.head}: a gap of 0 is never reached; iterations= or seconds= must end the solve")

    def check(self) -> None:
        super().check()
        leaf = None if self.method.look is None else self.method.look.leaf
        if isinstance(leaf, LeafValue):
            leaf.check()
