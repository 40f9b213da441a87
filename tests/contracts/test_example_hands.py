"""The real hands of `examples/hands` agree with themselves: a replay of this file's own finds every chip and every card."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from counterplay.opponents.histories.read_hands import read_hands

REAL = Path(__file__).parents[2] / "examples" / "hands" / "heads_up.phhs"
RAKE, CAP = Decimal("0.05"), Decimal("0.50")
"""The most that the site took from a pot with a flop, in 2009."""
BUY_IN = Decimal(50)
Chips = list[Decimal]


def _tables() -> list[dict[str, Any]]:
    return list(tomllib.loads(REAL.read_text(), parse_float=Decimal).values())


def _cards(text: str) -> list[str]:
    return [card for card in re.findall("..", text) if card != "??"]


def _put(hand: dict[str, Any]) -> tuple[Chips, int | None]:
    """What each player put into the pot, and who folded; every action is legal where it stands."""
    stacks, small = [Decimal(x) for x in hand["starting_stacks"]], hand["blinds_or_straddles"][0]
    put, street, last, turn, folded = [2 * small, small], [2 * small, small], 2 * small, 1, None
    for words in (action.split() for action in hand["actions"]):
        match words:
            case ["d", "db", cards]:
                assert street[0] == street[1] or max(put) == stacks[put.index(max(put))]
                assert len(_cards(cards)) in (1, 3)
                street, last, turn = [Decimal(0)] * 2, 2 * small, 0
            case [who, "f" | "cc" | "cbr" as kind, *amount]:
                me = int(who[1]) - 1
                assert (me, folded) == (turn, None)
                left, owed = stacks[me] - put[me], max(street) - street[me]
                if kind == "f":
                    assert owed > 0
                    folded = me
                else:
                    more = min(owed, left) if kind == "cc" else Decimal(amount[0]) - street[me]
                    if kind == "cbr":
                        assert owed < more <= left
                        assert more == left or more - owed >= last
                        last = max(last, more - owed)
                    put[me] += more
                    street[me] += more
                turn = 1 - me
    return put, folded


def test_cards_are_dealt_once_and_names_and_numbers_fit() -> None:
    tables = _tables()
    assert len({hand["hand"] for hand in tables}) == len(tables) == 212
    for hand in tables:
        dealt: dict[str, list[str]] = {"board": []}
        for words in (action.split() for action in hand["actions"]):
            if words[1] == "db":
                dealt["board"] += _cards(words[2])
            elif words[1] == "sm" or words[:2] == ["d", "dh"]:
                dealt[words[0] if words[1] == "sm" else words[2]] = _cards(words[-1])
        cards = [card for some in dealt.values() for card in some]
        assert len(set(cards)) == len(cards)
        assert all(re.fullmatch("[2-9TJQKA][shdc]", card) for card in cards)
        assert len(set(hand["players"])) == len(set(hand["seats"])) == hand["seat_count"] == 2
    assert [hand["time"] for hand in tables] == sorted(hand["time"] for hand in tables)


def test_both_replays_find_the_same_chips() -> None:
    """Ours in smallest chips, and this file's in decimals; with whoever folded."""
    found = read_hands([REAL])
    assert not found.left_out
    for hand, table in zip(found.holdem, _tables(), strict=True):
        put, folded = _put(table)
        assert [round(hand.rules.chips(units), 2) for units in hand.line.end.put] == [float(min(put))] * 2
        assert hand.line.end.kind.name == ("SHOWDOWN" if folded is None else f"FOLD{folded}")


def test_stacks_go_on_from_hand_to_hand() -> None:
    """At a table the next stacks are what the last hand left, but for the rake of a pot with a flop, and four buy-ins of the
    player who lost, up to the most that a table takes."""
    by_table: dict[str, list[dict[str, Any]]] = {}
    for hand in _tables():
        by_table.setdefault(hand["table"], []).append(hand)
    gone_on = bought = 0
    for hand, after in (pair for hands in by_table.values() for pair in pairwise(hands)):
        fits = _steps_between(hand, after)
        assert fits, hand["hand"]
        gone_on, bought = gone_on + ("on" in fits), bought + ("on" not in fits)
    assert (gone_on, bought) == (198, 4)


def _steps_between(hand: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Ways from a hand to the next stacks at its table, over who may have won: `on`, or `bought` by the loser."""
    called, folded = min(_put(hand)[0]), _put(hand)[1]
    start = [Decimal(x) for x in hand["starting_stacks"]]
    now = [Decimal(after["starting_stacks"][after["players"].index(name)]) for name in hand["players"]]
    rake = min(CAP, RAKE * 2 * called) if any("db" in action for action in hand["actions"]) else Decimal(0)
    found = set[str]()
    for winner in (0, 1) if folded is None else (1 - folded,):
        loser = 1 - winner
        left = start[loser] - called
        if 0 <= start[winner] + called - now[winner] <= rake:
            found |= {"on"} if now[loser] == left else {"bought"} if left < now[loser] <= BUY_IN else set()
    return found
