"""Lines of Full Tilt's texts."""

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

BEGIN = r"Full ?Tilt ?Poker(?:\.fr|\.net)? (?:Game|Hand) #"
_HEADER = re.compile(r"[^#]*#(\d+): (.*)")
_GAME = re.compile(r"(?:No Limit|NL) Hold'em")
_STAKES = re.compile(rf" - ({MONEY})/({MONEY})(?: Ante ({MONEY}))?(?: -|$)")
_CAP = re.compile(rf"({MONEY}) Cap|\bCAP\b")
_SEAT = re.compile(rf"Seat (\d{{1,2}}): (.+) \(({MONEY})\)(, is sitting out)?")
_BUTTON = re.compile(r"The button is in seat #(\d{1,2})")
_ACTION = re.compile(rf"(folds|checks|calls|bets|raises to)(?: ({MONEY}))?(,? and is (?:all in|capped))?")
_POST = re.compile(rf"(posts the small blind of|posts the big blind of|posts a dead small blind of|posts a straddle of|"
                   rf"straddles|posts|antes) ({MONEY})(?:,? and is all in)?")  # fmt: skip
_POSTS = {
    "posts the small blind of": Post.SMALL, "posts the big blind of": Post.BIG, "posts": Post.OTHER, "antes": Post.ANTE,
    "posts a dead small blind of": Post.DEAD, "posts a straddle of": Post.STRADDLE, "straddles": Post.STRADDLE,
}  # fmt: skip
_WON = re.compile(rf"(?:wins|ties for) (?:the )?(?:main |side )?pot(?: #?\d)? \(({MONEY})\)(?: with .*)?")
_UNCALLED = re.compile(rf"Uncalled bet of ({MONEY}) returned to (.+)")
_STREET = re.compile(
    rf"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\](?: \(Total Pot: ({MONEY}),.*\))?"
)
_POT = re.compile(rf"Total pot ({MONEY})((?: (?:Main|Side) pot(?: \d)? {MONEY}\.?)*) *\| Rake ({MONEY})")
_SUMMARY = re.compile(r"folded before the Flop|folded on the (?:Flop|Turn|River)|didn't bet \(folded\)")
_FOLDED = {"folded before the Flop": 0, "didn't bet (folded)": 0, "folded on the Flop": 1, "folded on the Turn": 2,
           "folded on the River": 3}  # fmt: skip
_SHOWED = re.compile(rf"(?:showed|mucked) \[([^\]]*)\]|(?:collected|won) \(({MONEY})\)")
_LETTERS = {**Act.WORDS, "raises to": Act.RAISE}


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    _header(text, lines[0], first)
    ended, text.states_uncalled, text.states_rake = False, True, True
    for line, row in readable(lines, first):
        if row.startswith("*** "):
            ended = row.startswith("*** SUMMARY")
            _street(text, line, row)
        elif ended and row.startswith("Seat "):
            _summary(text, line, row)
        elif not (_after(text, line, row) if ended else _play(text, line, row)):
            text.skip(line, row)


def _header(text: HandText, row: str, line: int) -> None:
    header = _HEADER.match(row)
    text.number, game = (header[1], header[2]) if header else ("", row)
    if not _GAME.search(game):
        raise HandError("game", f"{' '.join(game.split()[:12])!r}: only no-limit hold'em is read, in English", line)
    stakes, cap = _STAKES.search(game), _CAP.search(game)
    if stakes is None:
        raise HandError("stakes", "the header does not state blinds that are understood", line)
    text.small, text.big = amount(stakes[1]), amount(stakes[2])
    text.ante = amount(stakes[3]) if stakes[3] else 0
    text.cap = amount(cap[1]) if cap and cap[1] else 0
    text.currency = currency(stakes[2])


def _street(text: HandText, line: int, row: str) -> None:
    if street := _STREET.fullmatch(row):
        text.deal(line, street[2], amount(street[3]) if street[3] else -1)
        if street[1]:
            text.board(line, street[1], whole=False)
    elif row.startswith(("*** FLOP 1", "*** TURN 1", "*** RIVER 1", "*** SHOW DOWN 1")):
        raise HandError("game", RUN_TWICE, line)
    elif row.startswith(("*** FLOP", "*** TURN", "*** RIVER")):
        raise HandError("cards", f"{row[:40]!r} does not state the cards", line)


def _play(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " ", _act)
    if named:
        return True
    if row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), bool(seat[4]))
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row.startswith("Uncalled bet") and (uncalled := _UNCALLED.fullmatch(row)):
        text.returned.append(StatedAmount(line, text.seat(line, uncalled[2]), amount(uncalled[1])))
    elif row.startswith("Dealt to ") and row.rfind(" [") > 8:
        text.show(line, text.seat(line, row[9 : row.rfind(" [")]), row[row.rfind(" [") + 1 :])
    elif named is None and ": " not in row:
        text.check_name(line, row, (_ACTION, _POST, _WON))
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        letter = _LETTERS[action[1]]
        if (action[2] is None) != (letter in (Act.FOLD, Act.CHECK)):
            return False
        chips, full = amount(action[2]) if action[2] else -1, bool(action[3]) and action[3].endswith("all in")
        text.actions.append(TextAction(line, seat, letter, -1 if letter == Act.RAISE else chips, -1,
                                  chips if letter == Act.RAISE else -1, full))  # fmt: skip
    elif post := _POST.fullmatch(rest):
        text.posts.append(TextPost(line, seat, _POSTS[post[1]], amount(post[2])))
    elif won := _WON.fullmatch(rest):
        text.collected.append(StatedAmount(line, seat, amount(won[1])))
    elif rest.startswith("shows ["):
        text.show(line, seat, rest[7 : rest.find("]")])
    else:
        return rest.startswith("mucks")
    return True


def _after(text: HandText, line: int, row: str) -> bool:
    if row.startswith("Total pot"):
        pot = _POT.fullmatch(row)
        if pot is None:
            raise HandError("format", "the line of the total pot is not understood", line)
        text.pot, text.rake = (line, amount(pot[1])), (line, amount(pot[3]))
        if pot[2]:
            text.parts = line, sum(map(amount, re.findall(rf"pot(?: \d)? ({MONEY})", pot[2])))
        return True
    if row.startswith("Board: ["):
        text.board(line, row[8 : row.find("]")], whole=True)
        return True
    return False


def _summary(text: HandText, line: int, row: str) -> None:
    found = text.listed(line, row)
    if found is None:
        return
    seat, rest = found
    text.out[seat] |= rest.endswith("is sitting out")
    if folded := _SUMMARY.search(rest):
        text.folds.append(StatedAmount(line, seat, _FOLDED[folded[0]]))
    for shown, won in _SHOWED.findall(rest):
        if shown:
            text.show(line, seat, shown)
        else:
            text.wins.append(StatedAmount(line, seat, amount(won)))
