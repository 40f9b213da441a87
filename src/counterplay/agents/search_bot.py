"""Agents that search while they play."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from counterplay.agents.record import MethodRecord
from counterplay.errors import InputError
from counterplay.opponents.model import MODELS, OpponentModel
from counterplay.poker.betting.rules import STREETS
from counterplay.responses.look_ahead_methods import CDBRNE
from counterplay.responses.method import Method, P
from counterplay.solvers.minimiser import minimiser
from counterplay.texts.readers import OneOf, Reader, Real, Whole, YesNo
from counterplay.value_functions.leaf_value import LeafValue

WHOLE, WAY = "whole", "way"
VALUES = BEST_RESPONSE, PROFILE = "best-response", "profile"
OF_WHOLE_GAMES = ("blueprint", "values", "street")
"""Options that only agents of whole games of hold'em have."""
OF_LISTED_GAMES = ("expand", "memory", "remember", "budget", "particles")
"""Options of games that are listed history by history."""
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
            value function needs only what is above the limit (`on_way`) and the game does not fit.
        memory: GiB that a game may take that is expanded on the way.
        remember: what was solved is kept from hand to hand.
        budget, particles: moves of random games for a decision, and states of the belief, of ABD on the way with p = 1.
        blueprint: in a whole game of hold'em, the strategy before the first search, and the source of alternative values;
            by default one that is computed at once.
        values: there, alternative values of a best response, or of the opponent's part of the blueprint (`profile`).
        street: there, the first street whose boards are solved again: `flop`, `turn` or `river`; by default the first
            whose rest of the hand is small enough.
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
    blueprint: Annotated[OpponentModel | str | None, MODELS.nested()] = None
    values: Annotated[str | None, OneOf(words=VALUES)] = None
    street: Annotated[str | None, OneOf(words=STREETS[1:])] = None

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
        if isinstance(self.blueprint, OpponentModel):
            self.blueprint.check()
        leaf = None if self.method.look is None else self.method.look.leaf
        if isinstance(leaf, LeafValue):
            leaf.check()
