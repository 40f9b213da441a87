"""Poker hand histories in PHH (Kim 2023): one hand in a `.phh` file, TOML tables [1], [2], ... in a `.phhs` file.

Heads-up, `players[0]` is the big blind, and `blinds_or_straddles` still begins with the small one. Amounts are decimals,
kept exactly as whole numbers of the hand's smallest chip. Results are those of the replay: `finishing_stacks` must agree
with it, and so must `winnings`, which many sites leave at 0. Hands of more seats go through the machine of `table_replay`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from counterplay.errors import InputError
from counterplay.opponents.histories.hand_history import read_pieces
from counterplay.opponents.histories.hand_record import (
    CALL,
    DEAL,
    FOLD,
    RAISE,
    Cards,
    FileLine,
    HandError,
    HandStep,
    HoldemHand,
    LeftOut,
    TableHand,
)
from counterplay.opponents.histories.hand_text import (
    ONE,
    PLACES,
    Act,
    HandText,
    Post,
    StatedAmount,
    TextAction,
    TextPost,
)
from counterplay.opponents.histories.phh_table import read_table, text_of
from counterplay.opponents.histories.replay import check_cards, packed_cards, read_cards, replay, settle, steps_of
from counterplay.opponents.histories.table_hand import hand_of
from counterplay.poker.betting.line_notation import BettingLine
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.betting.state import Kind
from counterplay.poker.whole_game.boards.board import DEALT

_TABLE = re.compile(r"^\[(\d+)\][ \t]*\r?$", re.MULTILINE)
_KEY = re.compile(r"^(?:variant|actions)\s*=", re.MULTILINE)
_PLAYER = re.compile(r"p\d{1,2}")
_NO_LIMIT = "NT"
_SEATS = {"p1": 0, "p2": 1}


class PHH:
    """The format."""

    endings = (".phh", ".phhs")
    about = "poker hand histories (PHH), one hand or many"

    def recognises(self, head: str) -> bool:
        return _KEY.search(head) is not None

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | TableHand | LeftOut]:  # noqa: ARG002
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


def _hand(table: dict[str, Any], place: FileLine) -> HoldemHand | TableHand:
    """The hand of a table."""
    if table.get("variant") != _NO_LIMIT:
        raise HandError("game", f"variant {table.get('variant')!r} is not {_NO_LIMIT}, no-limit hold'em")
    stacks, actions = _listed(table, "starting_stacks"), _listed(table, "actions")
    words = [str(action).partition("#")[0].split() for action in actions]
    if len(stacks) != 2:
        return hand_of(_statements(table, words), place)
    blinds, antes = _listed(table, "blinds_or_straddles"), _listed(table, "antes")
    bets = [word[2] for word in words if len(word) == 3 and word[1] == "cbr"]
    scale = _scale([*stacks, *blinds, *antes, str(table.get("min_bet", 0)), *bets])
    rules = _rules([_units(x, scale) for x in stacks], [_units(x, scale) for x in blinds],
                   [_units(x, scale) for x in antes], _units(str(table.get("min_bet", 0)), scale), scale)  # fmt: skip
    steps, holes, board = _steps(words, scale)
    line = replay(rules, steps)
    check_cards(line, holes, board)
    names = table.get("players") or ["p1", "p2"]
    if len(names) != 2 or names[0] == names[1]:
        raise HandError("players", "two players need two names")
    won = settle(rules, line, holes, board, _winner(rules, line, table.get("winnings"), scale))
    if "finishing_stacks" in table:
        _check_finish(rules, _listed(table, "finishing_stacks"), won, scale)
    pair = (str(names[0]), str(names[1]))
    return HoldemHand(pair, rules, line, holes, board, won, _currency(table), _key(table), place)


def _key(table: dict[str, Any]) -> str:
    return f"{table.get('venue', '')} {table['hand']}" if "hand" in table else ""


def _currency(table: dict[str, Any]) -> str:
    return str(table.get("currency") or table.get("currency_symbol") or "")


def _winner(rules: BettingRules, line: BettingLine, winnings: Any, scale: int) -> float | None:
    """Chips that seat 0 won, by the winnings stated; None where nobody has any, as on sites that do not state them."""
    if not isinstance(winnings, list) or len(winnings) != 2:
        return None
    first, second = (_units(chips, scale) for chips in winnings)
    stake = min(line.end.put)
    most = max(line.steps[-1].state.put) + stake if line.steps else 2 * stake
    if first < 0 or second < 0 or first + second > most:
        raise HandError(
            "result", f"winnings of {first / scale:g} and {second / scale:g} in a pot of {2 * stake / scale:g}"
        )
    return rules.chips(stake) * ((first > 0) - (second > 0)) if first or second else None


def _statements(table: dict[str, Any], words: list[list[str]]) -> HandText:
    """The statements of a hand of more seats, which are listed in the order of the deal."""
    stacks, blinds, antes = (_listed(table, name) for name in ("starting_stacks", "blinds_or_straddles", "antes"))
    names = table.get("players") or [f"p{k + 1}" for k in range(len(stacks))]
    if not len(stacks) == len(blinds) == len(antes) == len(names):
        raise HandError(
            "players", f"{len(stacks)} stacks, {len(blinds)} blinds, {len(antes)} antes and {len(names)} players"
        )
    venue, _, number = _key(table).rpartition(" ")
    text = HandText(venue, number, _currency(table), button=len(stacks))
    for k, (name, chips) in enumerate(zip(names, stacks, strict=True)):
        text.sit(0, k + 1, str(name), _units(chips, ONE))
    posted = [_units(chips, ONE) for chips in blinds]
    for k, (ante, chips) in enumerate(zip(antes, posted, strict=True)):
        if _units(ante, ONE):
            text.posts.append(TextPost(0, k, Post.ANTE, _units(ante, ONE)))
        if chips:
            kind = (Post.SMALL, Post.BIG)[k] if k < 2 else Post.OTHER if chips <= posted[1] else Post.STRADDLE
            text.posts.append(TextPost(0, k, kind, min(chips, text.stacks[k] - _units(ante, ONE))))
    text.small, text.big = posted[:2] if len(posted) > 1 else (0, 0)
    for word in words:
        _state_action(text, word)
    if "winnings" in table:
        text.collected = [one for one in _stated(table, "winnings") if one.amount]
    if "finishing_stacks" in table:
        text.finals = _stated(table, "finishing_stacks")
    return text


def _stated(table: dict[str, Any], name: str) -> list[StatedAmount]:
    return [StatedAmount(0, k, _units(chips, ONE)) for k, chips in enumerate(_listed(table, name))]


def _state_action(text: HandText, word: list[str]) -> None:
    """The statement of an action."""
    seat = int(word[0][1:]) - 1 if word and _PLAYER.fullmatch(word[0]) else -1
    if seat >= len(text.names):
        raise HandError("players", f"{word[0]!r} is not among {len(text.names)} players")
    match word:
        case ["d", "db", cards]:
            text.deal(0, cards)
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
        case [_, "cbr", chips] if seat >= 0:
            text.actions.append(TextAction(0, seat, Act.RAISE, to=_units(chips, ONE)))
        case []:
            pass
        case _:
            raise HandError("format", f"{' '.join(word)[:80]!r} is not an action of a hand")


def _check_finish(rules: BettingRules, finish: list[Any], won: float | None, scale: int) -> None:
    """Reject stacks at the end that the betting does not lead to. A rake is taken from who wins, or from both of a tie."""
    ends = [_units(amount, scale) / scale for amount in finish]
    begins = [rules.chips(units) for units in rules.stacks]
    if len(ends) != 2:
        raise HandError("format", f"finishing_stacks has {len(ends)} amounts")
    changes = [end - begin for end, begin in zip(ends, begins, strict=True)]
    allowed = sum(changes) <= rules.unit / 2.0
    if won is not None:
        for change, due in zip(changes, (won, -won), strict=True):
            allowed &= change - due <= rules.unit / 2.0 and (due >= 0.0 or due - change <= rules.unit / 2.0)
    if not allowed:
        raise HandError("result", f"finishing stacks of {ends[0]:g} and {ends[1]:g} do not follow from the betting")


def _rules(stacks: list[int], blinds: list[int], antes: list[int], least: int, scale: int) -> BettingRules:
    if len(blinds) != 2 or len(antes) != 2:
        raise HandError("format", "antes and blinds must be two each")
    small, big = blinds
    if not 0 < small <= big or antes[0] != antes[1] or min(antes) < 0:
        one, two, three, four = (f"{units / scale:g}" for units in (small, big, *antes))
        raise HandError("stakes", f"blinds {one} and {two}, antes {three} and {four} are not those of a heads-up hand")
    if min(stacks) <= antes[0] or least <= 0:
        raise HandError("stakes", f"stacks of {stacks[0] / scale:g} and {stacks[1] / scale:g}")
    return BettingRules((stacks[0], stacks[1]), blinds=(big, small), ante=antes[0], min_bet=least, unit=1 / scale)


def _steps(words: list[list[str]], scale: int) -> tuple[list[HandStep], tuple[Cards, Cards], Cards]:
    """Steps, hole cards and board; cards shown at the end count as those that were dealt."""
    steps, holes, board = list[HandStep](), list[Cards]([(), ()]), Cards()
    for word in words:
        match word:
            case ["d", "db", cards]:
                shown = read_cards(cards)
                if not shown:
                    raise HandError("cards", "a card of the board is hidden")
                board += shown
                steps.append(HandStep(-1, DEAL, len(shown)))
            case ["d", "dh", ("p1" | "p2") as who, cards] | [("p1" | "p2") as who, "sm", cards]:
                seat, shown = _SEATS[who], read_cards(cards) if cards != "-" else ()
                if shown and holes[seat] and set(shown) != set(holes[seat]):
                    raise HandError("cards", "a player shows other cards than were dealt")
                holes[seat] = shown or holes[seat]
            case [("p1" | "p2"), "sm"]:
                pass
            case [("p1" | "p2") as who, "f"]:
                steps.append(HandStep(_SEATS[who], FOLD))
            case [("p1" | "p2") as who, "cc"]:
                steps.append(HandStep(_SEATS[who], CALL))
            case [("p1" | "p2") as who, "cbr", amount]:
                steps.append(HandStep(_SEATS[who], RAISE, _units(amount, scale)))
            case []:
                pass
            case _:
                raise HandError("format", f"{' '.join(word)!r} is not an action of a heads-up hand")
    return steps, (holes[0], holes[1]), board


def _listed(table: dict[str, Any], name: str) -> list[Any]:
    found = table.get(name)
    if not isinstance(found, list):
        raise HandError("format", f"{name} is missing or is no list")
    return found


def _scale(amounts: list[Any]) -> int:
    """Smallest chips in a chip: a power of ten."""
    places = max(len(str(amount).partition(".")[2].rstrip("0")) for amount in amounts)
    if places > PLACES:
        raise HandError("stakes", f"amounts with more than {PLACES} decimals")
    return int(10**places)


def _units(amount: Any, scale: int) -> int:
    """An amount in smallest chips."""
    return _units_of(str(amount), scale)


@lru_cache(maxsize=4096)  # blinds and stacks are the same in hand after hand
def _units_of(amount: str, scale: int) -> int:
    whole, _, part = amount.partition(".")
    places = len(str(scale)) - 1
    digits = whole.lstrip("+").replace("_", "") + part[:places].ljust(places, "0")
    if not digits.removeprefix("-").isdecimal() or len(digits) > 15:
        raise HandError("format", f"{amount[:20]!r} is not an amount")
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
        if letter == DEAL:
            actions.append(f"d db {packed_cards(hand.board[dealt : dealt + number])}")
            dealt += number
        else:
            raised = f"cbr {rules.chips(number):.12g}"
            actions.append(f"p{seat + 1} {'f' if letter == FOLD else 'cc' if letter == CALL else raised}")
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
