"""Random hands of no-limit hold'em at 2 to 9 seats, played by PokerKit's rules, as a poker site would write them.

PokerKit, which shares no code with the readers, decides turns, legal amounts and who wins which pot.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from counterplay.opponents.histories.hand_record import Cards, HoldemHand, TableHand
from counterplay.opponents.histories.replay import steps_of
from counterplay.poker.cards.deck import card_text

NAMES = (
    "ann",
    "bob",
    "a: calls",
    "[x]",
    "al calls",
    "Zoë",
    "dr. spaz",
    "al",
    "Seat 3",
    "p - q",
    "$5 man",
    "x (y)",
    "d'or",
    "-=k=-",
)
_RAKE = 0.05


@dataclass(frozen=True)
class SiteAction:
    """An action or a deal. seat: -1 for a deal. kind: fold, check, call, bet, raise. added, over, to: chips put in, beyond
    the bet faced, of the street. all_in: whether the stack is in. cards: of a deal."""

    seat: int
    kind: str
    added: int = 0
    over: int = 0
    to: int = 0
    all_in: bool = False
    cards: Cards = ()


@dataclass(frozen=True)
class SiteHand:
    """A hand. Seats are in the order of the deal, amounts in the smallest chip; `unit` of them make a chip.

    Attributes:
        number: of the hand. names, numbers: of seats. stacks: before the hand.
        small, big, ante, straddle: stakes; 0 if there is none.
        actions: with deals. holes: all cards. board: as dealt.
        returned: seat and size of the uncalled bet. pot: without it. collected: after the rake.
        shown: seats that show their cards; mucked: losers whose cards the summary may tell.
        folds: street in which each seat folded; -1.
    """

    number: int
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    stacks: tuple[int, ...]
    small: int
    big: int
    ante: int
    straddle: int
    unit: int
    currency: str
    holes: tuple[Cards, ...]
    actions: tuple[SiteAction, ...] = ()
    board: Cards = ()
    returned: tuple[int, int] = (-1, 0)
    pot: int = 0
    rake: int = 0
    collected: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    mucked: tuple[int, ...] = ()
    folds: tuple[int, ...] = ()
    hero: int = 0
    pots: tuple[int, ...] = field(default=())

    @property
    def seats(self) -> int:
        return len(self.names)

    @property
    def cash(self) -> bool:
        return bool(self.currency)

    def money(self, chips: int) -> str:
        """An amount with its currency and thousands separators."""
        whole, part = divmod(chips, self.unit)
        return f"{self.currency}{whole:,}" + (f".{part:02d}" if part else "")

    def posts(self) -> list[tuple[int, int]]:
        """Seat and size of blinds and the straddle, in order."""
        blinds = [(1, self.small), (0, self.big)] if self.seats == 2 else [(0, self.small), (1, self.big)]
        return [*blinds, (2, self.straddle)] if self.straddle else blinds

    def known(self, seat: int) -> Cards:
        """The cards of a seat that a text tells."""
        return self.holes[seat] if seat in (self.hero, *self.shown, *self.mucked) else ()


def random_site_hand(rng: random.Random, seats: int, *, cash: bool | None = None) -> SiteHand:
    """A hand, played at random."""
    kit = pytest.importorskip("pokerkit")
    cash = rng.random() < 0.5 if cash is None else cash
    small, big = rng.choice([(5, 10), (50, 100), (10, 25)] if cash else [(10, 20), (75, 150), (600, 1200)])
    ante = rng.choice([0, 0, big // 5])
    straddle = 2 * big if seats > 3 and rng.random() < 0.2 else 0
    stacks = tuple(ante + rng.randint(2 * big, rng.choice((12, 220)) * big) for _ in range(seats))
    cards = tuple(rng.sample(range(52), 2 * seats + 5))
    hand = SiteHand(
        rng.randrange(10**6, 10**10), tuple(rng.sample(NAMES, seats)), _numbers(rng, seats), stacks, small, big, ante,
        straddle, 100 if cash else 1, rng.choice("$€£") if cash else "",
        tuple(cards[2 * k : 2 * k + 2] for k in range(seats)),
        hero=rng.randrange(seats),
    )  # fmt: skip
    blinds = (small, big, straddle) if straddle else (small, big)
    automated = [one for one in kit.Automation if one.name not in ("HOLE_DEALING", "BOARD_DEALING")]
    game = kit.NoLimitTexasHoldem.create_state(tuple(automated), False, ante, blinds, big, stacks, seats)
    for hole in hand.holes:
        game.deal_hole("".join(map(card_text, hole)))
    return _played(rng, hand, game, cards[2 * seats :])


def _numbers(rng: random.Random, seats: int) -> tuple[int, ...]:
    """Numbers of the seats, clockwise from the first after the button."""
    numbers = sorted(rng.sample(range(1, 10), seats))
    cut = rng.randrange(seats)
    return tuple(numbers[cut:] + numbers[:cut])


def _played(rng: random.Random, hand: SiteHand, game: Any, cards: Cards) -> SiteHand:
    actions, dealt, folds = list[SiteAction](), 0, [-1] * hand.seats
    put = [min(hand.ante, stack) for stack in hand.stacks]
    bets = [0] * hand.seats
    for seat, chips in hand.posts():
        bets[seat] = chips
        put[seat] += chips
    while game.status:
        if game.actor_index is None:
            size = 3 if not dealt else 1
            game.deal_board("".join(map(card_text, cards[dealt : dealt + size])))
            actions.append(SiteAction(-1, "deal", cards=cards[dealt : dealt + size]))
            dealt, bets = dealt + size, [0] * hand.seats
            continue
        seat, level = int(game.actor_index), max(bets)
        kind, to = _choice(rng, game, bets[seat], level)
        added = to - bets[seat]
        put[seat] += added
        bets[seat] = to
        if kind == "fold":
            game.fold()
            folds[seat] = [0, 3, 4, 5].index(dealt)
        elif kind in ("check", "call"):
            game.check_or_call()
        else:
            game.complete_bet_or_raise_to(to)
        actions.append(SiteAction(seat, kind, added, to - level, to, bool(added) and put[seat] == hand.stacks[seat]))
    return _ended(rng, hand, game, actions, put, tuple(folds), cards[:dealt])


def _choice(rng: random.Random, game: Any, bet: int, level: int) -> tuple[str, int]:
    """A random legal action and the chips of the street after it."""
    luck = rng.random()
    owed = int(game.checking_or_calling_amount)
    if luck < 0.22 and owed:
        return "fold", bet
    least, most = game.min_completion_betting_or_raising_to_amount, game.max_completion_betting_or_raising_to_amount
    if luck < 0.7 or least is None:
        return ("call", bet + owed) if owed else ("check", bet)
    to = rng.choice([least, most, rng.randint(least, most), min(most, 3 * least)])
    return ("raise" if level else "bet"), int(to)


def _ended(
    rng: random.Random,
    hand: SiteHand,
    game: Any,
    actions: list[SiteAction],
    put: list[int],
    folds: tuple[int, ...],
    board: Cards,
) -> SiteHand:
    bets = [chips - min(hand.ante, stack) for chips, stack in zip(put, hand.stacks, strict=True)]
    most = max(bets)
    uncalled = most - sorted(bets)[-2]
    first = bets.index(most)
    won = [int(end) - stack + chips for end, stack, chips in zip(game.stacks, hand.stacks, put, strict=True)]
    won[first] -= uncalled
    pot = sum(won)
    rake = int(pot * _RAKE) if hand.cash and board and rng.random() < 0.7 else 0
    collected = [chips - chips * rake // pot for chips in won]
    rake = pot - sum(collected)
    alive = [k for k in range(hand.seats) if folds[k] < 0]
    losers = [k for k in alive if not won[k]] if len(alive) > 1 else []
    hidden = [k for k in losers if rng.random() < 0.4]
    showdown = len(alive) > 1
    fields = {
        "actions": tuple(actions), "board": board, "returned": (first, uncalled) if uncalled else (-1, 0), "pot": pot,
        "rake": rake, "collected": tuple(collected), "folds": folds,
        "shown": tuple(k for k in alive if k not in hidden) if showdown else (),
        "mucked": tuple(k for k in hidden if rng.random() < 0.5),
    }  # fmt: skip
    return SiteHand(**{**vars(hand), **fields})


def facts_of_site_hand(hand: SiteHand, site: str) -> dict[str, Any]:
    """What a reader should find in the text of a hand, in chips."""
    puts = list(_puts(hand))
    steps = [
        (-1, "d", len(one.cards)) if one.seat < 0
        else (one.seat, {"fold": "f", "check": "c", "call": "c"}.get(one.kind, "r"),
              one.to / hand.unit if one.kind in ("bet", "raise") else 0)
        for one in hand.actions
    ]  # fmt: skip
    found: dict[str, Any] = {
        "players": hand.names, "stacks": _chips(hand, hand.stacks), "blinds": _chips(hand, (hand.big, hand.small)),
        "board": hand.board, "holes": tuple(hand.known(k) for k in range(hand.seats)), "currency": hand.currency,
        "key": f"{site} {hand.number}", "steps": steps,
    }  # fmt: skip
    if hand.seats == 2:
        stake = (hand.pot - 2 * hand.ante) / 2 + hand.ante
        first, second = hand.collected
        return {**found, "ante": hand.ante / hand.unit, "won": stake * ((first > 0) - (second > 0)) / hand.unit}
    posts = dict(hand.posts())
    return {
        **found, "put": _chips(hand, puts), "collected": _chips(hand, hand.collected), "rake": hand.rake / hand.unit,
        "dead": _chips(hand, (hand.ante,) * hand.seats), "posts": _chips(hand, [posts.get(k, 0) for k in range(hand.seats)]),
    }  # fmt: skip


def facts_of_record(hand: HoldemHand | TableHand) -> dict[str, Any]:
    """The same of a record that was read."""
    found: dict[str, Any] = {
        "players": hand.players,
        "board": hand.board,
        "holes": hand.holes,
        "currency": hand.currency,
        "key": hand.key,
    }
    if isinstance(hand, HoldemHand):
        rules, chips = hand.rules, hand.rules.chips
        dealt = _dealt(hand)
        steps = [
            (one.seat, one.letter, one.number if one.letter == "d" else chips(one.number))
            for one in steps_of(hand.line)
        ]
        return {**found, "stacks": tuple(map(chips, rules.stacks)), "blinds": tuple(map(chips, rules.blinds)),
                "steps": [*steps, *dealt], "ante": chips(rules.ante), "won": hand.won}  # fmt: skip

    def of(amounts: tuple[int, ...]) -> tuple[float, ...]:
        return tuple(round(one * hand.unit, 6) for one in amounts)

    steps = [(seat, letter, round(number * hand.unit, 6) if letter == "r" else number if letter == "d" else 0)
             for seat, letter, number in hand.steps]  # fmt: skip
    return {**found, "stacks": of(hand.stacks), "blinds": of(hand.blinds), "steps": steps, "put": of(hand.put),
            "collected": of(hand.collected), "rake": round(hand.rake * hand.unit, 6), "dead": of(hand.dead),
            "posts": of(hand.posts)}  # fmt: skip


def _dealt(hand: HoldemHand) -> list[tuple[int, str, int]]:
    """The streets dealt after an early all-in, which are no steps of a line."""
    told = sum(one.number for one in steps_of(hand.line) if one.letter == "d")
    return [(-1, "d", size) for size, end in ((3, 3), (1, 4), (1, 5)) if told < end <= len(hand.board)]


def _puts(hand: SiteHand) -> Iterator[int]:
    posts = dict(hand.posts())
    for seat in range(hand.seats):
        added = sum(one.added for one in hand.actions if one.seat == seat)
        yield hand.ante + posts.get(seat, 0) + added - (hand.returned[1] if hand.returned[0] == seat else 0)


def _chips(hand: SiteHand, amounts: Any) -> tuple[float, ...]:
    return tuple(one / hand.unit for one in amounts)
