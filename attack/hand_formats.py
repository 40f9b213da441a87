"""The formats of hand histories: hands are read or left out, each with a sentence, and what is read can be counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attack.formats import Format

_LONGEST = 500
_SLUMBOT = (
    '{"client_pos": 1, "action": "b200c/kk/kb200c/kk", "winnings": 400, "hole_cards": ["Ac", "9d"], '
    '"bot_hole_cards": ["Kh", "3s"], "board": ["2c", "7d", "9s", "Ts", "4h"]}\n'
)
_LEDUC = (
    '{"counterplay": "hands", "version": 1, "game": "leduc", "agents": ["a", "b"], "seed": 0}\n'
    '{"hand": 0, "players": [0, 1], "moves": [[2, "Deal:Jh"], [2, "Deal:Kh"], [0, "Raise"], [1, "Fold"]], "won": 1.0}\n'
)


def _hands() -> list[Any]:
    """A hand that ends before the flop, one on it, and one with cards hidden at the showdown."""
    from counterplay.opponents.histories.hand_record import HoldemHand
    from counterplay.poker.betting.line_notation import SLUMBOT, replay_line
    from counterplay.poker.betting.rules import holdem

    rules, names = holdem(20_000, blinds=(50, 100)), ("ann", "bob")
    told = [("f", ((0, 4), (8, 12)), (), 50.0), ("b300c/b600f", ((0, 4), (8, 12)), (20, 25, 30), 300.0)]
    made = [
        HoldemHand(names, rules, replay_line(rules, line, SLUMBOT), holes, board, won, "", f"{number}")
        for number, (line, holes, board, won) in enumerate(told)
    ]
    end = replay_line(rules, "b300c/kk/kk/b900c", SLUMBOT)
    return [*made, HoldemHand(names, rules, end, ((), (8, 12)), (20, 25, 30, 35, 41), 1200.0, "", "2")]


def _make(form: str, path: Path) -> None:
    from counterplay.opponents.histories import REGISTRY

    writer: Any = REGISTRY[form]
    path.write_text(writer.write(_hands()), encoding="utf-8")


def _written(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _read(path: Path) -> Any:
    """The summary, and the card of every player; a hand that is left out says why in one sentence."""
    from counterplay.opponents.histories.hand_summary import summarise
    from counterplay.opponents.histories.read_hands import read_hands
    from counterplay.opponents.villain.villain_card import villain_card

    found = read_hands([path])
    for one in found.left_out:
        if "\n" in str(one) or len(one.about) > _LONGEST:
            raise RuntimeError(f"a hand is left out with {str(one)[:200]!r}")
    cards = [villain_card(found.holdem, player).facts() for player in found.players()]
    return [summarise(found).facts(), *cards]


def _format(ending: str, make: Callable[[Path], None]) -> Format:
    return Format(ending, make, _read, False)


HAND_FORMATS: dict[str, Format] = {
    "hands phh": _format(".phhs", partial(_make, "phh")),
    "hands match": _format(".jsonl", partial(_make, "match")),
    "hands leduc": _format(".jsonl", partial(_written, _LEDUC)),
    "hands acpc": _format(".log", partial(_make, "acpc")),
    "hands slumbot": _format(".jsonl", partial(_written, _SLUMBOT)),
}
"""By name."""
