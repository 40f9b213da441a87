"""Lines of texts that deal streets by their names: of PartyPoker's client, of the texts that it sends by mail, which end
with a summary, and of the Ongame network.
"""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    LONGEST,
    MONEY,
    HandText,
    Post,
    StatedAmount,
    amount,
    cards_in,
    currency,
    other_game,
)  # fmt: skip
from counterplay.opponents.histories.sites import site_lines as s

PARTYPOKER = r"\*{5} Hand History [Ff]or Game "
_NUMBER = re.compile(r"\*{5} Hand History [Ff]or Game (\w+)")
_GAME = re.compile(r"(?<!\w)NL +Texas Hold'em")
_STAKES = re.compile(rf"({MONEY})/({MONEY})(?: [A-Z]{{3}})? +NL +Texas")
_BLINDS = re.compile(rf"Blinds(?:-Antes)? ?\(({MONEY})/({MONEY})(?: ?- ?({MONEY}))?\)")
_MAILED = re.compile(rf"({MONEY})/({MONEY}) +(?:Tourney )?Texas Hold'?em Game Table \((\w+)\).*")


def _sit(text: HandText, line: int, seat: int, number: str, name: str, chips: str) -> None:
    s.sit(text, line, seat, number, name, chips)
    text.currency = text.currency or currency(chips)


def _wins(text: HandText, line: int, seat: int, row: str) -> bool:
    """State wins of several players in one line, which some clients do not end before the next player's."""
    for name, other in text.names.items():
        if (at := row.find(f".{name} wins ") + 1) > 0:
            rest = row[at + len(name) + 1 :]
            return s.state(text, line, row[:at], _ACTS, seat) and s.state(text, line, rest, _ACTS, other)
    return s.state(text, line, row, _WON, seat)


def _out(text: HandText, line: int, seat: int) -> None:  # noqa: ARG001
    text.out[seat] = True


def _balance(
    text: HandText, line: int, seat: int, end: str, out: str | None, put: str | None, won: str | None, cards: str | None
) -> None:
    """State the stack at the end, chips put in, chips collected and cards of the summary."""
    s.final(text, line, seat, end)
    if out:
        text.out[seat] = True
        return
    text.dealt.add(seat)
    text.bets.append(StatedAmount(line, seat, amount(put) if put else 0))
    if won:
        s.collect(text, line, seat, won)
    if cards:
        text.show(line, seat, cards)


_WINS = rf"wins ({MONEY})(?: chips)?(?: from (?:the )?((?:main|side) pot(?: \d+)?))?(?: with .*)?\.?"
_WON = s.LineTable((s.collect, _WINS))
_CHIPS = rf" *[\[(] *({MONEY}) *[\])]\.?"
_ACTS = s.LineTable(
    (s.act, r"(folds|checks|is all-In)\.?"),
    (s.act, r"(calls|bets|raises|is all-In)" + _CHIPS),
    (s.raise_to, rf"raises ({MONEY}) to ({MONEY})"),
    (s.post, r"posts (small blind|big blind|big blind \+ dead|ante|straddle)(?: of)?" + _CHIPS),
    (_wins, r"(wins .*\..+ wins .*)"),
    (s.collect, _WINS),
    (s.show, r"(?:shows|doesn't show) *\[([^\]]*)\].*"),
    (_balance, rf"balance ({MONEY}), (?:(sits out)|didn't bet|(?:lost|bet) ({MONEY})"
               rf"(?:, collected ({MONEY}), net [+-]?{MONEY})?)(?: \(folded\))?(?: ?\[([^\]]*)\].*)?"),
    (_out, r"(?:is sitting out|has left the table)\.?"),
    (s.skip, "does not show.*"),
)  # fmt: skip
_LINES = s.SiteLines(
    mark=" ",
    acts=_ACTS,
    rows=s.LineTable(
        (s.deal_street, r"\*\* Dealing (Flop|Turn|River) \*\* *:? *\[([^\]]*)\]"),
        (s.NO_CARDS, r"(\*\* Dealing (?:Flop|Turn|River).*)"),
        (s.button, r"(?:Table .* -- )?Seat (\d{1,2}) is the button"),
        (_sit, rf"[Ss]eat ?(\d{{1,2}}): (.+) \( *({MONEY}) *\)(?: - VPIP.*)?"),
        (s.pot(f": ({MONEY})"), rf"Main Pot()(: {MONEY}(?: Side Pot \d+: {MONEY})*)((?: Rake: {MONEY})?)"),
        (s.board, r"Board: \[([^\]]*).*"),
        (s.of_player(s.show), r"Dealt to (.+) (\[.*)"),
    ),
)  # fmt: skip


def read_partypoker(text: HandText, lines: list[str], first: int) -> None:
    number = _NUMBER.match(lines[0])
    text.number, text.wins_include_uncalled = number[1] if number else "", True
    text.late_small_is_live = text.lists_all_folds = True
    game = False
    for line, row in enumerate(lines[1:], first + 1):
        if len(row) > LONGEST:
            continue
        if mailed := None if game else _MAILED.fullmatch(row):
            if mailed[3] != "NL":
                raise other_game(mailed[3], line)
            game = True
            text.small, text.big = amount(mailed[1]), amount(mailed[2])
        elif (not game and "Texas Hold'em" in row) or "Omaha" in row or "Stud" in row:
            if not _GAME.search(row):
                raise other_game(row, line, words=6)
            game = True
            if stakes := _STAKES.search(row):
                text.small, text.big = amount(stakes[1]), amount(stakes[2])
            if "Trny" in row or "Buy-in" in row or "Tourney" in row:
                text.implied_blinds, text.rake = True, (line, 0)
                if blinds := _BLINDS.search(row):
                    text.stakes(blinds[1], blinds[2], blinds[3])
            else:
                text.currency = currency((stakes[2] if stakes else row.split(" USD")[0].split(" EUR")[0]).strip())
        elif row.startswith("Blinds") and (blinds := _BLINDS.match(row)):
            text.stakes(blinds[1], blinds[2], blinds[3])
    if not game:
        raise HandError("game", "the text does not state a game of no-limit hold'em", first)
    s.read_lines(text, lines, first, _LINES)
    text.implied_blinds &= all(post.kind == Post.ANTE for post in text.posts)


ONGAME = r"\*{5} History for hand "
_ONGAME_NUMBER = re.compile(r"\*{5} History for hand ([\w-]+)")
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


_ONGAME_LINES = s.SiteLines(
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


def read_ongame(text: HandText, lines: list[str], first: int) -> None:
    number = _ONGAME_NUMBER.match(lines[0])
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
    s.read_lines(text, lines, first, _ONGAME_LINES)
    if players and players != len(text.names):
        raise HandError("players", f"{players} players in the round, and {len(text.names)} in the list", first)
    text.dealt = set(text.names.values()) if players else set()
