"""The record of a hand, whatever file it comes from, and of what a reader leaves out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from counterplay.poker.betting.line_notation import BettingLine
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import FULL, Deck

Cards = tuple[int, ...]
REASONS = {
    "format": "not readable",
    "players": "players missing or unclear",
    "game": "another game",
    "stakes": "stacks, blinds or antes",
    "cards": "impossible cards",
    "betting": "illegal betting",
    "unfinished": "cut short",
    "result": "chips that do not add up",
    "duplicate": "duplicates",
    "currency": "in another currency than most",
}
"""Reasons why hands are skipped, in words."""


class HandError(Exception):
    """A hand that cannot be used. reason: a key of `REASONS`. about: one sentence. line: of the culprit in the file, from 1;
    0 for the hand's first line."""

    def __init__(self, reason: str, about: object, line: int = 0) -> None:
        super().__init__(str(about))
        self.reason, self.about, self.line = reason, str(about), line


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A skipped hand. reason: a key of `REASONS`. about: one sentence."""

    place: FileLine
    reason: str
    about: str

    def __str__(self) -> str:
        return f"{self.place}: {self.about}"


class Act:
    """Letters of actions: ALL_IN is a call, bet or raise with the whole stack, CHECK_CALL whichever of both is possible."""

    FOLD, CHECK, CALL, BET, RAISE, ALL_IN, CHECK_CALL, DEAL = "f", "k", "c", "b", "r", "a", "x", "d"
    WITHOUT_CHIPS: ClassVar = (FOLD, CHECK)


class HandStep(NamedTuple):
    """A step of a hand as a file states it.

    Attributes:
        seat: who acts; -1 for a deal.
        letter: `Act.FOLD`, `CALL` (or check), `RAISE` (or bet), `DEAL`.
        number: chips that the player has put in during this street, posts included; the number of cards dealt.
    """

    seat: int
    letter: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class HoldemHand:
    """A finished heads-up hand of hold'em, replayed by the rules. Pairs are of seats 0 (big blind) and 1 (button).

    Attributes:
        players: names.
        rules: stacks, blinds and antes of the hand, in whole numbers of its smallest chip.
        line: betting states and actions, deals included.
        holes: cards of each player; () if they are hidden.
        board: cards on the table, in the order of the deal.
        won: chips that seat 0 won, without rake; None where a showdown does not tell.
        currency: of the amounts; "" for chips.
        key: venue and number, which tell the hand from all others; "" if nothing does.
        place: where it is written.
        deck: the cards of the game.
    """

    players: tuple[str, str]
    rules: BettingRules
    line: BettingLine
    holes: tuple[Cards, Cards]
    board: Cards
    won: float | None = None
    currency: str = ""
    key: str = ""
    place: FileLine = field(default=FileLine("", 0), compare=False)
    deck: Deck = field(default=FULL, repr=False)

    @property
    def big_blind(self) -> float:
        """The big blind in chips."""
        return self.rules.chips(max(self.rules.blinds))


@dataclass(frozen=True, slots=True)
class GameHand:
    """A finished hand of any other game.

    Attributes:
        game: text of the game, as the file has it; it is compared, and never loaded from there.
        players: names in seats 0 and 1.
        moves: who acted (0, 1 or `CHANCE`), and the text of the action; None where it is hidden.
        won: chips that seat 0 won; None where the file does not say.
        key, place: as in `HoldemHand`.
        spot: the name of a spot, a digest of all that it consists of (`solution_cache.name_of_spot`); "" of other games, and
            in logs of earlier versions.
    """

    game: str
    players: tuple[str, str]
    moves: tuple[tuple[int, str | None], ...]
    won: float | None = None
    key: str = ""
    place: FileLine = field(default=FileLine("", 0), compare=False)
    spot: str = ""


@dataclass(frozen=True, slots=True)
class TableHand:
    """A finished hand of no-limit hold'em with 3 to 10 players, reconciled with all that its text states.

    Seats are indices in the order of the deal: 0 is the first player left of the button, the last one sits on the button or,
    where that seat is empty, right of it. After the flop seats act in this order. Amounts are whole numbers of the smallest
    chip, cards as in `HoldemHand`.

    Attributes:
        players: names, by seat.
        stacks: before the hand, by seat.
        blinds: of the table, big and small.
        dead: antes and dead blinds, by seat.
        posts: blinds and straddles, which count as bets, by seat.
        button: seat on the button; -1 if nobody sits there.
        steps: actions and deals in their order.
        holes: cards by seat; () if they are hidden.
        board: cards on the table, in the order of the deal.
        put: all chips that each seat has put in, uncalled bets returned.
        collected: chips that each seat took from the pot, after the rake.
        rake: chips that the house took: the sum of `put` and `bonus` less that of `collected`.
        bonus: chips that the house added to the pot.
        unit: value of the smallest chip.
        currency, key, place: as in `HoldemHand`.
        silent: names at the table of which the text states nothing: they were not dealt in, or their only line is lost.
    """

    players: tuple[str, ...]
    stacks: tuple[int, ...]
    blinds: tuple[int, int]
    dead: tuple[int, ...]
    posts: tuple[int, ...]
    button: int
    steps: tuple[HandStep, ...]
    holes: tuple[Cards, ...]
    board: Cards
    put: tuple[int, ...]
    collected: tuple[int, ...]
    rake: int
    bonus: int = 0
    unit: float = 1.0
    currency: str = ""
    key: str = ""
    place: FileLine = field(default=FileLine("", 0), compare=False)
    silent: tuple[str, ...] = ()


NO_VENUE = " "
"""The beginning of a key without a venue: hands with such a key may differ."""
AnyHand = HoldemHand | GameHand
"""A hand of two players."""
ReadHand = AnyHand | TableHand
"""Hands that readers yield."""
