"""Lines of Full Tilt's texts."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import MONEY, HandText, amount, currency, other_game
from counterplay.opponents.histories.sites import site_lines as s

BEGIN = r"Full ?Tilt ?Poker(?:\.fr|\.net)? (?:Game|Hand) #"
_HEADER = re.compile(r"[^#]*#(\d+): (.*)")
_GAME = re.compile(r"(?:No Limit|NL) Hold'em")
_STAKES = re.compile(rf" - ({MONEY})/({MONEY})(?: Ante ({MONEY}))?(?: -|$)")
_CAP = re.compile(rf"({MONEY}) Cap|\bCAP\b")
_FULL = "(?:,? and is (?:(all in)|capped))?"
_LINES = s.SiteLines(
    mark=" ",
    acts=s.LineTable(
        (s.act, r"(folds|checks)(?:,? and is (?:all in|capped))?"),
        (s.act, rf"(calls|bets) ({MONEY}){_FULL}"),
        (s.act, rf"(raises to) ({MONEY}){_FULL}"),
        (s.post, r"(?:posts (?:the |a ))?(small blind|big blind|dead small blind|straddle|straddles|posts|antes)"
                 rf"(?: of)? ({MONEY})(?:,? and is all in)?"),
        (s.collect, rf"(?:wins|ties for) (?:the )?(?:main |side )?pot(?: #?\d)? \(({MONEY})\)(?: with .*)?"),
        (s.show, r"shows \[([^\]]*).*"),
        (s.skip, "mucks.*"),
    ),
    rows=s.LineTable(
        (s.deal, r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]"
                 rf"(?: \(Total Pot: ({MONEY}),.*\))?"),
        (s.RUN_TWICE, r"\*\*\* (?:FLOP|TURN|RIVER|SHOW DOWN) 1.*"),
        (s.NO_CARDS, r"(\*\*\* (?:FLOP|TURN|RIVER).*)"),
        (s.sit, rf"Seat (\d{{1,2}}): (.+) \(({MONEY})\)((?:, is sitting out)?)"),
        (s.button, r"The button is in seat #(\d{1,2})"),
        (s.give_back_to, rf"Uncalled bet of ({MONEY}) returned to (.+)"),
        (s.of_player(s.show), r"Dealt to (.+) (\[.*)"),
    ),
    end="*** SUMMARY",
    summary=s.LineTable(
        (s.summary_seat((s.fold, "folded (before the Flop|on the (?:Flop|Turn|River))"),
                  (s.fold, r"(didn't bet \(folded\))"),
                  (s.show, r"showed \[([^\]]*)\]"), (s.show, r"mucked \[([^\]]*)\]"),
                  (s.win, rf"collected \(({MONEY})\)"), (s.win, rf"won \(({MONEY})\)"),
                  (lambda text, _line, seat: text.out.__setitem__(seat, True), "is sitting out$")), s.SUMMARY_SEAT),
        (s.pot(rf"(?:pot(?: \d)?|Rake) ({MONEY})"),
         rf"Total pot ({MONEY})((?: (?:Main|Side) pot(?: \d)? {MONEY}\.?)*) *\| "
         rf"(Rake {MONEY})"),
        (s.NO_POT, "Total pot.*"),
        (s.board, r"Board: \[([^\]]*).*"),
    ),
)  # fmt: skip


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    header = _HEADER.match(lines[0])
    text.number, game = (header[1], header[2]) if header else ("", lines[0])
    if not _GAME.search(game):
        raise other_game(game, first, words=12)
    stakes, cap = _STAKES.search(game), _CAP.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", first)
    text.stakes(stakes[1], stakes[2], stakes[3])
    text.cap = amount(cap[1]) if cap and cap[1] else 0
    text.currency = currency(stakes[2])
    text.states_uncalled = text.states_rake = True
    s.read_lines(text, lines, first, _LINES)
