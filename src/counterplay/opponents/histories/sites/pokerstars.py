"""Lines of texts that mark streets as `*** FLOP ***`: of PokerStars, GGPoker, Full Tilt, Absolute Poker and UltimateBet."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import MONEY, HandText, amount, currency, other_game
from counterplay.opponents.histories.sites import site_lines as s

POKERSTARS = (
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


def read_pokerstars(text: HandText, lines: list[str], first: int) -> None:
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


FULL_TILT = r"Full ?Tilt ?Poker(?:\.fr|\.net)? (?:Game|Hand) #"
_HEADER = re.compile(r"[^#]*#(\d+): (.*)")
_GAME = re.compile(r"(?:No Limit|NL) Hold'em")
_BLINDS = re.compile(rf" - ({MONEY})/({MONEY})(?: Ante ({MONEY}))?(?: -|$)")
_CAP = re.compile(rf"({MONEY}) Cap|\bCAP\b")
_CAPPED = "(?:,? and is (?:(all in)|capped))?"
_FULL_TILT_LINES = s.SiteLines(
    mark=" ",
    acts=s.LineTable(
        (s.act, r"(folds|checks)(?:,? and is (?:all in|capped))?"),
        (s.act, rf"(calls|bets) ({MONEY}){_CAPPED}"),
        (s.act, rf"(raises to) ({MONEY}){_CAPPED}"),
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


def read_full_tilt(text: HandText, lines: list[str], first: int) -> None:
    header = _HEADER.match(lines[0])
    text.number, game = (header[1], header[2]) if header else ("", lines[0])
    if not _GAME.search(game):
        raise other_game(game, first, words=12)
    stakes, cap = _BLINDS.search(game), _CAP.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", first)
    text.stakes(stakes[1], stakes[2], stakes[3])
    text.cap = amount(cap[1]) if cap and cap[1] else 0
    text.currency = currency(stakes[2])
    text.states_uncalled = text.states_rake = True
    s.read_lines(text, lines, first, _FULL_TILT_LINES)


ABSOLUTE = r"Stage #C?\d+"
_STAGE = re.compile(r"Stage #(C?\d+):? *(.*)")
_STAGE_GAME = re.compile(rf"Hold'?em\b.* No Limit ({MONEY})(?:, ({MONEY}) ante)?", re.IGNORECASE)
_ABSOLUTE_LINES = s.SiteLines(
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


def read_absolute(text: HandText, lines: list[str], first: int) -> None:
    header = _STAGE.match(lines[0])
    text.number, game = (header[1], header[2]) if header else ("", lines[0])
    stakes = _STAGE_GAME.search(game)
    if stakes is None:
        raise other_game(game, first, words=8)
    if "Tourn" not in game:  # tournaments state no blinds of the hand
        text.big, text.currency = amount(stakes[1]), currency(stakes[1])
        text.ante = amount(stakes[2]) if stakes[2] else 0
    text.states_uncalled = text.states_rake = True
    s.read_lines(text, lines, first, _ABSOLUTE_LINES)
