"""Hand histories that are dropped on the page: kept as files by their content, read by the checked readers."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import blake2b
from math import floor
from pathlib import Path
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_summary import summarise
from counterplay.opponents.histories.read_hands import Hands, read_hands
from counterplay.opponents.villain.shown_hands import hands_behind
from counterplay.opponents.villain.villain_card import CardRow, report_villain
from counterplay.page.shelf import Shelf
from counterplay.page.spot_opponents import hands_in

LEAKS = {"fold to pot": "facing a bet of at least 75%", "fold to c-bet": "facing a bet"}
"""Beginnings of statistics that are leaks of a spot, and the place of the leak; a street follows."""
HAND_ENDINGS = {ending for form in REGISTRY.values() for ending in form.endings}
_LEAST = 0.01
_SHOWN = 500
"""The most decisions that are told."""


def keep_hands(shelf: Shelf, file: str, text: str) -> dict[str, Any]:
    """Keep hand histories: their name on the page, and what is in them.

    Args:
        shelf: the files of the page.
        file: the name of the file; only its ending is used.
        text: its content.

    Raises:
        InputError: an unknown ending, halves of characters, or nothing that can be read.
    """
    ending = Path(file).suffix.lower()
    if ending not in HAND_ENDINGS:
        raise InputError(f"hand histories end in {', '.join(sorted(HAND_ENDINGS))}, and not in {quoted(ending)}")
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise InputError("hand histories are text in UTF-8, which has no halves of surrogate pairs") from None
    name = blake2b(content, digest_size=8).hexdigest()
    path, partial = shelf.hands_path(name, ending), shelf.folder / f"reading-{os.getpid()}{ending}"
    try:
        write_whole(partial, content)
        facts = summarise(read_hands([partial])).facts()
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return {"name": f"{name}{ending}", "file": str(path), **facts}


def hands_view(shelf: Shelf, name: str) -> dict[str, Any]:
    """What is in hand histories that are kept.

    Raises:
        InputError: there are none of that name.
    """
    return {"name": name, "file": str(hands_file(shelf, name)), **summarise(_hands(shelf, name)).facts()}


def card_view(shelf: Shelf, name: str, player: str, spot: str | None = None, seat: int | None = None) -> dict[str, Any]:
    """The card of a player, for each statistic that says one the line of its leak, and the coverage; with a solved spot and
    the player's seat there also the sizes of bets that were mapped.

    Raises:
        InputError: no such hands, none of that player, no such spot, or a spot without a seat.
    """
    own = _hands(shelf, name).holdem_of(player)
    report = report_villain(own, player, solved=None if spot is None else shelf.spot(spot), seat=seat)
    rows = [{**row.facts(), "leak": leak_of(row)} for row in report.card.rows]
    return {**report.facts(), "rows": rows}


def shown_view(shelf: Shelf, name: str, player: str, what: str, seat: int | None = None) -> dict[str, Any]:
    """The hands behind a figure of the card or of the coverage, told step by step; of many the first.

    Raises:
        InputError: no such hands, none of that player, or no such statistic.
    """
    behind = hands_behind(_hands(shelf, name).holdem_of(player), player, what, seat)
    told = replace(behind, decisions=behind.decisions[:_SHOWN]).facts()
    return {**told, "k": behind.counted.k, "n": behind.counted.n}


def leak_of(row: CardRow) -> str | None:
    """The leak that a statistic supports: at the near end of its interval, so that it claims no more than was seen; None
    where it says nothing, or is no leak of a spot."""
    head = next((one for one in LEAKS if row.name.startswith(one)), None)
    low = row.counted.interval[0]
    if head is None or not row.counted.n or low < _LEAST:
        return None
    street = row.name.rpartition(" ")[2]
    return f"on {street} {LEAKS[head]}: fold at least {floor(100.0 * low)}%"


def hands_file(shelf: Shelf, name: str) -> Path:
    """The file of hand histories that are kept.

    Raises:
        InputError: there are none of that name.
    """
    stem, dot, ending = name.partition(".")
    path = shelf.hands_path(stem, dot + ending)
    if dot + ending not in HAND_ENDINGS or not path.is_file():
        raise InputError(f"there are no hands {quoted(name)} on this page")
    return path


def _hands(shelf: Shelf, name: str) -> Hands:
    return hands_in(hands_file(shelf, name))
