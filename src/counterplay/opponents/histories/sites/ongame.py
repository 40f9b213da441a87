"""Lines of texts of the Ongame network."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import MONEY, HandText, amount, cards_in, currency, other_game
from counterplay.opponents.histories.sites import site_lines as s

BEGIN = r"\*{5} History for hand "
_NUMBER = re.compile(r"\*{5} History for hand ([\w-]+)")
_TABLE = re.compile(rf"Table: .*\(([A-Z_ ]+?) ({MONEY})/({MONEY})(?:,? ante: ({MONEY}))?,? ?([A-Za-z ]*)\)")
_PLAYERS = re.compile(r"Players in round: (\d{1,2})\b.*")
_WINNER = re.compile(rf"(.+?) \(({MONEY})\)(?:, |$)")


def _deal(text: HandText, line: int, seat: int, street: str, cards: str) -> None:
    """State a street; the same street again is how the site shows that players are all-in."""
    last = next((action.cards for action in reversed(text.actions) if action.seat < 0), ())
    if last != cards_in(cards, line):
        s.deal_street(text, line, seat, street, cards)


def _pot(text: HandText, line: int, _: int, chips: str, winners: str) -> None:
    """State a pot and a list of its winners such as `ann ($1), bob ($2)`."""
    text.parts = line, amount(chips) + (text.parts[1] if text.parts else 0)
    at = 0
    while at < len(winners):
        winner = _WINNER.match(winners, at)
        if winner is None or winner[1] not in text.names:
            raise HandError("result", f"winners that are not understood: {winners[:60]!r}", line)
        s.collect(text, line, text.names[winner[1]], winner[2])
        at = winner.end()


def _final(text: HandText, line: int, seat: int, chips: str, cards: str | None) -> None:
    """State a stack at the end, and cards."""
    s.final(text, line, seat, chips)
    if cards:
        text.show(line, seat, cards)


_LINES = s.SiteLines(
    mark=" ",
    acts=s.LineTable(
        (s.act, r"(folds|checks)(?: \[all in\])?"),
        (s.act, rf"(calls|bets) ({MONEY})( \[all in\])?"),
        (s.raise_to, rf"raises ({MONEY}) to ({MONEY})( \[all in\])?"),
        (s.post, rf"posts (small blind|big blind|dead blind|ante) \(?({MONEY})\)?(?: \[all in\])?"),
    ),
    rows=s.LineTable(
        (_deal, r"--- Dealing (flop|turn|river) \[([^\]]*)\]"),
        (s.NO_CARDS, "(--- Dealing.*)"),
        (s.button, r"Button: seat (\d{1,2})"),
        (s.sit, rf"Seat (\d{{1,2}}): (.+) \(({MONEY})\).*"),
        (s.of_player(s.show), r"Dealing to (.+): (\[.*)"),
    ),
    end="Summary:",
    summary=s.LineTable(
        (_pot, rf"(?:Main|Side) pot(?: \d+)?: ({MONEY}) won by (.+)"),
        (s.pot(": (.*)"), rf"Rake taken()()(: {MONEY})"),
        (s.of_player(_final), rf"Seat \d{{1,2}}: (.+) \(({MONEY})\)(?:[^\[]+\[([^\]]*)\])?.*"),
    ),
)  # fmt: skip


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    number = _NUMBER.match(lines[0])
    text.number = number[1] if number else ""
    text.states_rake, players = True, 0
    for line, row in enumerate(lines[1:], first + 1):
        if table := row.startswith("Table: ") and _TABLE.fullmatch(row):
            if table[1] != "NO_LIMIT TEXAS_HOLDEM":
                raise other_game(table[1], line)
            text.stakes(table[2], table[3], table[4])
            text.currency = "" if "TC" in table[5] else currency(table[3])
        elif stated := _PLAYERS.fullmatch(row):
            players = int(stated[1])
    if not text.big:
        raise HandError("game", "the text does not state a game of no-limit hold'em", first)
    s.read_lines(text, lines, first, _LINES)
    if players and players != len(text.names):
        raise HandError("players", f"{players} players in the round, and {len(text.names)} in the list", first)
    text.dealt = set(text.names.values()) if players else set()
