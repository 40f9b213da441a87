"""Lines of PokerStars' texts, and of GGPoker's, which are almost like them."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import MONEY, HandText, amount, currency, other_game
from counterplay.opponents.histories.sites import site_lines as s

BEGIN = (
    r"(?:PokerStars (?:Zoom |Home Game )?(?:Hand|Game)|Full Tilt (?:Rush )?Hand) #"  # of 2016 in software of PokerStars
)
_NUMBER = re.compile(r"[^#]*#([A-Z]{0,3}\d+)")
_ODD = re.compile(
    r"(?:6\+|Six Plus|Split|Short ?Deck|Fusion|Showtime|Tempest|Swap|Unfold|Deep Water|Squid)", re.IGNORECASE
)
_STAKES = re.compile(
    rf"\(({MONEY})/({MONEY})(?: ?\(({MONEY})\)| ante ({MONEY}))?(?: - ({MONEY}) Cap -?)?(?: *[A-Z]{{3}})?\)"
)
_YEAR = re.compile(r" (\d{4})/\d")
_UNCALLED_SINCE = 2008
"""The first year in which texts state uncalled bets."""
_FULL = rf"(?: and (?:is (all-in)|has reached the {MONEY} cap))?"
_LINES = s.SiteLines(
    mark=": ",
    acts=s.LineTable(
        (s.act, rf"(folds|checks)(?: and is all-in| and has reached the {MONEY} cap)?(?: \[[^\]]*\])?"),
        (s.act, rf"(calls|bets) ({MONEY}){_FULL}(?: \[[^\]]*\])?"),
        (s.raise_over, rf"raises ({MONEY}) to ({MONEY}){_FULL}(?: \[[^\]]*\])?"),
        (s.post, r"(?:posts |straddle )(the ante|small blind|big blind|small & big blinds|dead|missed blind|"
                 rf"straddle|) ?({MONEY})(?: and is all-in| and has reached the {MONEY} cap)?"),
        (s.refuse("stakes", "a post that is not understood: {row}"), "((?:posts|straddle) .*)"),
        (s.show, r"shows \[([^\]]*).*"),
        (s.skip, "(?:doesn't show|mucks).*"),
    ),
    rows=s.LineTable(
        (s.sit, rf"Seat (\d{{1,2}}): (.+) \(({MONEY})(?: in chips)?(?:, [^)]*)?\)(.*)"),
        (s.button, r"Table .*Seat #(\d{1,2}) is the button.*"),
        (s.deal, r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] ?)?\[([^\]]*)\]"),
        (s.NO_CARDS, r"(\*\*\* (?:FLOP|TURN|RIVER).*)"),
        (s.RUN_TWICE, r"\*\*\* (?:FIRST|SECOND|THIRD) .*"),
        (s.give_back_to, rf"Uncalled bet \(({MONEY})\) returned to (.+)"),
        (s.of_player(s.show), r"Dealt to (.+) (\[.*)"),
        (s.skip, r"\*\*\* .*"),
        (s.of_player(s.collect), rf"(.+?):? collected ({MONEY}) from (?:main |side )?pot(?:-\d)?"),
        (lambda text, _line, _seat, chips: setattr(text, "bonus", text.bonus + amount(chips)),
         rf"(?:Cash Drop to Pot : total|.* added to pot) ?({MONEY})"),
    ),
    end="*** SUMMARY",
    summary=s.LineTable(
        (s.summary_seat((s.fold, "folded (before Flop|on the (?:Flop|Turn|River))"),
                  (s.show, r"showed \[([^\]]*)\]"), (s.show, r"mucked \[([^\]]*)\]"),
                  (s.win, rf"collected \(({MONEY})\)"), (s.win, rf"won \(({MONEY})\)")), s.SUMMARY_SEAT),
        (s.pot(), rf"Total pot ({MONEY})\.?((?: (?:Main|Side) pot(?:-\d)? {MONEY}\.?)*) *"
                  rf"((?:\| *[A-Z][A-Za-z ]* {MONEY} *)+)?"),
        (s.NO_POT, "Total pot .*"),
        (s.board, r"Board \[([^\]]*).*"),
        (s.RUN_TWICE, "Hand was run.*"),
    ),
)  # fmt: skip


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    number = _NUMBER.match(lines[0])
    text.number = number[1] if number else ""
    game = lines[0][number.end() :] if number else lines[0]
    if "Hold'em No Limit" not in game or _ODD.search(game):
        raise other_game(game.strip(": "), first, words=8)
    stakes = _STAKES.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", first)
    text.stakes(stakes[1], stakes[2], stakes[3] or stakes[4])
    text.cap = amount(stakes[5]) if stakes[5] else 0
    year = _YEAR.search(game)
    text.states_rake, text.states_uncalled = True, year is None or int(year[1]) >= _UNCALLED_SINCE
    text.level_may_lag = text.site == "GGPoker" and "Tournament" in game
    text.currency = "" if "Tournament" in game else currency(stakes[2])
    s.read_lines(text, lines, first, _LINES)
