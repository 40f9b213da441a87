"""One reader of all sites' lines: a site is tables of expressions with the statements that they make.

An expression fits a whole line, or all that follows a player's name. Its groups are the arguments of its statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from counterplay.opponents.histories.hand_record import Act, HandError
from counterplay.opponents.histories.hand_text import (  # fmt: skip
    LONGEST,
    MONEY,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
    amount,
)

Statement = Callable[..., object]
"""A function of a hand, a line's number, a seat (-1 if the line names none) and the groups of an expression. It returns
False if the line makes no sense there."""
_ACTS = {
    "folds": Act.FOLD, "checks": Act.CHECK, "calls": Act.CALL, "bets": Act.BET, "raises": Act.RAISE, "raises to": Act.RAISE,
    "all-in": Act.ALL_IN, "is all-in": Act.ALL_IN,
}  # fmt: skip
_POSTS = {
    "ante": Post.ANTE, "antes": Post.ANTE, "the ante": Post.ANTE, "small blind": Post.SMALL, "big blind": Post.BIG,
    "small & big blinds": Post.BOTH, "big blind + dead": Post.BOTH, "dead": Post.DEAD, "dead blind": Post.DEAD,
    "dead small blind": Post.DEAD, "missed blind": Post.DEAD, "straddle": Post.STRADDLE, "straddles": Post.STRADDLE,
    "": Post.STRADDLE, "posts": Post.OTHER,
}  # fmt: skip
_FOLDS = {
    "before flop": 0, "before the flop": 0, "on the pocket cards": 0, "on the flop": 1, "on the turn": 2, "on the river": 3,
    "didn't bet (folded)": 0,
}  # fmt: skip
_STREETS = ("flop", "turn", "river", "")


class LineTable:
    """Statements with their expressions, joined into one expression: the first that fits counts."""

    def __init__(self, *rows: tuple[Statement, str]) -> None:
        self.expression = re.compile("|".join([f"{expression}()" for _, expression in rows]))  # () tells which one fits
        self.rows, end = dict[int | None, tuple[Statement, slice]](), 0
        for statement, expression in rows:
            begin, end = end, end + 1 + re.compile(expression).groups
            self.rows[end] = statement, slice(begin, end - 1)
        self.match = lru_cache(maxsize=1 << 12)(self._match)  # lines recur

    def _match(self, row: str) -> tuple[Statement, tuple[str | None, ...]] | None:
        """The statement that fits a line, or the rest of one, and its groups; None if none does."""
        if (match := self.expression.fullmatch(row)) is None:
            return None
        statement, groups = self.rows[match.lastindex]
        return statement, match.groups()[groups]


class SiteLines(NamedTuple):
    """The tables of a site. acts: what may follow a player's name and `mark`. rows: other lines. end: the beginning of
    the line from which on lines are those of `summary`."""

    mark: str
    acts: LineTable
    rows: LineTable
    end: str = "\n"
    summary: LineTable = LineTable()


def read_lines(text: HandText, lines: list[str], first: int, site: SiteLines) -> None:
    """State the lines of a hand after its first one, whose number is `first`; those too long to read are passed over."""
    ended, marks = False, ("*** ", site.end)
    for line, row in enumerate(lines[1:], first + 1):
        if not row or len(row) > LONGEST:
            continue
        if row.startswith(marks):
            ended = row.startswith(site.end)
        named = None if ended else _named(text, line, row, site)
        if named or state(text, line, row, site.summary if ended else site.rows):
            continue
        if site.mark == " " and ": " in row:  # chat
            continue
        if not ended and named is None:
            # Reject a line that reads like an action of a player who is not listed.
            at = row.find(site.mark)
            while at > 0:
                match = site.acts.match(row[at + len(site.mark) :])
                if match is not None and match[0] in (act, raise_to, raise_over, post, collect):
                    raise HandError("players", f"{row[:at]!r} acts and is not in the list of players", line)
                at = row.find(site.mark, at + 1)
        if any(map(row.startswith, text.names)):
            text.unread = line, row


def state(text: HandText, line: int, row: str, table: LineTable, seat: int = -1) -> bool:
    """Make the statement of a line, or of its rest; return False if no expression fits."""
    match = table.match(row)
    return match is not None and match[0](text, line, seat, *match[1]) is not False


def _named(text: HandText, line: int, row: str, site: SiteLines) -> bool | None:
    """State a line that begins with a name; names may begin alike, so the longest that makes sense counts. Return whether
    one does; None if no name and mark stand there."""
    mark, at = site.mark, row.find(site.mark)
    if at == row.rfind(mark):  # a name ends nowhere else
        seat = text.names.get(row[: max(at, 0)])
        return None if seat is None else state(text, line, row[at + len(mark) :], site.acts, seat)
    names = [name for name in text.names if row.startswith(name) and row.startswith(mark, len(name))]
    names.sort(key=len, reverse=True)
    for name in names:
        if state(text, line, row[len(name) + len(mark) :], site.acts, text.names[name]):
            return True
    return False if names else None


def of_player(statement: Statement) -> Statement:
    """The statement about a player who is listed, whose name is the first group."""
    return lambda text, line, _, name, *groups: statement(text, line, text.seat(line, name), *groups)


def sit(text: HandText, line: int, _: int, number: str, name: str, chips: str, rest: str = "") -> bool:
    """List a seat, which may be out. After the first action no seats are listed."""
    if text.actions:
        return False
    text.sit(line, int(number), name, amount(chips), "sit" in rest.lower() or "out of hand" in rest)
    return True


def button(text: HandText, line: int, _: int, number: str) -> None:  # noqa: ARG001
    """State the seat on the button."""
    text.button = int(number)


def act(text: HandText, line: int, seat: int, word: str, added: str | None = None, full: str | None = None) -> None:
    """State an action by chips put in; those of `raises to` are all of the street. full: words for all-in."""
    letter, chips = _ACTS[word.lower()], -1 if added is None else amount(added)
    if letter == Act.ALL_IN and added is None and text.actions and text.actions[-1].seat == seat:
        text.actions[-1] = text.actions[-1]._replace(all_in=True)
    elif word == "raises to":
        text.actions.append(TextAction(line, seat, letter, -1, -1, chips, full is not None))
    else:
        text.actions.append(TextAction(line, seat, letter, chips, -1, -1, full is not None))


def raise_to(text: HandText, line: int, seat: int, added: str, to: str, full: str | None = None) -> None:
    """State a raise by chips put in, and all chips of the street."""
    text.actions.append(TextAction(line, seat, Act.RAISE, amount(added), -1, amount(to), full is not None))


def raise_over(text: HandText, line: int, seat: int, over: str, to: str, full: str | None = None) -> None:
    """State a raise by chips beyond the bet faced, and all chips of the street."""
    text.actions.append(TextAction(line, seat, Act.RAISE, -1, amount(over), amount(to), full is not None))


def post(text: HandText, line: int, seat: int, word: str, chips: str, dead: str | None = None) -> None:
    """State a post, and a dead blind beside it."""
    text.posts.append(TextPost(line, seat, _POSTS[word.lower()], amount(chips)))
    if dead is not None:
        text.posts.append(TextPost(line, seat, Post.DEAD, amount(dead)))


def collect(text: HandText, line: int, seat: int, chips: str, pot: str | None = None) -> None:
    """State a win, maybe of a pot that has a name."""
    text.collected.append(StatedAmount(line, seat, amount(chips)))
    if pot is not None:
        text.won_pots.add(pot)


def amount_of(name: str) -> Statement:
    """The statement of an amount that concerns a seat, in a list of a hand."""
    return lambda text, line, seat, chips: getattr(text, name).append(StatedAmount(line, seat, amount(chips)))


give_back, win, final = amount_of("returned"), amount_of("wins"), amount_of("finals")
show: Statement = HandText.show


def give_back_to(text: HandText, line: int, _: int, chips: str, name: str) -> None:
    """State an uncalled bet, and to whom it is returned."""
    give_back(text, line, text.seat(line, name), chips)


def fold(text: HandText, line: int, seat: int, street: str) -> None:
    """State the street of a fold."""
    text.folds.append(StatedAmount(line, seat, _FOLDS[street.lower()]))


def deal(text: HandText, line: int, _: int, before: str | None, cards: str, pot: str | None = None) -> None:
    """State the cards of a street, with those before it and the pot."""
    text.deal(line, cards, amount(pot) if pot else -1)
    if before:
        text.board(line, before, whole=False)


def deal_street(text: HandText, line: int, _: int, street: str, cards: str) -> None:
    """State the cards of a street by its name."""
    if street.lower() != _STREETS[min(sum([action.seat < 0 for action in text.actions]), 3)]:
        raise HandError("cards", f"the {street.lower()} is out of its order", line)
    text.deal(line, cards)


def board(text: HandText, line: int, _: int, cards: str) -> None:
    """State the whole board."""
    text.board(line, cards, whole=True)


def pot(amounts: str = rf" ({MONEY})\.?(?= |$)") -> Statement:
    """The statement of a total pot, its parts and rakes; a group is empty where a site does not state one. amounts:
    expression for those of parts and rakes."""
    each = re.compile(amounts)

    def stated(text: HandText, line: int, _: int, total: str | None, parts: str | None, rakes: str | None) -> None:
        if total:
            text.pot = line, amount(total)
        if parts:
            text.parts = line, sum(map(amount, each.findall(parts)))
        if rakes is not None:
            text.rake = line, sum(map(amount, each.findall(rakes)))

    return stated


def summary_seat(*rows: tuple[Statement, str]) -> Statement:
    """The statement of a line of the summary such as `Seat 3: ann folded`: that of each expression, wherever its rest has
    it. Another seat or name than in the list of players is an error."""
    parts = [(statement, re.compile(expression)) for statement, expression in rows]

    @lru_cache(maxsize=1 << 12)
    def matches(rest: str) -> list[tuple[Statement, tuple[str | None, ...]]]:
        found = [(statement, match.groups()) for statement, each in parts for match in each.finditer(rest)]
        return next(([one] for one in found if one[0] is fold), found)  # who folded shows and wins nothing

    def stated(text: HandText, line: int, _: int, number: str, rest: str | None) -> None:
        if not number.isdecimal() or len(number) > 2 or int(number) not in text.numbers:
            raise HandError("players", f"seat {number[:8]} is not in the list of players", line)
        seat = text.numbers.index(int(number))
        name = list(text.names)[seat]
        if rest is None or not rest.startswith(name):
            raise HandError("players", f"seat {number} is {name!r} in the list of players", line)
        text.dealt.add(seat)
        for statement, groups in matches(rest[len(name) :]):
            statement(text, line, seat, *groups)

    return stated


SUMMARY_SEAT = r"Seat (.*?)(?:: (.*))?"
"""The expression of `summary_seat`."""


def refuse(kind: str, about: str) -> Statement:
    """The statement of a line that no hand may have. about: one sentence, with `{row}` for the line, a group."""

    def stated(text: HandText, line: int, seat: int, row: str = "") -> None:  # noqa: ARG001
        raise HandError(kind, about.format(row=repr(row[:60])), line)

    return stated


def skip(text: HandText, line: int, seat: int) -> None:
    """State nothing."""


NO_CARDS = refuse("cards", "{row} does not state the cards")
NO_POT = refuse("format", "the line of the total pot is not understood")
RUN_TWICE = refuse("game", "the board is run more than once, which the records do not hold")
