"""The lanes of a game, made by the record of a card abstraction."""

from __future__ import annotations

from counterplay.card_abstraction.abstraction_record import ABSTRACTIONS, Abstraction
from counterplay.card_abstraction.card_abstraction import MOST_LISTED, CardAbstraction, Watch
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.lossless import Lossless
from counterplay.card_abstraction.ochs import OCHS
from counterplay.poker.whole_game.boards.board import GameBoards


def make_buckets(boards: GameBoards, kind: Abstraction | None = None, *, watch: Watch | None = None) -> CardAbstraction:
    """The lanes of the hands on all boards of a game; by default of its `usual_abstraction`."""
    return (kind or usual_abstraction(boards)).make(boards, watch or (lambda *_: None))


def usual_abstraction(boards: GameBoards) -> Abstraction:
    """The default abstraction of a game: lossless if all its boards can be listed, else the preset `default`."""
    return Lossless() if boards.most_hands(boards.last) <= MOST_LISTED else EMD("default")


def read_abstraction(text: str, last: int) -> Abstraction:
    """The abstraction of a text such as `moments:5k/5k/1k`, or of numbers of buckets alone, which mean ochs in games
    that end on the flop and emd in longer ones."""
    usual = OCHS.HEAD if last == 1 else EMD.HEAD
    named = text.partition(":")[0] in ABSTRACTIONS.names or ":" in text
    found = ABSTRACTIONS.parse(text if named else f"{usual}:{text}")
    found.buckets_of(last)
    return found
