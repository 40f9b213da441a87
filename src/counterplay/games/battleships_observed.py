"""What a player of battleships knows, in numbers for a network: two boards, cell by cell."""

from __future__ import annotations

from typing import Any

from counterplay.games.battleships_state import BITS, BOX, FLEET, IN_WORD, PLACED, SHOTS
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
