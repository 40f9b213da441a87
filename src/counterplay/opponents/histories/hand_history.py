"""The protocol of hand-history formats: one per file, listed in `REGISTRY` of the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from counterplay.errors import InputError
from counterplay.json_text import read_json
from counterplay.opponents.histories.hand_record import FileLine, HandError, HoldemHand, LeftOut, ReadHand
from counterplay.poker.betting.rules import BettingRules

MOST_TEXT = 1 << 16
"""The most characters of one hand."""
_MOST_WORDS = 240
"""The most characters of a report."""


class HandHistory(Protocol):
    """A format of hand histories.

    Attributes:
        endings: of its files, such as `.phh`.
        about: one line for people.
    """

    @property
    def endings(self) -> tuple[str, ...]: ...

    @property
    def about(self) -> str: ...

    def recognises(self, head: str) -> bool:
        """Whether a file begins like one of this format. head: its first 4,096 characters."""

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[ReadHand | LeftOut]:
        """Every hand of a file, or why it is left out; text: the whole file.
        rules: stacks and blinds where the format does not say them; None for the usual ones."""


@runtime_checkable
class WritableHistory(HandHistory, Protocol):
    """A format that can be written, too."""

    def write(self, hands: Sequence[HoldemHand]) -> str:
        """The text of a file with these hands; `read` gives them back.

        Raises:
            InputError: a hand that the format cannot hold.
        """


def left_out(place: FileLine, error: HandError) -> LeftOut:
    """The report of a hand that is left out; what it quotes of the file is cut short."""
    about = error.about
    place = FileLine(place.file, error.line) if error.line else place
    return LeftOut(place, error.reason, about if len(about) <= _MOST_WORDS else f"{about[:_MOST_WORDS]} ...")


def json_lines(text: str, file: str) -> Iterator[tuple[FileLine, str, dict[str, Any] | HandError]]:
    """The lines of a log with one JSON object each, blank ones passed over: the place, the line, and its object or what is
    wrong with it."""
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        place = FileLine(file, number)
        try:
            check_length(row)
            yield place, row, _json_object(row)
        except HandError as error:
            yield place, row, error


def _json_object(row: str) -> dict[str, Any]:
    """The object of a line.

    Raises:
        HandError: it is none.
    """
    try:
        found = read_json(row, infinite=False)
    except InputError as error:
        raise HandError("format", error) from None
    if not isinstance(found, dict):
        raise HandError("format", "this is not a JSON object")
    return found


def check_length(text: str) -> None:
    """Reject a hand of absurd length.

    Raises:
        HandError: see above.
    """
    if len(text) > MOST_TEXT:
        raise HandError("format", f"a hand of {len(text):,} characters; at most {MOST_TEXT:,} are read")
