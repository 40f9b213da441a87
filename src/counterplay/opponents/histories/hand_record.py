"""The records of a hand and of what a reader leaves out, and the protocol of the formats that give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from counterplay.errors import InputError
from counterplay.files import read_json
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
    """A step of a hand as a file states it. seat: who acts; -1 for a deal. letter: `Act.FOLD`, `CALL` (or check),
    `RAISE` (or bet), `DEAL`. number: chips that the player has put in during this street, posts included; the number of
    cards dealt."""

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


MOST_TEXT = 1 << 16
"""The most characters of one hand."""
_MOST_WORDS = 240
"""The most characters of a report."""
Read = TypeVar("Read", bound=ReadHand)


class HandHistory(Protocol):
    """A format of hand histories. endings: of its files, such as `.phh`. about: one line for people.

    A format that can be written has `write(hands)`, too: the text of a file of hands of hold'em, which `read` reads back; an
    InputError for a hand that the format cannot hold."""

    @property
    def endings(self) -> tuple[str, ...]: ...

    @property
    def about(self) -> str: ...

    def recognises(self, head: str) -> bool:
        """Return whether a file begins like one of this format. head: its first 4,096 characters."""

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[ReadHand | LeftOut]:
        """The hands of a file (its whole text), and reports of skipped ones. rules: stacks and blinds where the format does
        not state them; None for the usual ones."""


def read_pieces(
    pieces: Iterable[tuple[int, str]], file: str, read: Callable[[str, FileLine], Read]
) -> Iterator[Read | LeftOut]:
    """The hands of a file's pieces (number of the first line, text), and reports of those that `read` refuses."""
    for line, piece in pieces:
        place = FileLine(file, line)
        try:
            check_length(piece)
            yield read(piece, place)
        except HandError as error:
            yield left_out(place, error)


def left_out(place: FileLine, error: HandError) -> LeftOut:
    """The report of a skipped hand; what it quotes of the file is cut short."""
    about = error.about
    place = FileLine(place.file, error.line) if error.line else place
    return LeftOut(place, error.reason, about if len(about) <= _MOST_WORDS else f"{about[:_MOST_WORDS]} ...")


def json_rows(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a log that are not blank, with their numbers."""
    return ((number, row) for number, row in enumerate(text.splitlines(), 1) if row.strip())


def json_object(row: str) -> dict[str, Any]:
    """The JSON object of a line; a HandError for anything else."""
    try:
        value = read_json(row, infinite=False)
    except InputError as error:
        raise HandError("format", error) from None
    if not isinstance(value, dict):
        raise HandError("format", "this is not a JSON object")
    return value


def check_length(text: str) -> None:
    """Reject a hand of absurd length."""
    if len(text) > MOST_TEXT:
        raise HandError("format", f"a hand of {len(text):,} characters; at most {MOST_TEXT:,} are read")
