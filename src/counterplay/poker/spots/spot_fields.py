"""The fields of a spot as they are written: in Python, in TOML files, as flags of `spot` and `report`, on the page.

It imports no cards, so that a command knows its flags at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from counterplay.option import Option
from counterplay.texts.arguments import Checked
from counterplay.work.run_work import WorkRecipe

if TYPE_CHECKING:
    from counterplay.poker.cards.deck import Deck
    from counterplay.poker.ranges.range import Range

RANGE_LETTERS = 20_000
"""The longest range that the page reads."""
_CAPS = "a whole number, or one for each street as in 3,2,1"


@dataclass(frozen=True, repr=False)
class SpotFields(WorkRecipe, metaclass=Checked):
    """Fields of a `Spot`; texts are read, and kept as `Spot` says."""

    board: Annotated[str | Iterable[int], Option("3, 4 or 5 cards: 'Qs Jh 2h 8d 3c'.", kind=str, longest=40)]
    oop: Annotated[
        str | Range, Option("Out of position: 'QQ+,AKs:0.5'.", metavar="RANGE", kind=str, longest=RANGE_LETTERS)
    ]
    ip: Annotated[str | Range, Option("In position.", metavar="RANGE", kind=str, longest=RANGE_LETTERS)]
    pot: Annotated[float, Option("Chips in the middle.", kind=float)]
    stack: Annotated[
        float | Sequence[float],
        Option(
            "Left in front of both, or OOP,IP.", metavar="CHIPS", kind=float | list[float], longest=2,
            takes="one number of chips or two, OOP,IP",
        ),
    ]  # fmt: skip
    bets: Annotated[
        str | Mapping[str, str],
        Option(
            "'50%, a; river: 33%, 75%; raise: 2.5x', or fit (50%, 100%, a).", metavar="SIZES", kind=str, longest=1000
        ),
    ] = "50%, 100%, a"
    raises: Annotated[
        int | Sequence[int] | None,
        Option("Most bets and raises a street, or by street: 3,2,1.", metavar="CAP", kind=int | list[int], takes=_CAPS),
    ] = None
    rake: Annotated[float, Option("Share of the final pot for the house, 0 to 1.", kind=float)] = 0.0
    rake_cap: Annotated[float | None, Option("Most chips of rake.", kind=float)] = None
    min_bet: Annotated[float | None, Option(kind=float)] = None
    unit: float = 1.0
    all_in_at: Annotated[float | None, Option(kind=float)] = None
    deck: Annotated[Deck | str, Option(kind=str, longest=2)] = "2"
    rules: Annotated[str, Option(kind=str, longest=20)] = "standard"
    big_blind: Annotated[
        float | None,
        Option("The big blind, to show results in bb and bb/100 too.", "--bb", metavar="CHIPS", kind=float),
    ] = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Read and check the fields, as `Spot` does."""
