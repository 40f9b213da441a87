"""Lines of texts of the Ongame network."""

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
    cards_in,
    currency,
    other_game,
    readable,
    street_without_cards,
)

BEGIN = r"\*{5} History for hand "
_NUMBER = re.compile(r"\*{5} History for hand ([\w-]+)")
_TABLE = re.compile(rf"Table: .*\(([A-Z_ ]+?) ({MONEY})/({MONEY})(?:,? ante: ({MONEY}))?,? ?([A-Za-z ]*)\)")
_BUTTON = re.compile(r"Button: seat (\d{1,2})")
_PLAYERS = re.compile(r"Players in round: (\d{1,2})\b.*")
_SEAT = re.compile(rf"Seat (\d{{1,2}}): (.+) \(({MONEY})\)(.*)")
_ACTION = re.compile(rf"(folds|checks|calls|bets|raises)(?: ({MONEY}))?(?: to ({MONEY}))?( \[all in\])?")
_POST = re.compile(rf"posts (small blind|big blind|dead blind|ante) \(?({MONEY})\)?(?: \[all in\])?")
_POSTS = {"small blind": Post.SMALL, "big blind": Post.BIG, "dead blind": Post.DEAD, "ante": Post.ANTE}
_POT = re.compile(rf"(?:Main|Side) pot(?: \d+)?: ({MONEY}) won by (.+)")
_WINNER = re.compile(rf"(.+?) \(({MONEY})\)(?:, |$)")
_RAKE = re.compile(rf"Rake taken: ({MONEY})")
_STREET = re.compile(r"--- Dealing (flop|turn|river) \[([^\]]*)\]")


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    number = _NUMBER.match(lines[0])
    text.number = number[1] if number else ""
    ended, players, text.states_rake = False, 0, True
    for line, row in readable(lines, first):
        if row == "Summary:":
            ended = True
        elif row.startswith("***** End of hand"):
            break
        elif table := _TABLE.fullmatch(row):
            if table[1] != "NO_LIMIT TEXAS_HOLDEM":
                raise other_game(table[1], line)
            text.stakes(table[2], table[3], table[4])
            text.currency = "" if "TC" in table[5] else currency(table[3])
        elif stated := _PLAYERS.fullmatch(row):
            players = int(stated[1])
        elif not (_after(text, line, row) if ended else _play(text, line, row)):
            text.skip(line, row)
    if not text.big:
        raise HandError("game", "the text does not state a game of no-limit hold'em", first)
    if players and players != len(text.names):
        raise HandError("players", f"{players} players in the round, and {len(text.names)} in the list", first)
    text.dealt = set(text.names.values()) if players else set()


def _play(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " ", _act)
    if named:
        return True
    if street := _STREET.fullmatch(row):
        last = next((action.cards for action in reversed(text.actions) if action.seat < 0), ())
        if last != cards_in(street[2], line):  # the same street again is how the site shows that players are all-in
            text.deal(line, street[2], street=street[1])
    elif row.startswith("--- Dealing"):
        raise street_without_cards(line, row)
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]))
    elif not text.show_dealt(line, row, "Dealing to ", ": ["):
        if named is None:
            text.check_name(line, row, (_ACTION, _POST))
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        word, chips, to, full = action.groups()
        return text.act(line, seat, Act.WORDS[word], chips, to, bool(full))
    if post := _POST.fullmatch(rest):
        text.post(line, seat, _POSTS[post[1]], post[2])
    return post is not None


def _after(text: HandText, line: int, row: str) -> bool:
    """Read a line of the summary."""
    if pot := _POT.fullmatch(row):
        text.parts = line, amount(pot[1]) + (text.parts[1] if text.parts else 0)
        at = 0
        while at < len(pot[2]):  # a list such as `ann ($1), bob ($2)`
            winner = _WINNER.match(pot[2], at)
            if winner is None or winner[1] not in text.names:
                raise HandError("result", f"winners that are not understood: {pot[2][:60]!r}", line)
            text.collect(line, text.names[winner[1]], winner[2])
            at = winner.end()
    elif rake := _RAKE.fullmatch(row):
        text.rake = line, amount(rake[1])
    elif row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        k = text.seat(line, seat[2])
        text.finals.append(StatedAmount(line, k, amount(seat[3])))
        if (at := seat[4].find("[")) > 0:
            text.show(line, k, seat[4][at + 1 : seat[4].find("]", at)])
    else:
        return False
    return True
