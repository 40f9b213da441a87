"""Lines of texts of the Ongame network."""

from __future__ import annotations

import re

from counterplay.opponents.histories.amounts import MONEY, amount, currency
from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    Act,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
    cards_in,
    readable,
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
            _stakes(text, line, table)
        elif stated := _PLAYERS.fullmatch(row):
            players = int(stated[1])
        elif not (_after(text, line, row) if ended else _play(text, line, row)):
            text.skip(line, row)
    if not text.big:
        raise HandError("game", "the text does not state a game of no-limit hold'em", first)
    if players and players != len(text.names):
        raise HandError("players", f"{players} players in the round, and {len(text.names)} in the list", first)
    text.dealt = set(text.names.values()) if players else set()


def _stakes(text: HandText, line: int, table: re.Match[str]) -> None:
    if table[1] != "NO_LIMIT TEXAS_HOLDEM":
        raise HandError("game", f"{table[1]!r}: only no-limit hold'em is read, in English", line)
    text.small, text.big = amount(table[2]), amount(table[3])
    text.ante = amount(table[4]) if table[4] else 0
    text.currency = "" if "TC" in table[5] else currency(table[3])


def _play(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " ", _act)
    if named:
        return True
    if street := _STREET.fullmatch(row):
        last = next((told.cards for told in reversed(text.actions) if told.seat < 0), ())
        if last != cards_in(street[2], line):  # the same street again is how the site shows that players are all-in
            text.deal(line, street[2], street=street[1])
    elif row.startswith("--- Dealing"):
        raise HandError("cards", f"{row[:40]!r} does not state the cards", line)
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row.startswith("Seat ") and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]))
    elif row.startswith("Dealing to ") and row.rfind(": [") > 10:
        text.show(line, text.seat(line, row[11 : row.rfind(": [")]), row[row.rfind(": [") + 2 :])
    else:
        if named is None:
            text.check_name(line, row, (_ACTION, _POST))
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        word, chips, to, full = action.groups()
        letter = Act.WORDS[word]
        if (chips is None) != (letter in (Act.FOLD, Act.CHECK)) or (to is None) != (letter != Act.RAISE):
            return False
        text.actions.append(
            TextAction(line, seat, letter, amount(chips) if chips else -1, -1, amount(to) if to else -1, bool(full))
        )
        return True
    if post := _POST.fullmatch(rest):
        text.posts.append(TextPost(line, seat, _POSTS[post[1]], amount(post[2])))
        return True
    return False


def _after(text: HandText, line: int, row: str) -> bool:
    if pot := _POT.fullmatch(row):
        text.parts = line, amount(pot[1]) + (text.parts[1] if text.parts else 0)
        for name, chips in _winners(text, line, pot[2]):
            text.collected.append(StatedAmount(line, text.seat(line, name), chips))
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


def _winners(text: HandText, line: int, row: str) -> list[tuple[str, int]]:
    """Names and wins of a list such as `ann ($1), bob ($2)`."""
    found, at = list[tuple[str, int]](), 0
    while at < len(row):
        winner = _WINNER.match(row, at)
        if winner is None or winner[1] not in text.names:
            raise HandError("result", f"winners that are not understood: {row[:60]!r}", line)
        found.append((winner[1], amount(winner[2])))
        at = winner.end()
    return found
