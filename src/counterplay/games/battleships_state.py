"""A position of battleships: the layout of its state, its texts, and its numbers for networks: two boards, cell by cell."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from counterplay.games.kernel_rules import State, rule
from counterplay.games.ship_placements import WORD, cells_of
from counterplay.games.spec_text import cell_name

# A state: as FIELDS says (masks of two words; winner + 1), the boxes each has placed, the shots (7 bits, 8 to a word).
FLEET, SHOT, SHOTS, WINNER, PLACED, BOX = 0, 4, 8, 9, 10, 12
FIELDS = tuple(f"{what} {seat}{word}" for what in ("fleet", "shot") for seat in (0, 1) for word in ("", " high"))
FIELDS += ("shots", "winner", "placed 0", "placed 1")
BITS, IN_WORD = 7, 8
_PARTS = 6
"""Numbers of a cell: own ship, shot at by the other and when, hit and missed by the player and when."""


def _mask(state: State, at: int) -> int:
    return int(state[at]) | int(state[at + 1]) << WORD


def _ship_names(rules: Any, state: State, player: int) -> str:
    """The player's own ships placed so far, separated by `/` where each was an action."""
    placed = range(int(state[PLACED + player]))
    boxes = [int(rules.boxes.begin[i] + state[BOX + player * rules.stages + i]) for i in placed]
    return "/".join(_box_name(rules, box) for box in boxes)


def _box_name(rules: Any, box: int) -> str:
    mask = int(rules.boxes.low[box]) | int(rules.boxes.high[box]) << WORD
    return "+".join(cell_name(*divmod(cell, rules.columns)) for cell in cells_of(mask))


def infoset_label(rules: Any, state: State, player: int) -> str:
    """The cells of the player's ships, then all shots, `>` the player's and `<` the other's, `x` a hit and `-` a miss:
    `A1: >B2- <A2-`.
    """
    if state[PLACED + player] == 0:
        return "start"
    own = _ship_names(rules, state, player)
    if state[PLACED + player] < rules.stages:
        return own
    return " ".join([own + ":", *_shots(rules, state, player)])


def public_label(rules: Any, state: State) -> str:
    """All shots, `>` player 0's and `<` player 1's, each with its result: `>B2- <A2x`; placements are hidden."""
    return " ".join(_shots(rules, state, 0)) or "start"


def _shots(rules: Any, state: State, player: int) -> list[str]:
    words = []
    for number in range(int(state[SHOTS])):
        cell = int(state[rules.past + number // IN_WORD]) >> BITS * (number % IN_WORD) & (1 << BITS) - 1
        hit = _mask(state, FLEET + 2 * (1 - number % 2)) >> cell & 1
        words.append(("<", ">")[number % 2 == player] + cell_name(*divmod(cell, rules.columns)) + "-x"[hit])
    return words


def action_label(rules: Any, state: State, action: int) -> str:
    if state[PLACED + 1] < rules.stages:
        seat = 0 if state[PLACED] < rules.stages else 1
        return _box_name(rules, int(rules.boxes.begin[state[PLACED + seat]]) + action)
    return cell_name(*divmod(action, rules.columns))


def picture(rules: Any, state: State, player: int) -> str:
    """Both boards as a player sees them: the other's board with the player's shots, and the player's with the other's
    shots.
    """
    own, theirs = _mask(state, FLEET + 2 * player), _mask(state, FLEET + 2 * (1 - player))
    mine, shot = _mask(state, SHOT + 2 * player), _mask(state, SHOT + 2 * (1 - player))
    fired = {cell: "x" if theirs >> cell & 1 else "o" for cell in cells_of(mine)}
    fleet = dict.fromkeys(cells_of(own), "#")
    suffered = {cell: "x" if own >> cell & 1 else "o" for cell in cells_of(shot)}
    left, right = _board(rules, fired), _board(rules, fleet | suffered)
    wide = max(len(left[0]), len("your shots"))
    lines = [f"{'your shots':{wide}}     your fleet"]
    lines += [f"{one:{wide}}     {two}" for one, two in zip(left, right, strict=True)]
    return "\n".join(line.rstrip() for line in [*lines, "x hit   o miss   # ship   . water"])


def _board(rules: Any, marks: dict[int, str]) -> list[str]:
    wide = len(str(rules.columns))
    head = "  " + " ".join(f"{column + 1:>{wide}}" for column in range(rules.columns))
    lines = [head]
    for row in range(rules.rows):
        cells = (marks.get(row * rules.columns + column, ".") for column in range(rules.columns))
        lines.append(f"{cell_name(row, 0)[0]} " + " ".join(f"{cell:>{wide}}" for cell in cells))
    return lines


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
        shot, fleet = (_mask(state, at + 2 * side) for at, side in ((SHOT, player), (FLEET, 1 - player)))
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
