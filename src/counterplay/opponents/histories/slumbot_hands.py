"""Hands against Slumbot as its interface answers them, one JSON object a line: what `counterplay slumbot --log` keeps.

`client_pos` 0 is the big blind; stacks are 20,000 and blinds 50/100 in every hand. Both hands of cards are known at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterplay.opponents.histories.acpc_log import COMPETITION, hand_of_line
from counterplay.opponents.histories.hand_history import json_object, json_rows, read_pieces
from counterplay.opponents.histories.hand_record import FileLine, HandError, HoldemHand, LeftOut
from counterplay.poker.betting.line_notation import SLUMBOT
from counterplay.poker.betting.rules import BettingRules

SERVER = "Slumbot"
"""The name of the other player."""
_MOST_CHIPS = 1e15


class SlumbotHands:
    """The format."""

    endings = (".jsonl",)
    about = "hands against Slumbot (counterplay slumbot --log)"

    def recognises(self, head: str) -> bool:
        return head.lstrip().startswith("{") and '"hole_cards"' in head and '"action"' in head

    def read(self, text: str, file: str, rules: BettingRules | None) -> Iterator[HoldemHand | LeftOut]:
        return read_pieces(
            json_rows(text), file, lambda row, place: _hand(json_object(row), rules or COMPETITION, place)
        )


def chips_in(value: Any) -> float | None:
    """A number of chips in JSON; None for anything else, also NaN and numbers beyond 10^15."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST_CHIPS:
        return None
    return float(value)


def _hand(entry: dict[str, Any], rules: BettingRules, place: FileLine) -> HoldemHand:
    seat, action = entry.get("client_pos", entry.get("seat")), entry.get("action")
    if seat not in (0, 1) or isinstance(seat, bool) or not isinstance(action, str):
        raise HandError("format", "a hand needs client_pos (0 or 1) and action")
    chips, pot = chips_in(entry.get("winnings")), chips_in(entry.get("won_pot"))
    if chips is None:
        raise HandError("unfinished", "winnings are missing: the hand is not over")
    if pot is not None and chips and (pot > 0) != (chips > 0):
        raise HandError("result", f"winnings of {chips:g} and a pot of {pot:g} won contradict each other")
    own, other, board = (_cards(entry, name) for name in ("hole_cards", "bot_hole_cards", "board"))
    pair = (own, other) if seat == 0 else (other, own)
    ends = ((0, 3), (3, 4), (4, 5))
    streets = "".join(f"/{board[2 * begin : 2 * end]}" for begin, end in ends if len(board) > 2 * begin)
    hand = hand_of_line(rules, action, "|".join(pair) + streets, chips if seat == 0 else -chips, SLUMBOT)
    name = str(entry.get("agent", "client"))
    names = (name, SERVER) if seat == 0 else (SERVER, name)
    key = f"{name} {seat} {action} {pair} {board}" if all(pair) and board else ""
    return HoldemHand(names, rules, *hand, key=key, place=place)


def _cards(entry: dict[str, Any], name: str) -> str:
    cards = entry.get(name, [])
    if not isinstance(cards, list) or not all(isinstance(card, str) and len(card) == 2 for card in cards):
        raise HandError("cards", f"{name} is not a list of cards")
    return "".join(cards)
