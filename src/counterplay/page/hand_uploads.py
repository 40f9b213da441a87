"""Hand histories that are dropped on the page: kept as files by their content, read by the checked readers."""

from __future__ import annotations

from hashlib import blake2b
from math import floor
from pathlib import Path
from typing import Any

from counterplay.errors import InputError, quoted
from counterplay.files import write_whole
from counterplay.opponents.histories import REGISTRY
from counterplay.opponents.histories.hand_summary import summarise
from counterplay.opponents.histories.read_hands import Hands, read_hands
from counterplay.opponents.villain.villain_card import CardRow, VillainCard, villain_card
from counterplay.page.shelf import Shelf

LEAKS = {"fold to pot": "facing a bet of at least 75%", "fold to c-bet": "facing a bet"}
"""Beginnings of statistics that are leaks of a spot, and the place of the leak; a street follows."""
_LEAST = 0.01


def keep_hands(shelf: Shelf, file: str, text: str) -> dict[str, Any]:
    """Keep hand histories: their name on the page, and what is in them.

    Args:
        file: the name of the file; only its ending is used.
        text: its content.

    Raises:
        InputError: an unknown ending, or nothing that can be read.
    """
    endings = {ending for form in REGISTRY.values() for ending in form.endings}
    ending = Path(file).suffix.lower()
    if ending not in endings:
        raise InputError(f"hand histories end in {', '.join(sorted(endings))}, and not in {quoted(ending)}")
    name = blake2b(text.encode(), digest_size=8).hexdigest()
    path = shelf.hands_path(name, ending)
    write_whole(path, text.encode())
    try:
        return {"name": f"{name}{ending}", **summarise(read_hands([path])).facts()}
    except InputError:
        path.unlink(missing_ok=True)
        raise


def card_view(shelf: Shelf, name: str, player: str) -> dict[str, Any]:
    """The card of a player, and for each statistic that says one the line of its leak.

    Raises:
        InputError: no such hands, or none of that player.
    """
    found = _hands(shelf, name)
    card: VillainCard = villain_card(found.holdem_of(player), player)
    return {**card.facts(), "rows": [{**row.facts(), "leak": leak_of(row)} for row in card.rows]}


def leak_of(row: CardRow) -> str | None:
    """The leak that a statistic supports: at the near end of its interval, so that it claims no more than was seen; None
    where it says nothing, or is no leak of a spot."""
    head = next((one for one in LEAKS if row.name.startswith(one)), None)
    low = row.counted.interval[0]
    if head is None or not row.counted.n or low < _LEAST:
        return None
    street = row.name.rpartition(" ")[2]
    return f"on {street} {LEAKS[head]}: fold at least {floor(100.0 * low)}%"


def _hands(shelf: Shelf, name: str) -> Hands:
    stem, dot, ending = name.partition(".")
    path = shelf.hands_path(stem, dot + ending)
    if not path.is_file():
        raise InputError(f"there are no hands {quoted(name)} on this page")
    return read_hands([path])
