"""Battleships: both players place a fleet in secret, then shoot in turns; a player who has lost every ship loses the
game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.errors import InputError
from counterplay.games.battleships_shooters import policy as policy
from counterplay.games.battleships_state import BITS, BOX, FLEET, IN_WORD, PLACED, SHOT, SHOTS, WINNER
from counterplay.games.battleships_state import FIELDS as FIELDS
from counterplay.games.battleships_state import action_label as action_label
from counterplay.games.battleships_state import infoset_label as infoset_label
from counterplay.games.battleships_state import network_sizes as network_sizes
from counterplay.games.battleships_state import observe as observe
from counterplay.games.battleships_state import picture as picture
from counterplay.games.battleships_state import private_number as private_number
from counterplay.games.battleships_state import public_label as public_label
from counterplay.games.battleships_state import public_numbers as public_numbers
from counterplay.games.battleships_state import value_sizes as value_sizes
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.random_numbers import uniform
from counterplay.games.ship_placements import MOST_CELLS, WORD, Boxes, boxes_of, fits
from counterplay.games.spec_text import spec_of


class Rules(NamedTuple):
    """Parameters of battleships. boxes: the possible placements. past: where the record of shots begins in a state."""

    boxes: Boxes
    stages: int
    rows: int
    columns: int
    last: int
    past: int
    size: int
    branching: int
    depth: int


def make(rows: int = 2, columns: int = 2, fleet: str = "1x1", *, shots: int = 0, placing: str = "auto") -> FastGame:
    """Battleships on a board of `rows` by `columns`.

    Player 0 places the whole fleet in one action, then player 1, then they shoot in turns, player 0 first, never twice
    at the same cell. A shot reveals to both players whether it hit; a sunk ship is not announced. The utility is 1 or
    -1.

    Args:
        rows: rows of the board.
        columns: columns of the board.
        fleet: the ships as ROWSxCOLUMNS, separated by `/`; they may be rotated and may touch. Placements that cover the
            same cells are one action, since nothing in the game distinguishes them.
        shots: the most shots of each player, after which the game is a draw; 0 means no limit.
        placing: `fleet` places all ships in one action, `ships` places them one by one where the rest still fit; `auto`
            is `fleet` up to 30,000 placements.
    """
    if not (1 <= rows <= 26 and columns >= 1 and rows * columns <= MOST_CELLS):
        raise InputError(f"battleships: a board has at most 26 rows and {MOST_CELLS} cells, not {rows} by {columns}")
    if shots < 0:
        raise InputError(f"battleships: shots must be at least 0, not {shots}")
    cells = rows * columns
    last = 2 * min(shots or cells, cells)
    boxes = boxes_of(rows, columns, fleet, placing)
    past = BOX + 2 * boxes.stages
    branching = max(cells, int(np.diff(boxes.begin).max()))
    size, depth = past + -(-last // IN_WORD), last + 2 * boxes.stages + 1
    rules = Rules(boxes, boxes.stages, rows, columns, last, past, size, branching, depth)
    name = spec_of("battleships", make, rows=rows, columns=columns, fleet=fleet, shots=shots, placing=placing)
    return FastGame(name, rules)


@rule
def start(rules: Any, state: State) -> None:
    state[:] = 0


@rule
def player(rules: Any, state: State) -> int:
    if state[PLACED + 1] < rules.stages:
        return 0 if state[PLACED] < rules.stages else 1
    return TERMINAL if state[WINNER] != 0 or state[SHOTS] == rules.last else state[SHOTS] & 1


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    n = 0
    if state[PLACED + 1] < rules.stages:
        seat = 0 if state[PLACED] < rules.stages else 1
        low, high, stage = state[FLEET + 2 * seat], state[FLEET + 2 * seat + 1], state[PLACED + seat]
        begin = rules.boxes.begin[stage]
        for k in range(begin, rules.boxes.begin[stage + 1]):
            box, top = rules.boxes.low[k], rules.boxes.high[k]
            free = (low & box) | (high & top) == 0
            if free and (rules.boxes.sure[stage + 1] or fits(rules.boxes, stage + 1, low | box, high | top)):
                out[n] = k - begin
                n += 1
        return n
    # Cells that the shooter has not shot at; a mask is two words, cells from WORD on in the second.
    shooter = state[SHOTS] & 1
    low, high = state[SHOT + 2 * shooter], state[SHOT + 2 * shooter + 1]
    cells = rules.rows * rules.columns
    for cell in range(min(cells, WORD)):
        if not low >> cell & 1:
            out[n] = cell
            n += 1
    for cell in range(WORD, cells):
        if not high >> cell - WORD & 1:
            out[n] = cell
            n += 1
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[PLACED + 1] < rules.stages:
        # A placement: add the box to the two words of the fleet, and note which box it was.
        seat = 0 if state[PLACED] < rules.stages else 1
        stage = state[PLACED + seat]
        box = rules.boxes.begin[stage] + action
        state[FLEET + 2 * seat] |= rules.boxes.low[box]
        state[FLEET + 2 * seat + 1] |= rules.boxes.high[box]
        state[BOX + seat * rules.stages + stage] = action
        state[PLACED + seat] += 1
        return
    # A shot: set its bit, append the cell to the packed past, tell the target the cell and the shooter hit or miss.
    number = state[SHOTS]
    shooter = number & 1
    target, word, bit = FLEET + 2 * (1 - shooter), action // WORD, action % WORD
    state[SHOT + 2 * shooter + word] |= 1 << bit
    state[rules.past + number // IN_WORD] |= action << BITS * (number % IN_WORD)
    state[SHOTS] += 1
    seen[1 - shooter] = action + 1
    seen[shooter] = 1 + (state[target + word] >> bit & 1)
    # Won if no cell of the fleet is left unshot, in either word.
    shot = SHOT + 2 * shooter
    if (state[target] & ~state[shot]) | (state[target + 1] & ~state[shot + 1]) == 0:
        state[WINNER] = shooter + 1


@rule
def utility(rules: Any, state: State) -> float:
    winner = state[WINNER]
    return 1.0 if winner == 1 else (-1.0 if winner == 2 else 0.0)


@rule
def regroup(rules: Any, state: State, player: int, random: Any) -> None:
    """Move one ship of the other player such that every shot keeps its result; the state stays if no move does. If the
    other player places all fleets with equal probability, many such moves sample their fleet given the shots.
    """
    seat = 1 - player
    stage = int(uniform(random) * state[PLACED + seat])
    begin = rules.boxes.begin[stage]
    action = int(uniform(random) * (rules.boxes.begin[stage + 1] - begin))
    if stage >= state[PLACED + seat]:
        return
    # The fleet without the old box, in two words; the new box must not overlap it.
    place, fleet, shot = BOX + seat * rules.stages + stage, FLEET + 2 * seat, SHOT + 2 * player
    old, new = begin + state[place], begin + action
    low, high = state[fleet] & ~rules.boxes.low[old], state[fleet + 1] & ~rules.boxes.high[old]
    if (low & rules.boxes.low[new]) | (high & rules.boxes.high[new]):
        return
    low |= rules.boxes.low[new]
    high |= rules.boxes.high[new]
    # No cell that was shot at may change between water and ship.
    if ((low ^ state[fleet]) & state[shot]) | ((high ^ state[fleet + 1]) & state[shot + 1]):
        return
    state[fleet], state[fleet + 1], state[place] = low, high, action
