"""Hand histories as poker sites write them. A file may hold hands of several sites, in any order.

A text is split at the first lines of hands. The tokenizer of the site turns the lines of a hand into statements, a state
machine replays them, and everything stated is compared with the replay; at two seats the betting rules replay it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import (
    FileLine,
    HandError,
    HoldemHand,
    LeftOut,
    TableHand,
    check_length,
    left_out,
)
from counterplay.opponents.histories.hand_text import LONGEST, HandText
from counterplay.opponents.histories.sites import ipoker
from counterplay.opponents.histories.sites.partypoker import ONGAME, PARTYPOKER, read_ongame, read_partypoker
from counterplay.opponents.histories.sites.pokerstars import (
    ABSOLUTE,
    FULL_TILT,
    POKERSTARS,
    read_absolute,
    read_full_tilt,
    read_pokerstars,
)
from counterplay.opponents.histories.table_hand import hand_of
from counterplay.poker.betting.rules import BettingRules

SITES: dict[str, tuple[str, Callable[[HandText, list[str], int], None]]] = {
    "PokerStars": (POKERSTARS, read_pokerstars),
    "GGPoker": (r"Poker Hand #[A-Z]{2}\d", read_pokerstars),
    "PartyPoker": (PARTYPOKER, read_partypoker),
    "Ongame Network": (ONGAME, read_ongame),
    "Full Tilt Poker": (FULL_TILT, read_full_tilt),
    "Absolute Poker": (ABSOLUTE, read_absolute),
}
"""First line of a hand and the function that states its lines from a number on; by venue as PHH files name it."""
_OTHER = (
    r"Winamax Poker - |\*{5} [\w. ]{1,20} Hand History for Game |(?:Game )?Hand #\d+ - |"
    r"[A-Z][\w.]{2,20}(?: [\w.]{1,20}){0,3} Hand #\d|"
    r"[^\n\":*]{0,24}PokerStars(?! Tournament)[^\n\":]{0,24}\d{8}"
)
"""First lines of hands without a reader: of other sites, and of PokerStars in other languages."""
_BEGIN = re.compile(
    "|".join(
        f"^[ \t\ufeff]{{0,8}}(?P<{name.replace(' ', '_')}>{begin})"
        for name, begin in [*((name, begin) for name, (begin, _) in SITES.items()), ("other", _OTHER)]
    ),
    re.MULTILINE,
)
_XML = re.compile(f"(?P<session><session\\b)|(?P<iPoker_Network>{ipoker.BEGIN})")


def _begins(text: str) -> list[re.Match[str]]:
    """The beginnings of hands, and of iPoker's sessions, which need not begin a line."""
    found = list(_BEGIN.finditer(text))
    return sorted([*found, *_XML.finditer(text)], key=re.Match.start) if "<session" in text else found


class SiteText:
    endings = (".txt", ".xml")
    about = f"texts of poker sites: {', '.join([*SITES, ipoker.VENUE])}"

    def recognises(self, head: str) -> bool:
        return bool(_begins(head))

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | TableHand | LeftOut]:  # noqa: ARG002
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        begins = _begins(text)
        if not begins:
            raise InputError("is no text of a site that is known")
        starts = [begin.start(begin.lastgroup or 0) for begin in begins]
        line, at, session, declared = 1, 0, "", ipoker.declares(text)
        for begin, start, end in zip(begins, starts, [*starts[1:], len(text)], strict=True):
            line += text.count("\n", at, start)
            at, written = start, text[start:end]
            if begin.lastgroup == "session":
                session = "" if declared else written
                continue
            place = FileLine(file, line)
            try:
                yield _hand((begin.lastgroup or "").replace("_", " "), written, session, place)
            except HandError as error:
                yield left_out(place, error)


def _hand(site: str, text: str, session: str, place: FileLine) -> HoldemHand | TableHand:
    if site == "other":
        raise HandError("game", f"{text.strip()[:60]!r}: hands of this site, or in this language, are not read")
    check_length(text)
    stated = HandText(site)
    if site in SITES:
        lines = [row.strip() for row in text.split("\n")]
        if len(lines[0]) > LONGEST:
            raise HandError("format", f"a first line of {len(lines[0]):,} characters; at most {LONGEST} are read")
        SITES[site][1](stated, lines, place.line)
    else:
        ipoker.read_game(stated, text, session, place.line)
    return hand_of(stated, place)
