"""Hands against Slumbot as its interface answers them, one JSON object a line: what `counterplay slumbot --log` keeps.

`client_pos` 0 is the big blind; stacks are 20,000 and blinds 50/100 in every hand. Both hands of cards are known at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counterplay.opponents.histories.acpc_log import COMPETITION, hand_of_line
from counterplay.opponents.histories.hand_history import json_lines, left_out
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
        """Every line."""
        for place, _, said in json_lines(text, file):
            try:
                if isinstance(said, HandError):
                    raise said
                yield _hand(said, rules or COMPETITION, place)
            except HandError as error:
                yield left_out(place, error)


def chips_in(value: Any) -> float | None:
    """A number of chips of a JSON text; None for anything else, also NaN and numbers beyond 10^15."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _MOST_CHIPS:
        return None
    return float(value)


def _hand(said: dict[str, Any], rules: BettingRules, place: FileLine) -> HoldemHand:
    seat, action, won = said.get("client_pos", said.get("seat")), said.get("action"), said.get("winnings")
    if seat not in (0, 1) or isinstance(seat, bool) or not isinstance(action, str):
        raise HandError("format", "a hand needs client_pos (0 or 1) and action")
    chips = chips_in(won)
    if chips is None:
        raise HandError("unfinished", "winnings are missing: the hand is not over")
    pot = chips_in(said.get("won_pot"))
    if pot is not None and chips and (pot > 0) != (chips > 0):
        raise HandError("result", f"winnings of {chips:g} and a pot of {pot:g} won contradict each other")
    own, other = _cards(said, "hole_cards"), _cards(said, "bot_hole_cards")
    pair = (own, other) if seat == 0 else (other, own)
    board = _cards(said, "board")
    streets = "".join(
        f"/{board[2 * begin : 2 * end]}" for begin, end in ((0, 3), (3, 4), (4, 5)) if len(board) > 2 * begin
    )
    found = hand_of_line(rules, action, "|".join(pair) + streets, chips if seat == 0 else -chips, SLUMBOT)
    name = str(said.get("agent", "client"))
    names = (name, SERVER) if seat == 0 else (SERVER, name)
    key = f"{name} {seat} {action} {pair} {board}" if all(pair) and board else ""
    return HoldemHand(names, rules, *found, key=key, place=place)


def _cards(said: dict[str, Any], name: str) -> str:
    found = said.get(name, [])
    if not isinstance(found, list) or not all(isinstance(card, str) and len(card) == 2 for card in found):
        raise HandError("cards", f"{name} is not a list of cards")
    return "".join(found)
