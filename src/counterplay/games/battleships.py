"""Battleships: both place a fleet in secret, then shoot in turns; who has lost every ship loses the game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.games.names import cell_name, spec_of
from counterplay.games.rules import FastGame, State, rule

# A state: the cells of each fleet and the cells that each player has shot at (bit masks), shots so far, the winner + 1
# (0 = none yet), then for the labels the shots in order, six bits each, ten to a word.
FLEET, SHOT, SHOTS, WINNER, PAST = 0, 2, 4, 5, 6
MOST_CELLS, MOST_PLACES = 62, 30_000


class Rules(NamedTuple):
    """Parameters of battleships; `places`: the masks of all placements of a fleet."""

    places: NDArray[np.int64]
    rows: int
    columns: int
    last: int
    size: int
    branching: int
    depth: int


def make(rows: int = 2, columns: int = 2, fleet: str = "1x1", *, shots: int = 0) -> FastGame:
    """Battleships on a board of `rows` by `columns`.

    Player 0 places the whole fleet in one action, then player 1, then they shoot in turns, player 0 first, never twice
    at the same cell. A shot reveals to both whether it hit; a sunken ship is not announced. The utility is 1 or -1.

    Args:
        rows: rows of the board.
        columns: columns of the board.
        fleet: the ships as ROWSxCOLUMNS, split by `/`; they may be turned and may touch. Placements that cover the same
            cells are one action, since nothing in the game tells them apart.
        shots: shots of each player at most, then the game is a draw; 0 means no limit.
    """
    if not (1 <= rows <= 26 and columns >= 1 and rows * columns <= MOST_CELLS):
        raise InputError(f"battleships: a board has at most 26 rows and {MOST_CELLS} cells, not {rows} by {columns}")
    if shots < 0:
        raise InputError(f"battleships: shots must be at least 0, not {shots}")
    cells = rows * columns
    last = 2 * min(shots or cells, cells)
    places = np.array(_placements(rows, columns, fleet), np.int64)
    size = PAST + (last + 9) // 10
    rules = Rules(places, rows, columns, last, size, max(cells, len(places)), depth=last + 3)
    return FastGame(spec_of("battleships", make, rows=rows, columns=columns, fleet=fleet, shots=shots), rules)


def _placements(rows: int, columns: int, fleet: str) -> list[int]:
    """The masks of all placements, those that start nearest to the top left first."""
    masks = {0}
    for height, width in _ships(fleet):
        alone = {mask for shape in {(height, width), (width, height)} for mask in _boxes(rows, columns, *shape)}
        masks = {mask | ship for mask in masks for ship in alone if not mask & ship}
        if len(masks) > MOST_PLACES:
            raise InputError(f"battleships: the fleet '{fleet}' has more than {MOST_PLACES:,} placements")
    if not masks:
        raise InputError(f"battleships: the fleet '{fleet}' does not fit a board of {rows} by {columns}")
    return sorted(masks, key=_cells)


def _ships(fleet: str) -> list[tuple[int, int]]:
    ships = []
    for word in fleet.split("/"):
        height, _, width = word.partition("x")
        if not (height.isdecimal() and width.isdecimal() and int(height) > 0 and int(width) > 0):
            raise InputError(f"battleships: a fleet is ships such as 2x2/1x3, not '{fleet}'")
        ships.append((int(height), int(width)))
    return ships


def _boxes(rows: int, columns: int, height: int, width: int) -> list[int]:
    return [
        sum(1 << ((top + i) * columns + left + j) for i in range(height) for j in range(width))
        for top in range(rows - height + 1)
        for left in range(columns - width + 1)
    ]


def _cells(mask: int) -> list[int]:
    return [cell for cell in range(MOST_CELLS) if mask >> cell & 1]


@rule
def start(rules: Any, state: State) -> None:
    state[:] = 0


@rule
def player(rules: Any, state: State) -> int:
    if state[FLEET + 1] == 0:
        return 0 if state[FLEET] == 0 else 1
    return TERMINAL if state[WINNER] != 0 or state[SHOTS] == rules.last else state[SHOTS] & 1


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    n = 0
    if state[FLEET + 1] == 0:
        n = len(rules.places)
        for i in range(n):
            out[i] = i
        return n
    shot = state[SHOT + (state[SHOTS] & 1)]
    for cell in range(rules.rows * rules.columns):
        if not shot >> cell & 1:
            out[n] = cell
            n += 1
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[FLEET + 1] == 0:
        seat = 0 if state[FLEET] == 0 else 1
        state[FLEET + seat] = rules.places[action]
        return
    number = state[SHOTS]
    shooter = number & 1
    target = state[FLEET + 1 - shooter]
    state[SHOT + shooter] |= 1 << action
    state[PAST + number // 10] |= action << 6 * (number % 10)
    state[SHOTS] += 1
    seen[1 - shooter] = action + 1
    seen[shooter] = 1 + (target >> action & 1)
    if target & ~state[SHOT + shooter] == 0:
        state[WINNER] = shooter + 1


@rule
def utility(rules: Any, state: State) -> float:
    winner = state[WINNER]
    return 1.0 if winner == 1 else (-1.0 if winner == 2 else 0.0)


def _fleet_name(rules: Rules, mask: int) -> str:
    return "+".join(cell_name(*divmod(cell, rules.columns)) for cell in _cells(mask))


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """The own fleet's cells, then all shots, `>` own and `<` the other's, `x` a hit and `-` a miss: `A1: >B2- <A2-`."""
    if state[FLEET + player] == 0:
        return "start"
    return " ".join([_fleet_name(rules, int(state[FLEET + player])) + ":", *_shots(rules, state, player)])


def public_label(rules: Rules, state: State) -> str:
    """All shots, `>` player 0's and `<` player 1's, each with its result: `>B2- <A2x`; fleets are placed unseen."""
    return " ".join(_shots(rules, state, 0)) or "start"


def _shots(rules: Rules, state: State, player: int) -> list[str]:
    words = []
    for number in range(int(state[SHOTS])):
        cell = int(state[PAST + number // 10]) >> 6 * (number % 10) & 63
        hit = int(state[FLEET + 1 - number % 2]) >> cell & 1
        words.append(("<", ">")[number % 2 == player] + cell_name(*divmod(cell, rules.columns)) + "-x"[hit])
    return words


def action_label(rules: Rules, state: State, action: int) -> str:
    if state[FLEET + 1] == 0:
        return _fleet_name(rules, int(rules.places[action]))
    return cell_name(*divmod(action, rules.columns))
