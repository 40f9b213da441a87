"""The protocol of hand-history formats: one per file, listed in `REGISTRY` of the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from counterplay.opponents.histories.hand_record import AnyHand, FileLine, HandError, HoldemHand, LeftOut
from counterplay.poker.betting.rules import BettingRules

MOST_TEXT = 1 << 16
"""The most characters of one hand."""


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

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[AnyHand | LeftOut]:
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
    """The report of a hand that is left out."""
    return LeftOut(place, error.reason, error.about)


def check_length(text: str) -> None:
    """Reject a hand of absurd length.

    Raises:
        HandError: see above.
    """
    if len(text) > MOST_TEXT:
        raise HandError("format", f"a hand of {len(text):,} characters; at most {MOST_TEXT:,} are read")
