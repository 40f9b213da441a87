"""The flops of a report: all 1,755 up to isomorphism, a subset that stands for them, or a list.

The plain mean over a subset stands for all flops by how often they come: each flop counts 22,100 / n. Subsets were chosen by
benchmarks/flop_subsets.py; the error that remains is stated in docs/study.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterplay.errors import InputError, quoted
from counterplay.poker.cards.deck import FULL, Deck, cards_text
from counterplay.poker.whole_game.boards.board import Board, flops_of

FLOPS = 22_100
"""All flops of a full deck."""
_TEXTS = {
    23: (
        "2c3d6h; 2c7d8d; 2c8cKc; 2c8dKc; 2cJdAd; 3c4d9d; 3c5dQc; 3c6cJd; 3c7dKh; 4c5d7h; 4c6dTh; 4c9cJd; 4cKdKh; "
        "5c9dAc; 5cJdKh; 5cQdAd; 6c9dTc; 6cTdAh; 7c8d8h; 7cQdQh; 8cTcQd; 9cQdAd; TcTdJc"
    ),
    49: (
        "2c3c5d; 2c3dTd; 2c4cAd; 2c4d7c; 2c4d9d; 2c6cQd; 2c6dQd; 2c8d8h; 2c9dQd; 2cTdAd; 2cJdKh; 3c3dQh; 3c4dJh; "
        "3c5d7h; 3c5dAh; 3c6c9d; 3c7cAd; 3c7dJh; 3cQdKh; 4c5c6c; 4c6d8d; 4c8cTd; 4c8d9h; 4c9dAc; 4cJdQh; 4cKdAc; "
        "5c5d8c; 5c6dTh; 5c7dKh; 5c8cQc; 5c9cKd; 5cTdKh; 5cAdAh; 6c6d8c; 6c7dJd; 6c8dAd; 6cTdJd; 6cTdQd; 7c7d9h; "
        "7c9cKd; 7c9dTh; 7cQdKh; 8cTdJh; 8cJcAd; 8cQcKd; 9cJdJh; 9cJdQh; TcTdAc; JcKdAc"
    ),
    95: (
        "2c2d4c; 2c3d7h; 2c3d9d; 2c3dJd; 2c4cQc; 2c4d7c; 2c5d6h; 2c5dTh; 2c5dAh; 2c6d8h; 2c6dAh; 2c7cKc; 2c7dTh; "
        "2c8dJc; 2c8dQh; 2c9cJd; 2c9dKh; 2cTdAh; 2cJcKd; 2cJdQd; 2cKdKh; 3c3d5c; 3c3dTh; 3c4d8c; 3c4d8d; 3c4dAc; "
        "3c5d9h; 3c6c7c; 3c6cKd; 3c6cAd; 3c6d8h; 3c8cJd; 3c9cTd; 3cTcAd; 3cTdQc; 3cTdQh; 3cQcAd; 3cAcAd; 4c4d7h; "
        "4c5c6d; 4c5dTd; 4c5dJc; 4c5dQd; 4c7d8h; 4c7dQc; 4c7dQh; 4c8d9c; 4c8dTd; 4c9cAd; 4c9dAh; 4cJdJh; 4cQdKh; "
        "4cKcKd; 5c5dKh; 5c6dJc; 5c6dQh; 5c7cTd; 5c7cAd; 5c7d9d; 5c8cAd; 5c8dKd; 5c9cKd; 5cTdJh; 5cJcAd; 5cQdKh; "
        "6c6d9h; 6c6dQc; 6c7dTh; 6c7dAd; 6c8d9c; 6c8dKd; 6c9cTd; 6c9dJh; 6cTcJc; 6cJdQh; 7c7dJh; 7c8d9h; 7c8dAh; "
        "7cTdKc; 7cTdAh; 7cJcKd; 7cKcAd; 8c9c9d; 8c9dKh; 8cTdJd; 8cJdQh; 8cQcKc; 9cTdQd; 9cQdQh; 9cQdAd; TcJdQd; "
        "TcKcAd; TcKdAh; JcJdKh; QcQdKc"
    ),
}

SUBSETS = {
    count: {" ".join((flop[:2], flop[2:4], flop[4:])): FLOPS / count for flop in text.split("; ")}
    for count, text in _TEXTS.items()
}
"""By number of flops: text of each flop, and how many it stands for."""
ALL = "all"
_FLOP = 3


@dataclass(frozen=True)
class FlopChoice:
    """Flops and how often each counts. flops: texts such as "Qs Jh 2h". weights: as many; of all flops how many each
    stands for."""

    flops: tuple[str, ...]
    weights: tuple[float, ...]


def choose_flops(text: str, deck: Deck = FULL) -> FlopChoice:
    """The flops that a text names: `all`, the size of a subset (23, 49 or 95), or flops with commas between them, which
    count as often as they come up to isomorphism."""
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
