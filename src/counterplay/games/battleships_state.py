"""A position of battleships: the layout of its state, and what players and spectators see of it."""

from __future__ import annotations

from typing import Any

from counterplay.games.kernel_rules import State
from counterplay.games.ship_placements import WORD, cells_of
from counterplay.games.spec_text import cell_name

# A state: as FIELDS says (masks of two words; winner + 1), the boxes each has placed, the shots (7 bits, 8 to a word).
FLEET, SHOT, SHOTS, WINNER, PLACED, BOX = 0, 4, 8, 9, 10, 12
FIELDS = tuple(f"{what} {seat}{word}" for what in ("fleet", "shot") for seat in (0, 1) for word in ("", " high"))
FIELDS += ("shots", "winner", "placed 0", "placed 1")
BITS, IN_WORD = 7, 8


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
