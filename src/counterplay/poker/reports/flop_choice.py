"""The flops of a report: all 1,755 up to isomorphism, a subset that stands for them, or a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.errors import InputError, quoted
from counterplay.poker.cards.deck import FULL, Deck, cards_text
from counterplay.poker.reports.flop_subsets import SUBSETS
from counterplay.poker.whole_game.boards.board import Board, flops_of

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
    count as often as they come up to isomorphism.

    Raises:
        InputError: another number, no flop, a flop twice, or a subset of another deck.
    """
    if text.strip() == ALL:
        boards = flops_of(deck)
        cards, counts = boards.choices(boards.root)
        return FlopChoice(tuple(map(cards_text, cards.tolist())), tuple(map(float, counts.tolist())))
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
    boards, flops, shown = flops_of(deck), list[Board](), list[str]()
    for part in parts:
        try:
            cards = deck.held(part)
            if len(cards) != _FLOP:
                raise InputError(f"a flop has {_FLOP} cards, not {len(cards)}")
            flops.append(boards.find_board(cards)[0])
        except InputError as error:
            raise InputError(f"{quoted(part)} in a report: {error}") from None
        if flops[-1] in flops[:-1]:
            raise InputError(f"{quoted(part)} is there twice, up to the names of suits")
        shown.append(cards_text(cards))
    return FlopChoice(tuple(shown), tuple(float(flop.count) for flop in flops))
