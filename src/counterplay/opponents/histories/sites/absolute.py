"""Lines of texts of Absolute Poker and UltimateBet."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    MONEY,
    Act,
    HandText,
    Post,
    StatedAmount,
    amount,
    currency,
    other_game,
    readable,
)

BEGIN = r"Stage #C?\d+"
_HEADER = re.compile(r"Stage #(C?\d+):? *(.*)")
_GAME = re.compile(rf"Hold'?em\b.* No Limit ({MONEY})(?:, ({MONEY}) ante)?", re.IGNORECASE)
_BUTTON = re.compile(r"Table: .*Seat #(\d{1,2}) is the dealer")
_SEAT = re.compile(rf"Seat (\d{{1,2}}) - (.+) \(({MONEY}) in chips\)(.*)")
_ACTION = re.compile(
    rf"(Folds|Checks|Calls|Bets|Raises|All-In\(Raise\)|All-In)(?: ({MONEY}))?(?: to ({MONEY}))?(?: .*)?"
)
_POST = re.compile(rf"(Posts small blind|Posts big blind|Posts dead|Posts|Ante) ({MONEY})(?: dead ({MONEY}))?(?: .*)?")
_POSTS = {"Posts small blind": Post.SMALL, "Posts big blind": Post.BIG, "Posts dead": Post.DEAD, "Posts": Post.OTHER,
          "Ante": Post.ANTE}  # fmt: skip
_RETURNED = re.compile(rf"returned \(({MONEY})\) : not called")
_COLLECTS = re.compile(rf"(.+) Collects ({MONEY}) from (?:main|side) pot(?:-\d)?")
_STREET = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[(?P<before>[^\]]*)\] )?\[(?P<cards>[^\]]*)\]")
_POT = re.compile(rf"Total Pot ?\(({MONEY})(?::[^)]*)?\)((?: \| [A-Za-z ]*Rake \({MONEY}\))*)(?: \|.*)?")
_RAKES = re.compile(rf"\(({MONEY})\)")
_FOLDED = {"Folded on the POCKET CARDS": 0, "Folded on the FLOP": 1, "Folded on the TURN": 2, "Folded on the RIVER": 3}
_SUMMARY = re.compile(r"Folded on the (?:POCKET CARDS|FLOP|TURN|RIVER)|\[((?:10|\w)[cdhs] (?:10|\w)[cdhs]) - ")
_LETTERS = {word.title(): letter for word, letter in Act.WORDS.items()} | {
    "All-In(Raise)": Act.RAISE,
    "All-In": Act.ALL_IN,
}


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
    ended, text.states_uncalled, text.states_rake = False, True, True
    for line, row in readable(lines, first):
        if row.startswith("*** "):
            ended = row.startswith("*** SUMMARY")
            text.deal_street(line, row, _STREET.fullmatch(row))
        elif ended and row.startswith("Seat "):
            seat, rest = text.listed(line, row)
            stated = _SUMMARY.search(rest)
            if stated and stated[1]:
                text.show(line, seat, stated[1])
            elif stated:
                text.folds.append(StatedAmount(line, seat, _FOLDED[stated[0]]))
        elif not _read(text, line, row):
            text.skip(line, row)


def _read(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " - ", _act)
    if named:
        return True
    if won := _COLLECTS.fullmatch(row):
        text.collect(line, text.seat(line, won[1]), won[2])
    elif row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), "sit" in seat[4].lower())
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif text.show_dealt(line, row, "Dealt to "):
        pass
    elif row.startswith("Total Pot"):
        pot = _POT.fullmatch(row)
        if pot is None:
            raise HandError("format", "the line of the total pot is not understood", line)
        text.pot, text.rake = (line, amount(pot[1])), (line, sum(map(amount, _RAKES.findall(pot[2]))))
    elif row.startswith("Board ["):
        text.board_in_brackets(line, row)
    else:
        if named is None:
            text.check_name(line, row, (_ACTION, _POST), " - ")
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        word, chips, to = action.groups()
        return text.act(line, seat, _LETTERS[word], chips, to, word.startswith("All-In"))
    if post := _POST.fullmatch(rest):
        text.post(line, seat, _POSTS[post[1]], post[2])
        if post[3]:
            text.post(line, seat, Post.DEAD, post[3])
    elif back := _RETURNED.fullmatch(rest):
        text.returned.append(StatedAmount(line, seat, amount(back[1])))
    elif rest.startswith(("Shows [", "Pocket [")):
        text.show(line, seat, rest[rest.find("[") + 1 : rest.find("]")])
    else:
        return rest.startswith(("Mucks", "Does not show"))
    return True
