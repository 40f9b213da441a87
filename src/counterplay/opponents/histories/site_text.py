"""Hand histories as poker sites write them, through PokerKit (`pip install counterplay[hands]`).

A text is split at the first lines of hands; PokerKit turns each into PHH, which `phh` reads and replays. Some 200 hands a
CPU second, which is right for one player's hands and wrong for a million.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from typing import Any

from counterplay.errors import InputError, reason
from counterplay.opponents.histories.hand_history import check_length, left_out
from counterplay.opponents.histories.hand_record import FileLine, HandError, HoldemHand, LeftOut
from counterplay.opponents.histories.phh import PHH
from counterplay.poker.betting.rules import BettingRules

SITES = {
    "from_pokerstars": r"PokerStars (?:Zoom )?(?:Hand|Game) #",
    "from_full_tilt_poker": r"Full Tilt Poker Game #",
    "from_partypoker": r"\*{5} Hand History for Game ",
    "from_ongame_network": r"\*{5} History for hand ",
    "from_absolute_poker": r"Stage #\d+",
    "from_ipoker_network": r"GAME #\d+",
}
"""PokerKit's readers, and how a hand begins."""


class SiteText:
    """The format."""

    endings = (".txt",)
    about = (
        "texts of poker sites: PokerStars, Full Tilt, PartyPoker, Ongame, Absolute, iPoker (needs counterplay[hands])"
    )

    def recognises(self, head: str) -> bool:
        return _site(head) is not None

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | LeftOut]:  # noqa: ARG002
        """Every hand."""
        site = _site(text[:4096])
        if site is None:
            raise InputError("is no text of a site that is known")
        read_hand, line = getattr(_pokerkit(), site), 1
        begins = [found.start() for found in re.finditer(f"^\ufeff?{SITES[site]}", text, re.MULTILINE)]
        line += text.count("\n", 0, begins[0])
        for begin, end in pairwise([*begins, len(text)]):
            place = FileLine(file, line)
            try:
                yield _hand(read_hand, text[begin:end], place)
            except HandError as error:
                yield left_out(place, error)
            line += text.count("\n", begin, end)


def _site(head: str) -> str | None:
    """The reader of a text, by how its first hand begins."""
    return next((name for name, mark in SITES.items() if re.search(f"^\ufeff?{mark}", head, re.MULTILINE)), None)


def _hand(read_hand: Any, text: str, place: FileLine) -> HoldemHand:
    """One hand, by way of PHH."""
    check_length(text)
    try:
        with warnings.catch_warnings(), redirect_stderr(StringIO()):  # it prints the trace of what it cannot read
            warnings.simplefilter("ignore")
            found = list(read_hand(text, error_status=True))
            written = [one.dumps() for one in found]
    except Exception as error:  # a foreign parser on a foreign text
        raise HandError("format", f"PokerKit cannot read it: {reason(error)}") from None
    if len(written) != 1:
        raise HandError("format", "PokerKit finds no hand here")
    (one,) = PHH().read(written[0], place.file, None)
    if isinstance(one, LeftOut):
        raise HandError(one.reason, one.about)
    return replace(one, place=place)


def _pokerkit() -> Any:
    try:
        from pokerkit import HandHistory
    except ImportError:
        raise InputError("texts of poker sites need PokerKit: pip install 'counterplay[hands]'") from None
    return HandHistory
