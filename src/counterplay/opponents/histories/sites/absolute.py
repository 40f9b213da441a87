"""Lines of texts of Absolute Poker and UltimateBet."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_text import MONEY, HandText, amount, currency, other_game
from counterplay.opponents.histories.sites import site_lines as s

BEGIN = r"Stage #C?\d+"
_HEADER = re.compile(r"Stage #(C?\d+):? *(.*)")
_GAME = re.compile(rf"Hold'?em\b.* No Limit ({MONEY})(?:, ({MONEY}) ante)?", re.IGNORECASE)
_LINES = s.SiteLines(
    mark=" - ",
    acts=s.LineTable(
        (s.act, r"(Folds|Checks)(?: \D.*)?"),
        (s.act, rf"(Calls|Bets|All-In) ({MONEY})(?: (?!to ).*)?"),
        (s.raise_to, rf"Raises ({MONEY}) to ({MONEY})(?: .*)?"),
        (s.raise_to, rf"All-In\(Raise\) ({MONEY}) to ({MONEY})()(?: .*)?"),
        (s.post, r"(?:Posts )?(small blind|big blind|dead|Posts|Ante)"
                 rf" ({MONEY})(?: dead ({MONEY}))?(?: .*)?"),
        (s.give_back, rf"returned \(({MONEY})\) : not called"),
        (s.show, r"(?:Shows|Pocket) \[([^\]]*).*"),
        (s.skip, "(?:Mucks|Does not show).*"),
    ),
    rows=s.LineTable(
        (s.deal, r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]"),
        (s.NO_CARDS, r"(\*\*\* (?:FLOP|TURN|RIVER).*)"),
        (s.of_player(s.collect), rf"(.+) Collects ({MONEY}) from (?:main|side) pot(?:-\d)?"),
        (s.sit, rf"Seat (\d{{1,2}}) - (.+) \(({MONEY}) in chips\)(.*)"),
        (s.button, r"Table: .*Seat #(\d{1,2}) is the dealer"),
        (s.of_player(s.show), r"Dealt to (.+) (\[.*)"),
    ),
    end="*** SUMMARY",
    summary=s.LineTable(
        (s.summary_seat((s.fold, "Folded (on the (?:POCKET CARDS|FLOP|TURN|RIVER))"),
                  (s.show, r"\[((?:10|\w)[cdhs] (?:10|\w)[cdhs]) - ")), s.SUMMARY_SEAT),
        (s.pot(rf"\(({MONEY})\)"), rf"Total Pot ?\(({MONEY})(?::[^)]*)?\)()"
                                   rf"((?: \| [A-Za-z ]*Rake \({MONEY}\))*)(?: \|.*)?"),
        (s.NO_POT, "Total Pot.*"),
        (s.board, r"Board \[([^\]]*).*"),
    ),
)  # fmt: skip


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    header = _HEADER.match(lines[0])
    text.number, game = (header[1], header[2]) if header else ("", lines[0])
    stakes = _GAME.search(game)
    if stakes is None:
        raise other_game(game, first, words=8)
    if "Tourn" not in game:  # tournaments state no blinds of the hand
        text.big, text.currency = amount(stakes[1]), currency(stakes[1])
        text.ante = amount(stakes[2]) if stakes[2] else 0
    text.states_uncalled = text.states_rake = True
    s.read_lines(text, lines, first, _LINES)
