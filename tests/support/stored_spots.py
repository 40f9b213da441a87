"""Small spots that are treated as large ones: their plans stand in the store of the compact engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from counterplay import Spot
from counterplay.poker.cards.deck import Deck
from counterplay.poker.spots import solution, spot_game

SHORT = Deck.from_rank("8")
RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,AK,76s", "JJ+,AQ,98s", 200, 550, "50%, a")  # type: ignore[arg-type]
TURN = Spot("Qs Jh 9h 8d", "QQ+,AK", "JJ+,AQ", 200, 550, "50%, a", raises=1, deck=SHORT)  # type: ignore[arg-type]
FLOP = Spot("Qs Js 9s", "QQ+,AK", "TT+,AQ", 200, 250, "50%, a", raises=1, deck=SHORT)  # type: ignore[arg-type]
SPOTS = {"river": RIVER, "turn": TURN, "flop": FLOP}


@contextmanager
def large_from(sequences: int, precision: str | None = None) -> Iterator[None]:
    """Spots of more sequences are large; precision: of what is stored, instead of the usual one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spot_game, "LARGE", sequences)
        patch.setattr(solution, "LARGE", sequences)
        if precision is not None:
            patch.setattr(spot_game, "stored_precision", lambda *_: precision)
        spot_game._SHARED.clear()
        yield
        spot_game._SHARED.clear()
