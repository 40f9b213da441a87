"""XML files of the iPoker network: a session with one element per hand. Documents with a DTD or entities are refused."""

from __future__ import annotations

import re
from xml.parsers import expat

from counterplay.opponents.histories.hand_record import Act, HandError
from counterplay.opponents.histories.hand_text import (
    MONEY,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
    amount,
    currency,
    other_game,
)

VENUE = "iPoker Network"
BEGIN = r"<game\s[^>]{0,200}\bgamecode\s*="
_TYPE = re.compile(r"<gametype>([^<]{0,200})</gametype>")
_GAME = re.compile(r"Hold'?em\b.*\b(NL|SL|БЛ|No ?limit)\b", re.IGNORECASE)
_STAKES = re.compile(rf"({MONEY})/({MONEY})")
_CARD = re.compile(r"([SHDC])(10|[2-9JQKAT])")
_LETTERS = {"0": Act.FOLD, "3": Act.CALL, "4": Act.CHECK, "5": Act.BET, "7": Act.ALL_IN, "23": Act.RAISE}
_POSTS = {"1": Post.SMALL, "2": Post.BIG, "15": Post.ANTE}
_DECLARATIONS = "the hand stands outside of a session, or in a file that declares a document type or entities"
_PASSED_OVER = {"8", "9"}
"""Sitting out."""
_DEALS = {"Flop", "Turn", "River"}


def declares(text: str) -> bool:
    """Return whether a text declares a document type or an entity."""
    return "<!DOCTYPE" in text or "<!ENTITY" in text


def read_game(text: HandText, game: str, session: str, first: int) -> None:
    """The statements of a `game` element (from `<game` on). session: what stands before the first game of its session; ""
    if that may not be read. first: number of the first line."""
    if not session:
        raise HandError("format", _DECLARATIONS, first)
    kind = _TYPE.search(session) or _TYPE.search(game)
    if kind is None or not _GAME.search(kind[1]) or re.search(r"six|6\+|short", kind[1], re.IGNORECASE):
        raise other_game(kind[1] if kind else "", first)
    if stakes := _STAKES.search(kind[1]):
        text.small, text.big = amount(stakes[1]), amount(stakes[2])
        text.currency = currency(stakes[2])
    text.wins_include_uncalled, text.lists_dead_button = True, False
    end = game.find("</game>")
    if end < 0:
        raise HandError("unfinished", "the element of the hand is not closed", first)
    _Game(text, first).parse(game[: end + len("</game>")])


class _Game:
    """The handlers of a parser, which gather the rows of the rounds: actions are ordered by their numbers."""

    def __init__(self, text: HandText, first: int) -> None:
        self._text, self._first = text, first
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._finish
        self._parser.CharacterDataHandler = self._data
        self._actions: list[tuple[int, int, dict[str, str]]] = []
        self._cards: dict[str, str] | None = None
        self._words = ""

    def parse(self, game: str) -> None:
        try:
            self._parser.Parse(game, True)
        except expat.ExpatError as error:
            raise HandError("format", f"this is not XML: {expat.ErrorString(error.code)}",
                            self._first + error.lineno - 1) from None  # fmt: skip

    @property
    def _line(self) -> int:
        return self._first + self._parser.CurrentLineNumber - 1

    def _refuse(self, *_: object) -> None:
        raise HandError("format", _DECLARATIONS, self._line)

    def _start(self, name: str, fields: dict[str, str]) -> None:
        line = self._line
        if name == "game":
            self._text.number = fields.get("gamecode", "")
        elif name == "player":
            text, seat = self._text, fields.get("seat", "")
            if not {"name", "chips"} <= set(fields) or not seat.isdecimal() or len(seat) > 2:
                raise HandError("format", "a player needs a seat, a name and chips", line)
            text.sit(line, int(seat), fields["name"], amount(fields["chips"]))
            if fields.get("dealer") == "1":
                text.button = int(seat)
            seat_number = text.names[fields["name"]]
            if win := amount(fields.get("win") or "0"):
                text.collected.append(StatedAmount(line, seat_number, win))
            if "bet" in fields and "win" in fields:
                text.bets.append(StatedAmount(line, seat_number, amount(fields["bet"])))
        elif name == "action":
            number = fields.get("no", "")
            if not number.isdecimal() or len(number) > 6:
                raise HandError("format", f"{number[:20]!r} is not the number of an action", line)
            self._actions.append((int(number), line, fields))
        elif name == "cards":
            self._cards, self._words = fields, ""
        elif name == "round":
            self._actions = []

    def _data(self, words: str) -> None:
        if self._cards is not None:
            self._words += words

    def _finish(self, name: str) -> None:
        if name == "cards" and self._cards is not None:
            cards = " ".join(rank + suit.lower() for suit, rank in _CARD.findall(self._words))
            if self._cards.get("type") in _DEALS:
                self._text.deal(self._line, cards)
            elif self._cards.get("type") == "Pocket":
                seat = self._text.seat(self._line, self._cards.get("player", ""))
                self._text.dealt.add(seat)
                if cards:
                    self._text.show(self._line, seat, cards)
            self._cards = None
        elif name == "round":
            for _, line, fields in sorted(self._actions, key=lambda one: one[0]):
                self._act(line, fields)

    def _act(self, line: int, fields: dict[str, str]) -> None:
        text, kind = self._text, fields.get("type", "")
        if kind in _PASSED_OVER:
            return
        seat, chips = text.seat(line, fields.get("player", "")), amount(fields.get("sum") or "0")
        if kind in _POSTS:
            both = kind == "2" and text.small > 0 and chips == text.small + text.big
            text.posts.append(TextPost(line, seat, Post.BOTH if both else _POSTS[kind], chips))
        elif kind in _LETTERS:
            letter = _LETTERS[kind]
            added = chips if letter in (Act.CALL, Act.BET, Act.ALL_IN) else -1
            text.actions.append(TextAction(line, seat, letter, added, -1, chips if letter == Act.RAISE else -1))
        else:
            raise HandError("format", f"{kind[:20]!r} is not a type of action that is known", line)
