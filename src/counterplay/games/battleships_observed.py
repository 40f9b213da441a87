"""What a player of battleships knows, and what both know, in numbers for a network: two boards, cell by cell."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from counterplay.games.battleships_state import BITS, BOX, FLEET, IN_WORD, PLACED, SHOT, SHOTS
from counterplay.games.kernel_rules import State, rule
from counterplay.games.ship_placements import WORD

_PARTS = 6
"""Numbers of a cell: own ship, shot at by the other and when, hit and missed by the player and when."""


def network_sizes(rules: Any) -> tuple[int, int]:
    """The seat, the ships placed, and of every cell: own ship, the other's shot and its time, own hits, misses, times."""
    return 2 + rules.stages + 1 + _PARTS * rules.rows * rules.columns, rules.branching


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    cells, place = rules.rows * rules.columns, 2 + rules.stages + 1
    out[player] = 1.0
    out[2 + state[PLACED + player]] = 1.0
    # The own fleet, cell by cell: the bits of each ship's box, in two words.
    for stage in range(state[PLACED + player]):
        box = rules.boxes.begin[stage] + state[BOX + player * rules.stages + stage]
        for cell in range(cells):
            word = rules.boxes.low[box] if cell < WORD else rules.boxes.high[box]
            if word >> (cell if cell < WORD else cell - WORD) & 1:
                out[place + cell] = (stage + 1.0) / rules.stages
    place += cells
    # Shots so far, `IN_WORD` of `BITS` bits in a word: the other's, and the own with what they hit.
    for number in range(state[SHOTS]):
        cell = state[rules.past + number // IN_WORD] >> BITS * (number % IN_WORD) & ((1 << BITS) - 1)
        when = (number + 1.0) / rules.last
        if number % 2 != player:
            out[place + cell] = 1.0
            out[place + cells + cell] = when
            continue
        fleet = state[FLEET + 2 * (1 - player) + cell // WORD]
        hit = fleet >> cell % WORD & 1
        out[place + (3 - hit) * cells + cell] = 1.0
        out[place + 4 * cells + cell] = when


def value_sizes(rules: Any) -> tuple[int, int]:
    """How many ships each has placed; who shoots; of every cell of both boards, hit or missed. The own fleet."""
    return 2 * (rules.stages + 1) + 2 + 4 * rules.rows * rules.columns, prod(_boxes(rules))


def public_numbers(rules: Any, state: State) -> list[float]:
    """The order of the shots does not matter for what follows."""
    placed = [float(state[PLACED + player] == count) for player in (0, 1) for count in range(rules.stages + 1)]
    mover = int(state[SHOTS]) & 1
    board = []
    for player in (0, 1):
        shot, fleet = (_cells(state, at + 2 * side) for at, side in ((SHOT, player), (FLEET, 1 - player)))
        cells = range(rules.rows * rules.columns)
        board += [float(here >> cell & 1) for here in (shot & fleet, shot & ~fleet) for cell in cells]
    return [*placed, float(mover == 0), float(mover == 1), *board]


def private_number(rules: Any, state: State, player: int) -> int:
    """The placements so far, as digits."""
    number = 0
    for stage, count in enumerate(_boxes(rules)[: int(state[PLACED + player])]):
        number = number * count + int(state[BOX + player * rules.stages + stage])
    return number


def _boxes(rules: Any) -> list[int]:
    """The placements of each stage."""
    counts: list[int] = np.diff(rules.boxes.begin).tolist()
    return counts


def _cells(state: State, at: int) -> int:
    """The cells of a mask of two words."""
    return int(state[at]) | int(state[at + 1]) << WORD
