"""Lines of texts of Absolute Poker and UltimateBet."""

from __future__ import annotations

import re

from counterplay.opponents.histories.amounts import MONEY, amount, currency
from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import Act, HandText, Post, StatedAmount, TextAction, TextPost, readable

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
_STREET = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\* (?:\[([^\]]*)\] )?\[([^\]]*)\]")
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
        raise HandError("game", f"{' '.join(game.split()[:8])!r}: only no-limit hold'em is read, in English", first)
    if "Tourn" not in game:  # tournaments state no blinds of the hand
        text.big, text.currency = amount(stakes[1]), currency(stakes[1])
        text.ante = amount(stakes[2]) if stakes[2] else 0
    ended, text.states_uncalled, text.states_rake = False, True, True
    for line, row in readable(lines, first):
        if row.startswith("*** "):
            ended = row.startswith("*** SUMMARY")
            if street := _STREET.fullmatch(row):
                text.deal(line, street[2])
                if street[1]:
                    text.board(line, street[1], whole=False)
            elif row.startswith(("*** FLOP", "*** TURN", "*** RIVER")):
                raise HandError("cards", f"{row[:40]!r} does not state the cards", line)
        elif ended and row.startswith("Seat "):
            _summary(text, line, row)
        elif not _read(text, line, row):
            text.skip(line, row)


def _read(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " - ", _act)
    if named:
        return True
    if won := _COLLECTS.fullmatch(row):
        text.collected.append(StatedAmount(line, text.seat(line, won[1]), amount(won[2])))
    elif row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]), "sit" in seat[4].lower())
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row.startswith("Dealt to ") and row.rfind(" [") > 8:
        text.show(line, text.seat(line, row[9 : row.rfind(" [")]), row[row.rfind(" [") + 1 :])
    elif row.startswith("Total Pot"):
        pot = _POT.fullmatch(row)
        if pot is None:
            raise HandError("format", "the line of the total pot is not understood", line)
        text.pot = line, amount(pot[1])
        text.rake = line, sum(map(amount, _RAKES.findall(pot[2])))
    elif row.startswith("Board ["):
        text.board(line, row[7 : row.find("]")], whole=True)
    else:
        if named is None:
            text.check_name(line, row, (_ACTION, _POST), " - ")
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        word, chips, to = action.groups()
        letter = _LETTERS[word]
        if (chips is None) != (letter in (Act.FOLD, Act.CHECK)) or (to is None) != (letter != Act.RAISE):
            return False
        text.actions.append(TextAction(line, seat, letter, amount(chips) if chips else -1, -1, amount(to) if to else -1,
                                  word.startswith("All-In")))  # fmt: skip
    elif post := _POST.fullmatch(rest):
        text.posts.append(TextPost(line, seat, _POSTS[post[1]], amount(post[2])))
        if post[3]:
            text.posts.append(TextPost(line, seat, Post.DEAD, amount(post[3])))
    elif back := _RETURNED.fullmatch(rest):
        text.returned.append(StatedAmount(line, seat, amount(back[1])))
    elif rest.startswith(("Shows [", "Pocket [")):
        text.show(line, seat, rest[rest.find("[") + 1 : rest.find("]")])
    else:
        return rest.startswith(("Mucks", "Does not show"))
    return True


def _summary(text: HandText, line: int, row: str) -> None:
    found = text.listed(line, row)
    if found is not None and (stated := _SUMMARY.search(found[1])):
        if stated[1]:
            text.show(line, found[0], stated[1])
        else:
            text.folds.append(StatedAmount(line, found[0], _FOLDED[stated[0]]))
