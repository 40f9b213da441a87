"""Poker hand histories in PHH (Kim 2023): one hand in a `.phh` file, TOML tables [1], [2], ... in a `.phhs` file.

Heads-up, `players[0]` is the big blind, and `blinds_or_straddles` still begins with the small one. Amounts are decimals,
kept exactly as whole numbers of the hand's smallest chip. Results are those of the replay: `finishing_stacks` must agree
with it, and so must `winnings`, which many sites leave at 0. Hands of more seats go through the machine of `table_replay`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_record import (
    Act,
    FileLine,
    HandError,
    HandStep,
    HoldemHand,
    LeftOut,
    ReadHand,
    read_pieces,
)
from counterplay.opponents.histories.hand_text import (
    ONE,
    PLACES,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
    money,
)
from counterplay.opponents.histories.replay import check_cards, packed_cards, read_cards, replay, settle, steps_of
from counterplay.opponents.histories.table_hand import hand_of, scale_of
from counterplay.poker.betting.line_notation import BettingLine
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT

_TABLE = re.compile(r"^\[(\d+)\][ \t]*\r?$", re.MULTILINE)
_KEY = re.compile(r"^(?:variant|actions)\s*=", re.MULTILINE)
_PLAYER = re.compile(r"p\d{1,2}")
_NO_LIMIT = "NT"
_STAKES = ("starting_stacks", "blinds_or_straddles", "antes")
_LINE = re.compile(r"^([A-Za-z_]+) = (.*)$", re.MULTILINE)
_NUMBERS = re.compile(r"\[(?:-?\d+(?:\.\d+)?(?:, -?\d+(?:\.\d+)?)*)?\]")
_TEXTS = re.compile(r"\['[^'\n]*'(?:, '[^'\n]*')*\]")
_TEXT = re.compile(r"'[^'\n]*'")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PLAIN = (
    "variant", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions", "players", "hand", "venue",
    "currency", "currency_symbol", "finishing_stacks", "winnings",
)  # fmt: skip
"""The fields that are used."""


class PHH:
    endings = (".phh", ".phhs")
    about = "poker hand histories (PHH), one hand or many"

    def recognises(self, head: str) -> bool:
        return _KEY.search(head) is not None

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[ReadHand | LeftOut]:  # noqa: ARG002
        return read_pieces(_tables(text), file, lambda table, place: _hand(read_table(table), place))

    def write(self, hands: Sequence[HoldemHand]) -> str:
        return "\n".join(f"[{number}]\n{_table(hand)}" for number, hand in enumerate(hands, 1))


def _tables(text: str) -> Iterator[tuple[int, str]]:
    """The tables of a file, each with the number of its first line; a `.phh` file is one table without a name."""
    marks = list(_TABLE.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        yield 1, text if not marks else text[: marks[0].start()]
    line, at = 1, 0
    for mark, after in zip(marks, [*marks[1:], None][: len(marks)], strict=True):
        line += text.count("\n", at, mark.start())
        at = mark.start()
        yield line, text[mark.end() : len(text) if after is None else after.start()]


def _hand(table: dict[str, Any], place: FileLine) -> ReadHand:
    """The hand of a table; players are listed in the order of the deal."""
    if table.get("variant") != _NO_LIMIT:
        raise HandError("game", f"variant {table.get('variant')!r} is not {_NO_LIMIT}, no-limit hold'em")
    stacks, blinds, antes = (list(map(_units, _listed(table, name))) for name in _STAKES)
    names = table.get("players") or [f"p{k + 1}" for k in range(len(stacks))]
    if not len(stacks) == len(blinds) == len(antes) == len(names):
        raise HandError(
            "players", f"{len(stacks)} stacks, {len(blinds)} blinds, {len(antes)} antes and {len(names)} players"
        )
    if len(set(names)) < len(names):
        raise HandError("players", "two players need two names")
    venue, number = (str(table.get("venue", "")), str(table["hand"])) if "hand" in table else ("", "")
    currency = str(table.get("currency") or table.get("currency_symbol") or "")
    text = HandText(venue, number, currency, button=len(stacks))
    for k, (name, chips) in enumerate(zip(names, stacks, strict=True)):
        text.sit(0, k + 1, str(name), chips)
    for action in _listed(table, "actions"):
        word = str(action).partition("#")[0].split()
        seat = int(word[0][1:]) - 1 if word and _PLAYER.fullmatch(word[0]) else -1
        if seat >= len(text.names):
            raise HandError("players", f"{word[0]!r} is not among {len(text.names)} players")
        match word:
            case ["d", "db", cards]:
                text.actions.append(TextAction(0, -1, Act.DEAL, cards=read_cards(cards)))
                if not text.actions[-1].cards:
                    raise HandError("cards", "a card of the board is hidden")
            case ["d", "dh", who, cards] if _PLAYER.fullmatch(who) and 0 < int(who[1:]) <= len(text.names):
                text.show(0, int(who[1:]) - 1, cards)
            case [_, "sm", cards] if seat >= 0:
                text.show(0, seat, "" if cards == "-" else cards)
            case [_, "sm"] if seat >= 0:
                pass
            case [_, "f"] if seat >= 0:
                text.actions.append(TextAction(0, seat, Act.FOLD))
            case [_, "cc"] if seat >= 0:
                text.actions.append(TextAction(0, seat, Act.CHECK_CALL))
            case [_, "cbr", to] if seat >= 0:
                text.actions.append(TextAction(0, seat, Act.RAISE, to=_units(to)))
            case []:
                pass
            case _:
                raise HandError("format", f"{' '.join(word)[:80]!r} is not an action of a hand")
    if len(stacks) == 2:
        return _heads_up(table, text, blinds, antes, place)
    for k, (ante, chips) in enumerate(zip(antes, blinds, strict=True)):
        if ante:
            text.posts.append(TextPost(0, k, Post.ANTE, ante))
        if chips:
            kind = (Post.SMALL, Post.BIG)[k] if k < 2 else Post.OTHER if chips <= blinds[1] else Post.STRADDLE
            text.posts.append(TextPost(0, k, kind, min(chips, text.stacks[k] - ante)))
    text.small, text.big = blinds[:2] if len(blinds) > 1 else (0, 0)
    if "winnings" in table:
        text.collected = [one for one in _stated(table, "winnings") if one.amount]
    if "finishing_stacks" in table:
        text.finals = _stated(table, "finishing_stacks")
    return hand_of(text, place)


def _heads_up(
    table: dict[str, Any], text: HandText, blinds: list[int], antes: list[int], place: FileLine
) -> HoldemHand:
    """The hand of two players: the blinds are listed as at other tables, though the first player posts the big one."""
    (small, big), least = blinds, _units(table.get("min_bet", 0))
    if not 0 < small <= big or antes[0] != antes[1] or min(antes) < 0:
        one, two, three, four = map(money, (small, big, *antes))
        raise HandError("stakes", f"blinds {one} and {two}, antes {three} and {four} are not those of a heads-up hand")
    if min(text.stacks) <= antes[0] or least <= 0:
        raise HandError("stakes", f"stacks of {' and '.join(map(money, text.stacks))}")
    raised = [action.to for action in text.actions if action.letter == Act.RAISE]
    scale = scale_of([*text.stacks, *blinds, *antes, least, *raised])
    first, second = text.stacks
    rules = BettingRules(
        (first // scale, second // scale), blinds=(big // scale, small // scale), ante=antes[0] // scale,
        min_bet=least // scale, unit=scale / ONE,
    )  # fmt: skip
    steps = [HandStep(seat, Act.CALL if letter == Act.CHECK_CALL else letter, to // scale if seat >= 0 else len(cards))
             for _, seat, letter, _, _, to, _, cards in text.actions]  # fmt: skip
    line = replay(rules, steps)
    holes, board = (text.holes.get(0, ()), text.holes.get(1, ())), sum([action.cards for action in text.actions], ())
    check_cards(line, holes, board)
    won = settle(rules, line, holes, board, _winner(rules, line, table.get("winnings"), scale))
    if "finishing_stacks" in table:
        # Reject stacks at the end that the betting does not lead to.
        ends = [_units(chips) / ONE for chips in _listed(table, "finishing_stacks")]
        if len(ends) != 2:
            raise HandError("format", f"finishing_stacks has {len(ends)} amounts")
        changes = [end - rules.chips(begin) for end, begin in zip(ends, rules.stacks, strict=True)]
        allowed = sum(changes) <= rules.unit / 2.0
        if won is not None:
            for change, due in zip(changes, (won, -won), strict=True):
                allowed &= change - due <= rules.unit / 2.0 and (due >= 0.0 or due - change <= rules.unit / 2.0)
        if not allowed:
            raise HandError("result", f"finishing stacks of {ends[0]:g} and {ends[1]:g} do not follow from the betting")
    one, two = text.names
    key = f"{text.site} {text.number}" if "hand" in table else ""
    return HoldemHand((one, two), rules, line, holes, board, won, text.currency, key, place)


def _winner(rules: BettingRules, line: BettingLine, winnings: Any, scale: int) -> float | None:
    """Chips that seat 0 won, by the winnings stated; None where nobody has any, as on sites that do not state them."""
    if not isinstance(winnings, list) or len(winnings) != 2:
        return None
    first, second = map(_units, winnings)
    stake = min(line.end.put)
    most = max(line.steps[-1].state.put) + stake if line.steps else 2 * stake
    if first < 0 or second < 0 or first + second > most * scale:
        raise HandError(
            "result", f"winnings of {money(first)} and {money(second)} in a pot of {money(2 * stake * scale)}"
        )
    return rules.chips(stake) * ((first > 0) - (second > 0)) if first or second else None


def _listed(table: dict[str, Any], name: str) -> list[Any]:
    values = table.get(name)
    if not isinstance(values, list):
        raise HandError("format", f"{name} is missing or is no list")
    return values


def _stated(table: dict[str, Any], name: str) -> list[StatedAmount]:
    return [StatedAmount(0, k, _units(chips)) for k, chips in enumerate(_listed(table, name))]


@lru_cache(maxsize=4096)  # blinds and stacks are the same in hand after hand
def _units(amount: str | float) -> int:
    """An amount in ten-thousandths."""
    whole, _, part = str(amount).partition(".")
    part = part.rstrip("0")
    if len(part) > PLACES:
        raise HandError("stakes", f"amounts with more than {PLACES} decimals")
    digits = whole.lstrip("+").replace("_", "") + part.ljust(PLACES, "0")
    if not digits.removeprefix("-").isdecimal() or len(digits) > 15:
        raise HandError("format", f"{str(amount)[:20]!r} is not an amount")
    return int(digits)


def _table(hand: HoldemHand) -> str:
    """A hand as a table, without its name."""
    rules = hand.rules
    if rules.bets is not None or rules.first or rules.last != 3 or rules.pot or len(hand.deck.cards) != 52:
        raise InputError("PHH holds no-limit hold'em from the deal to the river on a full deck here")
    big, small = (rules.chips(units) for units in rules.blinds)
    actions = [f"d dh p{seat + 1} {packed_cards(hole) or '????'}" for seat, hole in enumerate(hand.holes)]
    dealt = 0
    for seat, letter, number in steps_of(hand.line):
        if letter == Act.DEAL:
            actions.append(f"d db {packed_cards(hand.board[dealt : dealt + number])}")
            dealt += number
        else:
            raised = f"cbr {rules.chips(number):.12g}"
            actions.append(f"p{seat + 1} {'f' if letter == Act.FOLD else 'cc' if letter == Act.CALL else raised}")
    if hand.line.end.kind is Kind.SHOWDOWN:
        ends = [end for end in DEALT if end > dealt]
        for begin, end in zip([dealt, *ends], ends, strict=False):
            actions.append(f"d db {packed_cards(hand.board[begin:end])}")
        actions += [f"p{seat + 1} sm {packed_cards(hole) or '????'}" for seat, hole in enumerate(hand.holes)]
    fields = {
        "variant": _NO_LIMIT, "antes": [rules.chips(rules.ante)] * 2, "blinds_or_straddles": [small, big],
        "min_bet": rules.chips(rules.min_bet), "starting_stacks": [rules.chips(x) for x in rules.stacks],
        "actions": actions, "players": list(hand.players),
    }  # fmt: skip
    if hand.currency:
        fields["currency"] = hand.currency
    if hand.key:
        venue, _, own = hand.key.rpartition(" ")
        fields |= {"venue": venue, "hand": own}
    return "".join(f"{name} = {text_of(value)}\n" for name, value in fields.items())


def read_table(text: str) -> dict[str, Any]:
    """The fields that are used; numbers as texts, exactly as they are written. A HandError for what is not TOML."""
    plain = _plain_table(text)
    if plain is not None:
        return plain
    try:
        found = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise HandError("format", f"this is not TOML: {error}") from None

    def textual(value: Any) -> Any:
        return [textual(one) for one in value] if isinstance(value, list) else str(value)

    return {name: textual(found[name]) for name in _PLAIN if name in found}


def _plain_table(text: str) -> dict[str, Any] | None:
    """The fields of a table in plain form; None for any other."""
    if '"' in text or "#" in text or "'''" in text or "\r" in text:
        return None
    rows = _LINE.findall(text)
    if len(rows) != sum(map(bool, map(str.strip, text.split("\n")))):
        return None
    table = dict(rows)
    if len(table) != len(rows):
        return None
    out: dict[str, Any] = {}
    for name in _PLAIN:
        if name not in table:
            continue
        value = _plain_value(table[name].rstrip(" \t"))
        if value is None:
            return None
        out[name] = value
    return out


def _plain_value(text: str) -> str | list[str] | None:
    """A value in plain form, numbers as texts; None for any other."""
    if text.startswith("['"):
        return text[2:-2].split("', '") if _TEXTS.fullmatch(text) else None
    if text.startswith("["):
        return (text[1:-1].split(", ") if len(text) > 2 else []) if _NUMBERS.fullmatch(text) else None
    if text.startswith("'"):
        return text[1:-1] if _TEXT.fullmatch(text) else None
    return text if _NUMBER.fullmatch(text) else None


def text_of(value: Any) -> str:
    """A value as TOML: texts, numbers and lists of them."""
    if isinstance(value, list):
        return f"[{', '.join(map(text_of, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if "'" in value or not value.isprintable() else f"'{value}'"
    return f"{value:.12g}"
