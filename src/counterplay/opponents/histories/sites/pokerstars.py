"""Lines of PokerStars' texts, and of GGPoker's, which are almost like them."""

from __future__ import annotations

import re

from counterplay.opponents.histories.amounts import MONEY, amount, currency
from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    RUN_TWICE,
    Act,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
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
_STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] ?)?\[([^\]]*)\]")
_CARDS = re.compile(r"\[([^\]]*)\]")
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
        if row.startswith("*** "):
            if row.startswith("*** SUMMARY"):
                section = _summary
            else:
                section = _play
                _street(text, line, row)
        elif not section(text, line, row):
            text.skip(line, row)


def _header(text: HandText, row: str, line: int) -> None:
    number = _NUMBER.match(row)
    text.number = number[1] if number else ""
    game = row[number.end() :] if number else row
    if "Hold'em No Limit" not in game or _ODD.search(game):
        title = " ".join(game.strip(": ").split()[:8])
        raise HandError("game", f"{title!r}: only no-limit hold'em is read, in English", line)
    stakes = _STAKES.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", line)
    text.small, text.big = amount(stakes[1]), amount(stakes[2])
    ante, cap = stakes[3] or stakes[4], stakes[5]
    text.ante, text.cap = amount(ante) if ante else 0, amount(cap) if cap else 0
    year = _YEAR.search(game)
    text.states_uncalled = year is None or int(year[1]) >= _UNCALLED_SINCE
    text.level_may_lag = text.site == "GGPoker" and "Tournament" in game
    text.currency = "" if "Tournament" in game else currency(stakes[2])


def _table(text: HandText, line: int, row: str) -> bool:
    """A line before the cards: the button, a seat, a post."""
    if row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), "sitting out" in seat[4] or "out of hand" in seat[4])
        return True
    if row.startswith("Table ") and (button := _BUTTON.search(row)):
        text.button = int(button[1])
        return True
    return _play(text, line, row)


def _street(text: HandText, line: int, row: str) -> None:
    if street := _STREET.fullmatch(row):
        text.deal(line, street[3])
        if street[2]:
            text.board(line, street[2], whole=False)
    elif row.startswith(("*** FIRST ", "*** SECOND ", "*** THIRD ")):
        raise HandError("game", RUN_TWICE, line)
    elif row.startswith(("*** FLOP", "*** TURN", "*** RIVER")):
        raise HandError("cards", f"{row[:40]!r} does not state the cards", line)


def _play(text: HandText, line: int, row: str) -> bool:
    """A line of the play."""
    mark = row.find(": ")
    if mark > 0:
        seat = text.names.get(row[:mark], -1)
        rest = row[mark + 2 :]
        if seat >= 0 and _act(text, line, seat, rest):
            return True
        if text.read_named(line, row, ": ", _act):  # a name may hold ": "
            return True
    if row.startswith("Uncalled bet") and (uncalled := _UNCALLED.fullmatch(row)):
        text.returned.append(StatedAmount(line, text.seat(line, uncalled[2]), amount(uncalled[1])))
    elif " collected " in row and (won := _COLLECTED.fullmatch(row)):
        text.collected.append(StatedAmount(line, text.seat(line, won[1]), amount(won[2])))
    elif row.startswith("Dealt to "):
        cards = row.rfind(" [")
        if cards > 8:
            text.show(line, text.seat(line, row[9:cards]), row[cards + 1 :])
    elif (bonus := _BONUS.fullmatch(row)) and bonus[1]:
        text.bonus += amount(bonus[1])
    else:
        text.check_name(line, row, (_ACTION, _POST), ": ")
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    """An action, a post, or cards shown of a known player; False if the line is none."""
    if action := _ACTION.fullmatch(rest):
        word, first, to, full = action.groups()
        letter = Act.WORDS[word]
        full = full == " and is all-in"
        if letter == Act.RAISE:
            if to is None:
                return False
            text.actions.append(TextAction(line, seat, Act.RAISE, -1, amount(first), amount(to), full))
        elif letter in (Act.CALL, Act.BET):
            if first is None or to is not None:
                return False
            text.actions.append(TextAction(line, seat, letter, amount(first), -1, -1, full))
        else:
            if first is not None:
                return False
            text.actions.append(TextAction(line, seat, letter))
        return True
    if rest.startswith(("posts ", "straddle ")):
        post = _POST.fullmatch(rest)
        if post is None:
            raise HandError("stakes", f"a post that is not understood: {rest[:60]!r}", line)
        text.posts.append(TextPost(line, seat, _POSTS[post[1]], amount(post[2])))
        return True
    if rest.startswith("shows ["):
        text.show(line, seat, rest[7 : rest.find("]")])
        return True
    return rest.startswith(("doesn't show", "mucks"))


def _summary(text: HandText, line: int, row: str) -> bool:
    """A line of the summary."""
    if row.startswith("Seat "):
        return _summary_seat(text, line, row)
    if row.startswith("Total pot ") and (pot := _POT.fullmatch(row)):
        text.pot = line, amount(pot[1])
        if pot[2]:
            text.parts = line, sum(map(amount, _AMOUNTS.findall(pot[2])))
        if pot[3]:
            text.rake = line, sum(map(amount, _AMOUNTS.findall(pot[3])))
        return True
    if row.startswith("Total pot "):
        raise HandError("format", "the line of the total pot is not understood", line)
    if row.startswith("Board ["):
        text.board(line, row[7 : row.find("]")], whole=True)
        return True
    if row.startswith("Hand was run"):
        raise HandError("game", RUN_TWICE, line)
    return False


def _summary_seat(text: HandText, line: int, row: str) -> bool:
    found = text.listed(line, row)
    if found is None:
        return False
    seat, rest = found
    if stated := _SUMMARY.search(rest):
        if stated[1]:
            text.folds.append(StatedAmount(line, seat, _FOLDED[stated[1]]))
        else:
            text.show(line, seat, stated[2])
    if won := _WON.findall(rest):
        text.wins.append(StatedAmount(line, seat, sum(map(amount, won))))
    return True
