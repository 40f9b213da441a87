"""The flops of a report: all 1,755 up to isomorphism, a subset that stands for them, or a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.errors import InputError, quoted
from counterplay.poker.cards.deck import FULL, Deck, cards_text
from counterplay.poker.reports.flop_subsets import SUBSETS
from counterplay.poker.whole_game.boards.flops import flops_of

ALL = "all"
_FLOP = 3


@dataclass(frozen=True)
class FlopChoice:
    """Flops and how often each counts.

    Attributes:
        flops: texts such as "Qs Jh 2h".
        weights: as many; of all flops how many each stands for.
    """

    flops: tuple[str, ...]
    weights: tuple[float, ...]


def choose_flops(text: str, deck: Deck = FULL) -> FlopChoice:
    """The flops that a text names: `all`, the size of a subset (23, 49 or 95), or flops with commas between them, which
    count as often as they come up to isomorphism."""
    if text.strip() == ALL:
        every = flops_of(deck)
        return FlopChoice(
            tuple(cards_text(one) for one in every.boards.tolist()), tuple(map(float, every.counts.tolist()))
        )
    if text.strip().isdecimal():
        subset = SUBSETS.get(int(text)) if len(text) < _FLOP + 1 else None
        if subset is None:
            raise InputError(
                f"the subsets have {', '.join(map(str, SUBSETS))} flops, not {quoted(text)}; or name flops, or all"
            )
        if deck != FULL:
            raise InputError("the subsets are of the full deck: take all, or name flops")
        return FlopChoice(tuple(subset), tuple(subset.values()))
    return _listed([part.strip() for part in text.split(",")], deck)


def _listed(parts: Sequence[str], deck: Deck) -> FlopChoice:
    every = flops_of(deck)
    numbers = []
    for part in parts:
        try:
            numbers.append(every.find(part)[0])
        except InputError as error:
            raise InputError(f"{quoted(part)} in a report: {error}") from None
        if numbers[-1] in numbers[:-1]:
            raise InputError(f"{quoted(part)} is there twice, up to the names of suits")
    shown = [cards_text(deck.held(part)) for part in parts]
    return FlopChoice(tuple(shown), tuple(float(every.counts[k]) for k in numbers))
