"""Betting rules: stacks, blinds, bet limits, raise caps and rake of a heads-up hold'em game or spot.

Player 0 is out of position (`oop`, the big blind): first to act after the flop. Player 1 is in position (`ip`, the
small blind on the button): first to act before the flop. Rules hold whole numbers of the smallest chip, the `unit`;
`holdem`, `limit_holdem`, `flop_holdem` and `spot` take chips and reject other than multiples of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypedDict, Unpack

from counterplay.errors import InputError
from counterplay.texts.arguments import check_keywords

Caps = tuple[int | None, int | None, int | None, int | None]
Chips = int | float
_LAST = 3
STREETS = ("preflop", "flop", "turn", "river")
PLAYERS = ("oop", "ip")
Pair = tuple[int, int]
Stacks = Chips | tuple[Chips, Chips]
UNCAPPED: Caps = (None, None, None, None)


class Units:
    """Conversion of chips to units, with one-sentence errors."""

    def __init__(self, unit: float) -> None:
        if not 0 < unit < float("inf"):
            raise InputError(f"unit: the smallest chip must be positive, not {unit:g}")
        self.unit = unit

    def __call__(self, name: str, chips: Chips, least: int = 0) -> int:
        if not -1e15 < chips < 1e15:
            raise InputError(f"{name}: {chips:g} is not an amount of chips")
        units = Fraction(str(chips)) / Fraction(str(self.unit))
        if units.denominator != 1:
            raise InputError(f"{name}: {chips:g} is not a multiple of the smallest chip, {self.unit:g}")
        if units < least:
            raise InputError(f"{name}: {chips:g} is {'negative' if units < 0 else 'too little'}")
        return int(units)


@dataclass(frozen=True)
class BettingRules:
    """A heads-up game, or a spot in one. All amounts but `unit` count smallest chips ("units").

    Attributes:
        stacks: of oop and ip, in front of them before antes and blinds, or at the start of the spot.
        pot: in the middle before antes and blinds; each player is taken to have given half of it.
        blinds: posted by oop and ip before the flop, 0 in a spot.
        ante: posted by each player; not a bet.
        first, last: streets that are played, indices in STREETS.
        min_bet: least opening bet, and least raise until a larger bet.
        bets: size of every bet and raise per street in a limit game; None in no-limit.
        raises: most bets and raises per street, without blinds; None without a cap.
        rake: share of the final pot that the house takes, however the hand ends.
        rake_cap: the most rake; None without a cap.
        unit: value of the smallest chip in chips.
    """

    stacks: Pair
    pot: int = 0
    blinds: Pair = (0, 0)
    ante: int = 0
    first: int = 0
    last: int = 3
    min_bet: int = 1
    bets: tuple[int, int, int, int] | None = None
    raises: Caps = UNCAPPED
    rake: float = 0.0
    rake_cap: int | None = None
    unit: float = 1.0

    def chips(self, units: int) -> float:
        """Units in chips; exact to twelve digits (3 units of 0.1 are 0.3)."""
        return round(units * self.unit, 12)


class BetLimits(TypedDict, total=False):
    """The betting limits that `holdem` and `spot` take.

    Attributes:
        last: "preflop", "flop", "turn" or "river", the default.
        bets: limit: size of every bet and raise per street played; no-limit unless given.
        raises: most bets and raises, in every street or one number a street played; the blinds do not count.
        min_bet: the big blind unless given; in a spot one chip.
        rake: share of the final pot, in [0, 1].
        rake_cap: in chips.
        unit: smallest chip.
    """

    last: str
    bets: Sequence[Chips] | None
    raises: int | Sequence[int | None] | None
    min_bet: Chips | None
    rake: float
    rake_cap: Chips | None
    unit: float


def holdem(
    stack: Stacks = 200, *, blinds: tuple[Chips, Chips] = (1, 2), ante: Chips = 0, **limits: Unpack[BetLimits]
) -> BettingRules:
    """Hold'em from the deal to a last street, in chips: no-limit, or limit if `bets` are given, four or one a street.
    stack: of both players, or (oop, ip), before antes and blinds. blinds: (small, big); ip posts the small one."""
    to = Units(limits.get("unit", 1.0))
    small, big = to("small blind", blinds[0]), to("big blind", blinds[1])
    if small > big:
        raise InputError(f"blinds: the small blind {blinds[0]:g} is larger than the big blind {blinds[1]:g}")
    posted = _rules(to, 0, stack, limits, big or _one_chip(to))
    return replace(posted, blinds=(big, small), ante=to("ante", ante))


def spot(street: str, pot: Chips, stack: Stacks, **limits: Unpack[BetLimits]) -> BettingRules:
    """A game that starts at a street with chips in the pot and no bet yet, in chips. stack: left in front of both
    players, or of (oop, ip)."""
    to = Units(limits.get("unit", 1.0))
    middle = to("pot", pot)
    return replace(_rules(to, _street(street), stack, limits, _one_chip(to)), pot=middle)


def limit_holdem(small: Chips = 2, *, caps: Sequence[int] = (3, 4, 4, 4)) -> BettingRules:
    """Limit hold'em: blinds of half a small bet and one, bets doubled from the turn, practically unlimited stacks."""
    bets = (small, small, 2 * small, 2 * small)
    stack = small * (1 + sum(cap * bet // small for cap, bet in zip(caps, bets, strict=True))) + small
    return holdem(stack, blinds=(small / 2, small), bets=bets, raises=caps, unit=1.0 if small % 2 == 0 else 0.5)


def flop_holdem(raises: int = 3) -> BettingRules:
    """Flop Hold'em (Liu et al. 2022, appendix B): blinds 1 and 2, two streets, bets of 2, practically unlimited stacks.

    The paper names no cap on raises; 3 per street is the rule of Brown et al. (2019), its source of the game."""
    return holdem(2 + 4 * raises + 2, last="flop", bets=(2, 2), raises=raises)


def _street(name: str) -> int:
    if name not in STREETS:
        raise InputError(f"street: '{name}' is not one of {', '.join(STREETS)}")
    return STREETS.index(name)


def _one_chip(to: Units) -> int:
    return to("minimum bet", max(1, to.unit), least=1)


def _rules(to: Units, first: int, stack: Stacks, limits: BetLimits, least: int) -> BettingRules:
    """The rules of a game before antes and blinds. least: the default minimum bet."""
    check_keywords("rules of betting", limits, BetLimits)
    oop, ip = stack if isinstance(stack, tuple) else (stack, stack)
    last, min_bet, bets = limits.get("last", "river"), limits.get("min_bet"), limits.get("bets")
    rake, rake_cap = limits.get("rake", 0.0), limits.get("rake_cap")
    end = _street(last)
    if end < first:
        raise InputError(f"street: the game starts at the {STREETS[first]} and cannot end at the {last}")
    if not 0 <= rake <= 1:
        raise InputError(f"rake: the share must be between 0 and 1, not {rake:g}")
    # One number a street played: sizes of bets, in units, and the most raises.
    played, raises = end - first + 1, limits.get("raises")
    if bets is not None and len(bets) != played:
        raise InputError(f"bets: {len(bets)} sizes for {played} streets")
    caps = [raises] * played if raises is None or isinstance(raises, int) else list(raises)
    if len(caps) != played or any(cap is not None and cap < 0 for cap in caps):
        raise InputError(f"raises: each street played needs a cap of at least 0, so {played} of them, not {caps}")
    sizes = [to("bet", bet, least=1) for bet in bets or ()]
    return BettingRules(
        stacks=(to("stack of oop", oop, least=1), to("stack of ip", ip, least=1)), first=first, last=end,
        min_bet=least if min_bet is None else to("minimum bet", min_bet, least=1),
        bets=None if bets is None else (*[0] * first, *sizes, *[0] * (_LAST - end)),  # type: ignore[arg-type]
        raises=(*[None] * first, *caps, *[None] * (_LAST - end)),  # type: ignore[arg-type]
        rake=rake, rake_cap=None if rake_cap is None else to("rake cap", rake_cap), unit=to.unit,
    )  # fmt: skip
