"""Lines of PartyPoker's texts: those of its client, and those that it sends by mail, which end with a summary."""

from __future__ import annotations

import re

from counterplay.opponents.histories.hand_record import HandError
from counterplay.opponents.histories.hand_text import (
    MONEY,
    Act,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    amount,
    currency,
    other_game,
    readable,
    street_without_cards,
)

BEGIN = r"\*{5} Hand History [Ff]or Game "
_NUMBER = re.compile(r"\*{5} Hand History [Ff]or Game (\w+)")
_GAME = re.compile(r"(?<!\w)NL +Texas Hold'em")
_STAKES = re.compile(rf"({MONEY})/({MONEY})(?: [A-Z]{{3}})? +NL +Texas")
_BLINDS = re.compile(rf"Blinds(?:-Antes)? ?\(({MONEY})/({MONEY})(?: ?- ?({MONEY}))?\)")
_MAILED = re.compile(rf"({MONEY})/({MONEY}) +(?:Tourney )?Texas Hold'?em Game Table \((\w+)\).*")
_BUTTON = re.compile(r"(?:Table .* -- )?Seat (\d{1,2}) is the button")
_SEAT = re.compile(rf"[Ss]eat ?(\d{{1,2}}): (.+) \( *({MONEY}) *\)(?: - VPIP.*)?")
_ACTION = re.compile(rf"(folds|checks|calls|bets|raises|is all-In)(?: *[\[(] *({MONEY}) *[\])])?\.?")
_RAISE = re.compile(rf"raises ({MONEY}) to ({MONEY})")
_POST = re.compile(
    rf"posts (small blind|big blind|big blind \+ dead|ante|straddle)(?: of)? *[\[(] *({MONEY}) *[\])]\.?"
)
_POSTS = {"small blind": Post.SMALL, "big blind": Post.BIG, "big blind + dead": Post.BOTH, "ante": Post.ANTE,
          "straddle": Post.STRADDLE}  # fmt: skip
_WON = re.compile(rf"wins ({MONEY})(?: chips)?(?: from (?:the )?((?:main|side) pot(?: \d+)?))?(?: with .*)?\.?")
_STREET = re.compile(r"\*\* Dealing (Flop|Turn|River) \*\* *:? *\[([^\]]*)\]")
_SHOWN = re.compile(r"(?:shows|doesn't show) *\[([^\]]*)\].*")
_OUT = re.compile(r"(?:is sitting out|has left the table)\.?")
_POTS = re.compile(rf"Main Pot: ({MONEY})((?: Side Pot \d+: {MONEY})*)(?: Rake: ({MONEY}))?")
_BALANCE = re.compile(rf"balance ({MONEY}), (?:(sits out)|didn't bet|(?:lost|bet) ({MONEY})(?:, collected ({MONEY}), net "
                      rf"[+-]?{MONEY})?)(?: \(folded\))?(?: ?\[([^\]]*)\].*)?")  # fmt: skip
_LETTERS = {**Act.WORDS, "is all-In": Act.ALL_IN}


def read_lines(text: HandText, lines: list[str], first: int) -> None:
    """The statements of a hand's lines. first: the number of the first line."""
    number = _NUMBER.match(lines[0])
    text.number, text.wins_include_uncalled = number[1] if number else "", True
    text.late_small_is_live = text.lists_all_folds = True
    game = False
    for line, row in readable(lines, first):
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
        else:
            for part in _parts(text, row) if " wins " in row else [row]:
                if not _read(text, line, part):
                    text.skip(line, part)
    text.implied_blinds &= all(post.kind == Post.ANTE for post in text.posts)
    if not game:
        raise HandError("game", "the text does not state a game of no-limit hold'em", first)


def _parts(text: HandText, row: str) -> list[str]:
    """A line of wins; some clients do not end it before the next player's."""
    for name in text.names:
        if (at := row.find(f".{name} wins ") + 1) > 0:
            return [*_parts(text, row[:at]), *_parts(text, row[at:])]
    return [row]


def _read(text: HandText, line: int, row: str) -> bool:
    named = text.read_named(line, row, " ", _act)
    if named:
        return True
    if street := _STREET.fullmatch(row):
        text.deal(line, street[2], street=street[1])
    elif row.startswith(("** Dealing Flop", "** Dealing Turn", "** Dealing River")):
        raise street_without_cards(line, row)
    elif button := _BUTTON.fullmatch(row):
        text.button = int(button[1])
    elif row[:4].lower() == "seat" and (seat := _SEAT.fullmatch(row)):
        text.sit(line, int(seat[1]), seat[2], amount(seat[3]))
        text.currency = text.currency or currency(seat[3])
    elif row.startswith("Main Pot") and (pots := _POTS.fullmatch(row)):
        text.parts = line, sum(map(amount, re.findall(rf": ({MONEY})", f": {pots[1]}{pots[2]}")))
        text.rake = line, amount(pots[3]) if pots[3] else 0
    elif row.startswith("Board: ["):
        text.board_in_brackets(line, row)
    elif not text.show_dealt(line, row, "Dealt to "):
        if named is None and ": " not in row:
            text.check_name(line, row, (_ACTION, _POST, _WON))
        return False
    return True


def _act(text: HandText, line: int, seat: int, rest: str) -> bool:
    if action := _ACTION.fullmatch(rest):
        letter, chips = _LETTERS[action[1]], action[2]
        if chips is None and letter == Act.ALL_IN and text.actions and text.actions[-1].seat == seat:
            text.actions[-1] = text.actions[-1]._replace(all_in=True)
        elif (chips is None) == (letter in Act.WITHOUT_CHIPS) or letter == Act.ALL_IN:
            text.actions.append(TextAction(line, seat, letter, amount(chips) if chips is not None else -1))
        else:
            return False
    elif rest.startswith("raises") and (raised := _RAISE.fullmatch(rest)):
        text.act(line, seat, Act.RAISE, raised[1], raised[2], False)
    elif post := _POST.fullmatch(rest):
        text.post(line, seat, _POSTS[post[1]], post[2])
    elif won := _WON.fullmatch(rest):
        text.collect(line, seat, won[1])
        text.won_pots |= {won[2]} - {None}
    elif shown := _SHOWN.fullmatch(rest):
        text.show(line, seat, shown[1])
    elif rest.startswith("balance") and (balance := _BALANCE.fullmatch(rest)):
        _balance(text, line, seat, balance)
    elif _OUT.fullmatch(rest):
        text.out[seat] = True
    else:
        return rest.startswith("does not show")
    return True


def _balance(text: HandText, line: int, seat: int, balance: re.Match[str]) -> None:
    """A player's line of the summary: the stack at the end, chips put in, chips collected, cards."""
    end, out, put, won, cards = balance.groups()
    text.finals.append(StatedAmount(line, seat, amount(end)))
    if out:
        text.out[seat] = True
        return
    text.dealt.add(seat)
    text.bets.append(StatedAmount(line, seat, amount(put) if put else 0))
    if won:
        text.collect(line, seat, won)
    if cards:
        text.show(line, seat, cards)
