"""Any game as a Gambit .efg file."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from counterplay.files import write_whole
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name

Numbers = dict[int, dict[Any, int]]


def write_efg(game: Game, path: str | Path) -> None:
    """Write a game as a .efg file that `read_efg` and Gambit read; player 0 becomes player 1 of the file.

    What a player knows where the other acts has no place in the format and is lost.
    """
    write_whole(Path(path), lambda stream: _write(game, stream))


def _write(game: Game, stream: BinaryIO) -> None:
    numbers: Numbers = {}
    file = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    file.write(f'EFG 2 R {_quoted(game.name)} {{ "Player 1" "Player 2" }}\n\n')
    stack = [game.root()]
    while stack:
        state = stack.pop()
        file.write(_line(game, state, numbers) + "\n")
        if game.player(state) != TERMINAL:
            stack += [game.child(state, action) for action in list(game.actions(state))[::-1]]
    file.detach()  # whoever opened the stream closes it


def _line(game: Game, state: Any, numbers: Numbers) -> str:
    who = game.player(state)
    if who == TERMINAL:
        utility = game.utility(state) + 0.0  # no minus zero
        outcome = _numbered(numbers, TERMINAL, utility)
        return f't "" {outcome} "" {{ {_number(utility)}, {_number(0.0 - utility)} }}'
    names = [_quoted(action_name(game, state, action)) for action in game.actions(state)]
    if who == CHANCE:
        outcomes = " ".join(f"{name} {_number(p)}" for name, p in zip(names, game.chance(state), strict=True))
        number = _numbered(numbers, CHANCE, object())  # each chance node is its own
        return f'c "" {number} "" {{ {outcomes} }} 0'
    label = game.infoset(state, who)
    return f'p "" {who + 1} {_numbered(numbers, who, label)} {_quoted(label)} {{ {" ".join(names)} }} 0'


def _numbered(numbers: Numbers, kind: int, key: Any) -> int:
    """The number of a key among those of its kind, from 1."""
    known = numbers.setdefault(kind, {})
    return known.setdefault(key, len(known) + 1)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number(value: float) -> str:
    """The number exactly, as a small fraction where it is one: Gambit wants probabilities that sum to 1 exactly."""
    near = Fraction(value).limit_denominator(10_000)
    return str(near) if float(near) == value else np.format_float_positional(value, trim="-")
