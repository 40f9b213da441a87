"""Lines of PokerStars' texts, and of GGPoker's, which are almost like them."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    MONEY,
    RUN_TWICE,
    Act,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    amount,
    currency,
    other_game,
    readable,
)

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
_SEAT = re.compile(rf"Seat (\d{{1,2}}): (.+) \(({MONEY})(?: in chips)?(?:, [^)]*)?\)(.*)")
_YEAR = re.compile(r" (\d{4})/\d")
_UNCALLED_SINCE = 2008
"""The first year in which texts state uncalled bets."""
_BUTTON = re.compile(r"Seat #(\d{1,2}) is the button")
_ACTION = re.compile(rf"(folds|checks|calls|bets|raises)(?: ({MONEY})(?: to ({MONEY}))?)?( and is all-in| and has reached "
                     rf"the {MONEY} cap)?(?: \[[^\]]*\])?")  # fmt: skip
_POST = re.compile(rf"(?:posts |straddle )(the ante|small blind|big blind|small & big blinds|dead|missed blind|straddle|)"
                   rf" ?({MONEY})( and is all-in| and has reached the {MONEY} cap)?")  # fmt: skip
_POSTS = {"the ante": Post.ANTE, "small blind": Post.SMALL, "big blind": Post.BIG, "small & big blinds": Post.BOTH,
          "dead": Post.DEAD, "missed blind": Post.DEAD, "straddle": Post.STRADDLE, "": Post.STRADDLE}  # fmt: skip
_UNCALLED = re.compile(rf"Uncalled bet \(({MONEY})\) returned to (.+)")
_COLLECTED = re.compile(rf"(.+?):? collected ({MONEY}) from (?:main |side )?pot(?:-\d)?")
_STREET = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[(?P<before>[^\]]*)\] ?)?\[(?P<cards>[^\]]*)\]")
_POT = re.compile(
    rf"Total pot ({MONEY})\.?((?: (?:Main|Side) pot(?:-\d)? {MONEY}\.?)*) *((?:\| *[A-Z][A-Za-z ]* {MONEY} *)*)"
)
_AMOUNTS = re.compile(rf" ({MONEY})\.?(?= |$)")
_SUMMARY = re.compile(r"folded (before Flop|on the Flop|on the Turn|on the River)|(?:showed|mucked) \[([^\]]*)\]")
_FOLDED = {"before Flop": 0, "on the Flop": 1, "on the Turn": 2, "on the River": 3}
_WON = re.compile(rf"(?:collected|won) \(({MONEY})\)")
_BONUS = re.compile(rf"(?:Cash Drop to Pot : total|\*\*\* .* STP .*|.* added to pot) ?({MONEY})?")


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    _header(text, lines[0], first)
    section, text.states_rake = _table, True
    for line, row in readable(lines, first):
        if row.startswith("*** SUMMARY"):
            section = _summary
        elif row.startswith("*** "):
            section = _play
            if row.startswith(("*** FIRST ", "*** SECOND ", "*** THIRD ")):
                raise HandError("game", RUN_TWICE, line)
            text.deal_street(line, row, _STREET.fullmatch(row))
        elif not section(text, line, row):
            text.skip(line, row)


def _header(text: HandText, row: str, line: int) -> None:
    number = _NUMBER.match(row)
    text.number = number[1] if number else ""
    game = row[number.end() :] if number else row
    if "Hold'em No Limit" not in game or _ODD.search(game):
        raise other_game(game.strip(": "), line, words=8)
    stakes = _STAKES.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", line)
    text.stakes(stakes[1], stakes[2], stakes[3] or stakes[4])
    text.cap = amount(stakes[5]) if stakes[5] else 0
    year = _YEAR.search(game)
    text.states_uncalled = year is None or int(year[1]) >= _UNCALLED_SINCE
    text.level_may_lag = text.site == "GGPoker" and "Tournament" in game
    text.currency = "" if "Tournament" in game else currency(stakes[2])


def _table(text: HandText, line: int, row: str) -> bool:
    """Read a line before the cards: the button, a seat, a post."""
    if row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), "sitting out" in seat[4] or "out of hand" in seat[4])
        return True
    if row.startswith("Table ") and (button := _BUTTON.search(row)):
        text.button = int(button[1])
        return True
    return _play(text, line, row)


def _play(text: HandText, line: int, row: str) -> bool:
    mark = row.find(": ")
    if mark > 0:
        seat = text.names.get(row[:mark], -1)
        if seat >= 0 and _act(text, line, seat, row[mark + 2 :]):
            return True
        if text.read_named(line, row, ": ", _act):  # a name may hold ": "
            return True
    if row.startswith("Uncalled bet") and (uncalled := _UNCALLED.fullmatch(row)):
        text.give_back(line, uncalled[2], uncalled[1])
    elif " collected " in row and (won := _COLLECTED.fullmatch(row)):
        text.collect(line, text.seat(line, won[1]), won[2])
    elif row.startswith("Dealt to "):
        text.show_dealt(line, row, "Dealt to ")
    elif (bonus := _BONUS.fullmatch(row)) and bonus[1]:
        text.bonus += amount(bonus[1])
    else:
        text.check_name(line, row, (_ACTION, _POST), ": ")
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    """Read an action, a post, or cards shown of a known player; return False if the line is none."""
    if action := _ACTION.fullmatch(rest):
        word, chips, to, full = action.groups()
        letter, all_in = Act.WORDS[word], full == " and is all-in"
        if letter == Act.RAISE and to is not None:  # by so many chips beyond the bet faced
            text.actions.append(TextAction(line, seat, Act.RAISE, -1, amount(chips), amount(to), all_in))
            return True
        return text.act(line, seat, letter, chips, to, all_in and letter not in Act.WITHOUT_CHIPS)
    if rest.startswith(("posts ", "straddle ")):
        post = _POST.fullmatch(rest)
        if post is None:
            raise HandError("stakes", f"a post that is not understood: {rest[:60]!r}", line)
        text.post(line, seat, _POSTS[post[1]], post[2])
        return True
    if rest.startswith("shows ["):
        text.show(line, seat, rest[7 : rest.find("]")])
        return True
    return rest.startswith(("doesn't show", "mucks"))


def _summary(text: HandText, line: int, row: str) -> bool:
    if row.startswith("Seat "):
        seat, rest = text.listed(line, row)
        stated = _SUMMARY.search(rest)
        if stated and stated[1]:
            text.folds.append(StatedAmount(line, seat, _FOLDED[stated[1]]))
        elif stated:
            text.show(line, seat, stated[2])
        if won := _WON.findall(rest):
            text.wins.append(StatedAmount(line, seat, sum(map(amount, won))))
    elif row.startswith("Total pot "):
        pot = _POT.fullmatch(row)
        if pot is None:
            raise HandError("format", "the line of the total pot is not understood", line)
        text.pot = line, amount(pot[1])
        if pot[2]:
            text.parts = line, sum(map(amount, _AMOUNTS.findall(pot[2])))
        if pot[3]:
            text.rake = line, sum(map(amount, _AMOUNTS.findall(pot[3])))
    elif row.startswith("Board ["):
        text.board_in_brackets(line, row)
    elif row.startswith("Hand was run"):
        raise HandError("game", RUN_TWICE, line)
    else:
        return False
    return True
