"""The base class of the methods of `respond`: a frozen record with a dial that states its needs,
refuses what it cannot do, and computes a plan."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Annotated, Any, ClassVar, Self

from counterplay.display import by_fields
from counterplay.errors import InputError
from counterplay.gadgets import Gadget, gadget_of
from counterplay.lookahead.search import JOINT, PER_STATE, LookAhead
from counterplay.lookahead.tremble import Tremble, check_share
from counterplay.poker.betting.stakes import CHIPS, read_amount, stakes_of
from counterplay.responses.matchup.any_matchup import AnyMatchup, Outcome
from counterplay.responses.matchup.risk_search import corner_responses, mixture, mixture_within
from counterplay.texts.readers import Flat, Parsed, Share, number_text
from counterplay.texts.record import Record, RecordKind, slots
from counterplay.treeplex.restriction import check_p

P, ALPHA, RISK = "p", "alpha", "max_exploitability"
_AMOUNT = RISK


def read_risk(text: str) -> float | str:
    """A largest exploitability: chips, or a text with a unit that depends on the game, such as "1%"."""
    amount = read_amount(text, CHIPS, _AMOUNT)
    return amount.number if amount.unit == CHIPS else text


def risk_in_chips(most: float | str, game: Any) -> float:
    """A largest exploitability in chips of a game (see `poker.betting.stakes.read_amount`): per cent are of a spot's
    pot, in other games of the span of payoffs."""
    return read_amount(most, CHIPS, _AMOUNT).chips(stakes_of(game), _AMOUNT)


def risk_text(most: float | str) -> str:
    return most if isinstance(most, str) else number_text(most)


USUAL = LookAhead()
Trust = Annotated[float | None, Share(keyed=True)]
Risk = Annotated[float | str | None, Parsed(parse=read_risk, text=risk_text, example="0.05", keyed=True)]
Look = Annotated[LookAhead, Flat(record=LookAhead)]


class Method(Record):
    """A method of `respond`, a frozen dataclass.

    Its fields are its dial, and `look` if it looks ahead. A method whose dial is `p` or `alpha` takes the field
    `max_exploitability` instead, and then finds the largest value of the dial within it. With neither it is what
    `frontier` takes, which turns the dial.

    Attributes:
        HEAD: name of the method.
        DIAL: name of the field that sets the trust in the model; None without one.
        GADGET: the default gadget of its look-aheads; None if the opponent is always the model.
        RAKED: whether it is meaningful in general-sum games.
        VARIANT: which of several algorithms of its name it is; None where there is one.
        BOUND: what is known of its exploitability beforehand, where that is less than its name suggests; else None.
    """

    DIAL: ClassVar[str | None] = None
    GADGET: ClassVar[Gadget | None] = None
    RAKED: ClassVar[bool] = False
    VARIANT: ClassVar[str | None] = None
    BOUND: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        for name in filter(None, (self.DIAL, RISK)):
            number = getattr(self, name, None)
            if isinstance(number, Real) and not isinstance(number, int | float):  # of NumPy's own
                object.__setattr__(self, name, float(number))
        self._check_dial()
        if self.look is not None:
            self._check_look(self.look)

    def __repr__(self) -> str:
        return by_fields(self)

    @classmethod
    def looks_ahead(cls) -> bool:
        """Whether it decides by look-aheads, and has a `look`."""
        return any(slot.field.name == "look" for slot in slots(cls))

    @property
    def look(self) -> LookAhead | None:
        """Its look-ahead; None if it sees the whole game."""
        return None

    @property
    def far(self) -> LookAhead:
        """Its look-ahead, of a method that has one."""
        assert self.look is not None
        return self.look

    @property
    def trust(self) -> float | None:
        """The value of its dial; None without one, or if a largest exploitability is given instead."""
        found: float | None = None if self.DIAL is None else getattr(self, self.DIAL)
        return found

    @property
    def most(self) -> float | str | None:
        """The largest exploitability; None if not given."""
        found: float | str | None = getattr(self, RISK, None)
        return found

    @property
    def is_set(self) -> bool:
        """Whether it has all that it needs: no dial, or a number for it."""
        return self.DIAL is None or self.trust is not None or self.most is not None

    def check_set(self) -> None:
        """Refuse a method whose dial is open."""
        if not self.is_set and self.DIAL == RISK:
            raise InputError(f"{self.HEAD} needs a largest exploitability")
        if not self.is_set:
            raise InputError(f"{self.HEAD} needs either {self.DIAL} or {RISK}, as in {self.HEAD}:{self.DIAL}=0.5")

    def at(self, number: float) -> Self:
        """The method with its dial at a number."""
        return replace(self, **{self.DIAL: number}) if self.DIAL else self  # type: ignore[type-var]

    @property
    def risk(self) -> float:
        """The largest exploitability in chips, after `in_game`; 0 if not given."""
        return float(self.most or 0.0)

    def in_game(self, game: Any) -> Self:
        """The method with the largest exploitability in chips, and with this game's look-ahead."""
        changes: dict[str, Any] = {}
        if isinstance(self.most, str):
            changes[RISK] = risk_in_chips(self.most, game)
        if self.look is not None:
            gadget = self._gadget(self.look)
            alone = game.enters_boards_alone and gadget is not None and not gadget.keeps_path
            solve = PER_STATE if alone else self.look.solve or JOINT
            changes["look"] = replace(self.look.in_game(game), gadget=gadget, solve=solve)
        return replace(self, **changes) if changes else self  # type: ignore[type-var]

    def outcome(self, match: AnyMatchup) -> tuple[Outcome, float | None]:
        """The plan, and its value of the dial, if it has one; after `in_game`."""
        if self.DIAL is None:
            return self.response(match, 0.0), None
        if self.trust is None:
            return corner_responses(match, partial(self.response, match), self.risk)[0]
        return self.response(match, self.trust), self.trust

    @abstractmethod
    def response(self, match: AnyMatchup, trust: float) -> Outcome:
        """The response at a value of the dial (0 without one)."""

    def _gadget(self, look: LookAhead) -> Gadget | None:
        return self.GADGET if look.gadget is None else gadget_of(look.gadget)

    def _check_dial(self) -> None:
        """Refuse numbers outside their range, and two numbers for one dial."""
        if self.DIAL in (P, ALPHA):
            if self.trust is not None and self.most is not None:
                raise InputError(f"{self.HEAD} needs either {self.DIAL} or {RISK}, as in {self.HEAD}:{self.DIAL}=0.5")
            if self.trust is not None:
                check_p(self.trust) if self.DIAL == P else check_share(ALPHA, self.trust)
        if isinstance(self.most, str):
            object.__setattr__(self, RISK, read_risk(self.most))
        elif self.most is not None and not 0.0 <= self.most < float("inf"):
            raise InputError(f"{_AMOUNT} must be a non-negative number of chips, not {self.most:g}")

    def _check_look(self, look: LookAhead) -> None:
        """Reject a gadget or refinement that it does not use."""
        if self.GADGET is not None:
            alpha = self.trust if self.DIAL == ALPHA else 0.0
            Tremble(alpha or 0.0, look.prior, look.epsilon).check(self._gadget(look) or self.GADGET)
            return
        for what, given in {"gadget": look.gadget, "prior": look.prior != "none", "epsilon": look.epsilon}.items():
            if given:
                raise InputError(f"{self.HEAD} faces the model alone and takes no {what}")


def mix_with_equilibrium(match: AnyMatchup, greedy: Outcome, p: float | None, most: float) -> tuple[Outcome, float]:
    """`greedy` with probability p, else an equilibrium, drawn before the game; or with the largest p within `most`."""
    safe = match.equilibrium()
    return (mixture(match, safe, greedy, p), p) if p is not None else mixture_within(match, safe, greedy, most)


METHOD: RecordKind[Method] = RecordKind("method", Method)  # type: ignore[type-abstract]
"""All methods by name; `responses` binds its registry."""
