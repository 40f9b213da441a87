"""Betting rules: stacks, blinds, bet limits, raise caps and rake of a heads-up hold'em game or spot.

Player 0 is out of position (`oop`, the big blind): first to act after the flop. Player 1 is in position (`ip`, the small
blind on the button): first to act before the flop. Rules hold whole numbers of the smallest chip, the `unit`; `holdem`,
`limit_holdem`, `flop_holdem` and `spot` take chips and refuse what is no multiple of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.errors import InputError
from counterplay.poker.betting.chip_units import Caps, Chips, Units, bets_of, caps_of

STREETS = ("preflop", "flop", "turn", "river")
PLAYERS = ("oop", "ip")
Pair = tuple[int, int]
UNCAPPED: Caps = (None, None, None, None)


@dataclass(frozen=True)
class BettingRules:
    """A heads-up game, or a spot in one. All amounts but `unit` count smallest chips ("units").

    Attributes:
        stacks: of oop and ip, in front of them before antes and blinds, or at the start of the spot.
        pot: in the middle before anybody posts anything; the players are taken to have given half of it each.
        blinds: posted by oop and ip before the flop, 0 in a spot.
        ante: posted by each player; it is no bet.
        first, last: streets that are played, indices in STREETS.
        min_bet: least opening bet, and least raise until somebody bet more.
        bets: size of every bet and raise per street in a limit game; None in no-limit.
        raises: most bets and raises per street, the blinds not counted; None where there is no such cap.
        rake: share of the final pot that the house takes, however the hand ends.
        rake_cap: most that it takes, None without a cap.
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
        """So many units in chips; exact to twelve digits (3 units of 0.1 are 0.3)."""
        return round(units * self.unit, 12)


def holdem(
    stack: Chips | tuple[Chips, Chips] = 200,
    *,
    blinds: tuple[Chips, Chips] = (1, 2),
    ante: Chips = 0,
    last: str = "river",
    bets: Sequence[Chips] | None = None,
    raises: int | Sequence[int | None] | None = None,
    min_bet: Chips | None = None,
    rake: float = 0.0,
    rake_cap: Chips | None = None,
    unit: float = 1.0,
) -> BettingRules:
    """Hold'em from the deal to the street `last`, in chips: no-limit, or limit if `bets` are given, four or one a street.

    Args:
        stack: of both players, or (oop, ip), before antes and blinds.
        blinds: (small, big); ip posts the small one.
        ante: of each player.
        last: "preflop", "flop", "turn" or "river".
        bets: limit: size of every bet and raise per street played.
        raises: most bets and raises, in every street or one number a street played; the blinds do not count.
        min_bet: the big blind unless given.
        rake: share of the final pot, in [0, 1].
        rake_cap: in chips.
        unit: smallest chip.

    Raises:
        InputError: negative or missing amounts, amounts that no chips make up, unknown streets.
    """
    to = Units(unit)
    small, big = to("small blind", blinds[0]), to("big blind", blinds[1])
    if small > big:
        raise InputError(f"blinds: the small blind {blinds[0]:g} is larger than the big blind {blinds[1]:g}")
    if min_bet is None and not big:
        min_bet = max(1, unit)
    least = big if min_bet is None else to("minimum bet", min_bet, least=1)
    return _rules(
        to, 0, stack, last, bets, raises, rake, rake_cap, blinds=(big, small), ante=to("ante", ante), min_bet=least
    )


def spot(
    street: str,
    pot: Chips,
    stack: Chips | tuple[Chips, Chips],
    *,
    last: str = "river",
    bets: Sequence[Chips] | None = None,
    raises: int | Sequence[int | None] | None = None,
    min_bet: Chips | None = None,
    rake: float = 0.0,
    rake_cap: Chips | None = None,
    unit: float = 1.0,
) -> BettingRules:
    """A game that starts at a street with chips in the pot and no bet yet; arguments as in `holdem`, in chips.

    Args:
        street: where it starts.
        pot: in the middle, taken as half of it from each player.
        stack: left in front of both players, or of (oop, ip).
        last, bets, raises, rake, rake_cap, unit: as in `holdem`.
        min_bet: one chip unless given.

    Raises:
        InputError: as in `holdem`.
    """
    to = Units(unit)
    middle = to("pot", pot)
    least = to("minimum bet", max(1, unit) if min_bet is None else min_bet, least=1)
    return _rules(to, _street(street), stack, last, bets, raises, rake, rake_cap, pot=middle, min_bet=least)


def limit_holdem(small: Chips = 2, *, caps: Sequence[int] = (3, 4, 4, 4)) -> BettingRules:
    """Limit hold'em: blinds of half a small bet and one, bets doubled from the turn, stacks that nobody gets through."""
    bets = (small, small, 2 * small, 2 * small)
    stack = small * (1 + sum(cap * bet // small for cap, bet in zip(caps, bets, strict=True))) + small
    return holdem(stack, blinds=(small / 2, small), bets=bets, raises=caps, unit=_half(small))


def flop_holdem(raises: int = 3) -> BettingRules:
    """Flop Hold'em (Liu et al. 2022, appendix B): blinds 1 and 2, two streets, bets of 2, stacks nobody gets through.

    The paper names no cap on raises; 3 a street is the rule of Brown et al. (2019), where it takes the game from.
    """
    return holdem(2 + 4 * raises + 2, last="flop", bets=(2, 2), raises=raises)


def _half(small: Chips) -> float:
    return 1.0 if small % 2 == 0 else 0.5


def _street(name: str) -> int:
    if name not in STREETS:
        raise InputError(f"street: '{name}' is none of {', '.join(STREETS)}")
    return STREETS.index(name)


def _rules(
    to: Units,
    first: int,
    stack: Chips | tuple[Chips, Chips],
    last: str,
    bets: Sequence[Chips] | None,
    raises: int | Sequence[int | None] | None,
    rake: float,
    rake_cap: Chips | None,
    *,
    min_bet: int,
    pot: int = 0,
    blinds: Pair = (0, 0),
    ante: int = 0,
) -> BettingRules:
    oop, ip = stack if isinstance(stack, tuple) else (stack, stack)
    end = _street(last)
    if end < first:
        raise InputError(f"street: the game starts at the {STREETS[first]} and cannot end at the {last}")
    if not 0 <= rake <= 1:
        raise InputError(f"rake: the share must be between 0 and 1, not {rake:g}")
    return BettingRules(
        stacks=(to("stack of oop", oop, least=1), to("stack of ip", ip, least=1)),
        pot=pot,
        blinds=blinds,
        ante=ante,
        first=first,
        last=end,
        min_bet=min_bet,
        bets=None if bets is None else bets_of(bets, first, end, to),
        raises=caps_of(raises, first, end),
        rake=rake,
        rake_cap=None if rake_cap is None else to("rake cap", rake_cap),
        unit=to.unit,
    )
