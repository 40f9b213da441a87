"""Any game as a Gambit .efg file, and a profile of strategies beside it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from counterplay.errors import InputError, check_encodable, quoted
from counterplay.files import write_whole
from counterplay.games.game import CHANCE, TERMINAL, Game, action_name

Numbers = dict[int, dict[Any, int]]


def write_efg(game: Game, path: str | Path) -> None:
    """Write a game as a .efg file that `read_efg` and Gambit read; player 0 becomes player 1 of the file.

    What a player knows where the other acts has no place in the format and is lost.

    Raises:
        InputError: a name, of an outcome of chance say, that cannot be written as UTF-8.
    """
    write_whole(Path(path), lambda stream: _write(game, stream))


def write_profile(game: Game, strategies: Sequence[Mapping[str, Mapping[str, float]]], path: str | Path) -> None:
    """Write a profile as a line of Gambit's, to stand beside the game of `write_efg`: `NE` and the probabilities of all
    actions, player by player and infoset by infoset in the order of their numbers there, with commas.

    Args:
        game: the rules.
        strategies: of player 0 and player 1, as of `Strategy.table`; infosets with one action may be left out.
        path: a text file.

    Raises:
        InputError: an infoset or an action of the game is missing.
    """
    rows: tuple[dict[str, list[float]], ...] = ({}, {})
    for state in _states(game):
        who = game.player(state)
        if who not in (0, 1) or (label := game.infoset(state, who)) in rows[who]:
            continue
        names = [action_name(game, state, action) for action in game.actions(state)]
        row = strategies[who].get(label, {names[0]: 1.0} if len(names) == 1 else {})
        if any(name not in row for name in names):
            raise InputError(f"the strategy of player {who} lacks actions at the infoset {quoted(label)}")
        rows[who][label] = [row[name] for name in names]
    numbers = [_number(p) for player in rows for row in player.values() for p in row]
    write_whole(Path(path), ",".join(["NE", *numbers]).encode() + b"\n")


def _states(game: Game) -> Iterator[Any]:
    """All states in prefix order, in which a file has them."""
    stack = [game.root()]
    while stack:
        yield (state := stack.pop())
        if game.player(state) != TERMINAL:
            stack += [game.child(state, action) for action in list(game.actions(state))[::-1]]


def _write(game: Game, stream: BinaryIO) -> None:
    numbers: Numbers = {}
    file = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    file.write(f'EFG 2 R {_quoted(game.name)} {{ "Player 1" "Player 2" }}\n\n')
    for state in _states(game):
        file.write(_line(game, state, numbers) + "\n")
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
    check_encodable([text], "a part of the game")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _number(value: float) -> str:
    """The number exactly, as a small fraction where it is one: Gambit wants probabilities that sum to 1 exactly."""
    near = Fraction(value).limit_denominator(10_000)
    return str(near) if float(near) == value else np.format_float_positional(value, trim="-")
