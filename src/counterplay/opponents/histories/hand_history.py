"""The protocol of hand-history formats: one per file, listed in `REGISTRY` of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from counterplay.errors import InputError
from counterplay.json_text import read_json
from counterplay.opponents.histories.hand_record import FileLine, HandError, LeftOut, ReadHand
from counterplay.poker.betting.rules import BettingRules

MOST_TEXT = 1 << 16
"""The most characters of one hand."""
_MOST_WORDS = 240
"""The most characters of a report."""
Read = TypeVar("Read", bound=ReadHand)


class HandHistory(Protocol):
    """A format of hand histories. endings: of its files, such as `.phh`. about: one line for people.

    A format that can be written has `write(hands)`, too: the text of a file of hands of hold'em, which `read` reads back; an
    InputError for a hand that the format cannot hold.
    """

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
