"""Lines of Full Tilt's texts."""

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
    rf"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[(?P<before>[^\]]*)\] )?\[(?P<cards>[^\]]*)\]"
    rf"(?: \(Total Pot: (?P<pot>{MONEY}),.*\))?"
)
_POT = re.compile(rf"Total pot ({MONEY})((?: (?:Main|Side) pot(?: \d)? {MONEY}\.?)*) *\| Rake ({MONEY})")
_SUMMARY = re.compile(r"folded before the Flop|folded on the (?:Flop|Turn|River)|didn't bet \(folded\)")
_FOLDED = {"folded before the Flop": 0, "didn't bet (folded)": 0, "folded on the Flop": 1, "folded on the Turn": 2,
           "folded on the River": 3}  # fmt: skip
_SHOWED = re.compile(rf"(?:showed|mucked) \[([^\]]*)\]|(?:collected|won) \(({MONEY})\)")
_LETTERS = {**Act.WORDS, "raises to": Act.RAISE}


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
    ended, text.states_uncalled, text.states_rake = False, True, True
    for line, row in readable(lines, first):
        if row.startswith("*** "):
            ended = row.startswith("*** SUMMARY")
            street = _STREET.fullmatch(row)
            if street is None and row.startswith(("*** FLOP 1", "*** TURN 1", "*** RIVER 1", "*** SHOW DOWN 1")):
                raise HandError("game", RUN_TWICE, line)
            text.deal_street(line, row, street)
        elif ended and row.startswith("Seat "):
            _summary(text, line, row)
        elif not (_after(text, line, row) if ended else _play(text, line, row)):
            text.skip(line, row)


def _play(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " ", _act)
    if named:
        return True
    if row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), bool(seat[4]))
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row.startswith("Uncalled bet") and (uncalled := _UNCALLED.fullmatch(row)):
        text.give_back(line, uncalled[2], uncalled[1])
    elif not text.show_dealt(line, row, "Dealt to ") and named is None and ": " not in row:
        text.check_name(line, row, (_ACTION, _POST, _WON))
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        letter = _LETTERS[action[1]]
        if (action[2] is None) != (letter in Act.WITHOUT_CHIPS):
            return False
        chips, full = amount(action[2]) if action[2] else -1, bool(action[3]) and action[3].endswith("all in")
        added, to = (-1, chips) if letter == Act.RAISE else (chips, -1)
        text.actions.append(TextAction(line, seat, letter, added, -1, to, full))
    elif post := _POST.fullmatch(rest):
        text.post(line, seat, _POSTS[post[1]], post[2])
    elif won := _WON.fullmatch(rest):
        text.collect(line, seat, won[1])
    elif rest.startswith("shows ["):
        text.show(line, seat, rest[7 : rest.find("]")])
    else:
        return rest.startswith("mucks")
    return True


def _after(text: HandText, line: int, row: str) -> bool:
    """Read a line of the summary but those of seats."""
    if row.startswith("Total pot"):
        pot = _POT.fullmatch(row)
        if pot is None:
            raise HandError("format", "the line of the total pot is not understood", line)
        text.pot, text.rake = (line, amount(pot[1])), (line, amount(pot[3]))
        if pot[2]:
            text.parts = line, sum(map(amount, re.findall(rf"pot(?: \d)? ({MONEY})", pot[2])))
        return True
    if row.startswith("Board: ["):
        text.board_in_brackets(line, row)
        return True
    return False


def _summary(text: HandText, line: int, row: str) -> None:
    seat, rest = text.listed(line, row)
    text.out[seat] |= rest.endswith("is sitting out")
    if folded := _SUMMARY.search(rest):
        text.folds.append(StatedAmount(line, seat, _FOLDED[folded[0]]))
    for shown, won in _SHOWED.findall(rest):
        if shown:
            text.show(line, seat, shown)
        else:
            text.wins.append(StatedAmount(line, seat, amount(won)))
