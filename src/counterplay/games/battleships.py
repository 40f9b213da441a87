"""Battleships: both players place a fleet in secret, then shoot in turns; a player who has lost every ship loses the
game. With players who place uniformly and prefer some cells to shoot at, as rules (see `games.policy`).
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.kernel_rules import start_empty as start  # noqa: F401 - one of the rules
from counterplay.games.random_numbers import uniform
from counterplay.games.ship_placements import MOST_CELLS, WORD, Boxes, bits, boxes_of, cells_of, fits, place_of
from counterplay.games.spec_text import cell_name, share_of, spec_of

# A state: as FIELDS says (masks of two words; winner + 1), the boxes each has placed, the shots (7 bits, 8 to a word).
FLEET, SHOT, SHOTS, WINNER, PLACED, BOX = 0, 4, 8, 9, 10, 12
FIELDS = tuple(f"{what} {seat}{word}" for what in ("fleet", "shot") for seat in (0, 1) for word in ("", " high"))
FIELDS += ("shots", "winner", "placed 0", "placed 1")
BITS, IN_WORD = 7, 8
_PARTS = 6
"""Numbers of a cell: own ship, shot at by the other and when, hit and missed by the player and when."""


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
    other player places all fleets with equal probability, many such moves sample their fleet given the shots."""
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


def _mask(state: State, at: int) -> int:
    return int(state[at]) | int(state[at + 1]) << WORD


def _box_name(rules: Any, box: int) -> str:
    mask = int(rules.boxes.low[box]) | int(rules.boxes.high[box]) << WORD
    return "+".join(cell_name(*divmod(cell, rules.columns)) for cell in cells_of(mask))


def infoset_label(rules: Any, state: State, player: int) -> str:
    """The cells of the player's ships, `/` between those that were an action each, then all shots, `>` the player's and `<`
    the other's, `x` a hit and `-` a miss: `A1: >B2- <A2-`."""
    if state[PLACED + player] == 0:
        return "start"
    placed = range(int(state[PLACED + player]))
    boxes = [int(rules.boxes.begin[i] + state[BOX + player * rules.stages + i]) for i in placed]
    own = "/".join(_box_name(rules, box) for box in boxes)
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
    shots."""
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
    return np.diff(rules.boxes.begin).tolist()  # type: ignore[no-any-return]


class Shooter(NamedTuple):
    """Places uniformly; shoots uniformly at the preferred cells (a mask of two words), at the others with probability
    `share` while both kinds are left, and at the others once no preferred cell is left."""

    low: int
    high: int
    share: float


@rule
def _left(policy: Any, rules: Any, state: State, first: bool) -> Any:
    """The preferred or the other cells that have not been shot at."""
    shot = SHOT + 2 * (state[SHOTS] & 1)
    cells = rules.rows * rules.columns
    low = (1 << min(cells, WORD)) - 1 & ~state[shot]
    high = (1 << max(cells - WORD, 0)) - 1 & ~state[shot + 1]
    if first:
        return low & policy.low, high & policy.high
    return low & ~policy.low, high & ~policy.high


@rule
def weigh(policy: Any, rules: Any, state: State, legal: Any, n: int, odds: Any) -> None:
    placing = state[PLACED + 1] < rules.stages
    low, high = _left(policy, rules, state, True)
    firsts = bits(low) + bits(high)
    others = n - firsts
    share = policy.share if firsts > 0 else 1.0
    for k in range(n):
        word, bit = (low, legal[k]) if legal[k] < WORD else (high, legal[k] - WORD)
        odds[k] = 1.0 if placing else (1.0 - share) / max(firsts, 1) if word >> bit & 1 else share / max(others, 1)


@rule
def pick(policy: Any, rules: Any, state: State, u: float) -> Any:
    if state[PLACED + 1] < rules.stages:
        return -1
    low, high = _left(policy, rules, state, True)
    share = policy.share
    if share > 0.0 or low | high == 0:
        other, top = _left(policy, rules, state, False)
        if other | top == 0:
            share = 0.0
        elif low | high == 0 or u < share:
            low, high = other, top
            u = u if policy.share == 0.0 or u >= share else u / share
            share = 0.0
        u = (u - share) / (1.0 - share)
    first = bits(low)
    k = int(u * (first + bits(high)))
    return place_of(low, k) if k < first else WORD + place_of(high, k - first)


def policy(rules: Any, text: str) -> Shooter | None:
    """`uniform`; `even` and `odd`: the cells of one colour of a chessboard first, that of A1 being even;
    `last:CELL[,SHARE]`: that cell only when no other is left, or with probability SHARE at every shot."""
    names = [cell_name(row, column) for row in range(rules.rows) for column in range(rules.columns)]
    head, _, rest = text.partition(":")
    cell, comma, number = rest.partition(",")
    if text == "uniform":
        first = [True] * len(names)
    elif text in ("even", "odd"):
        first = [sum(divmod(k, rules.columns)) % 2 == ("even", "odd").index(text) for k in range(len(names))]
    elif head != "last":
        return None
    elif cell not in names:
        raise InputError(f"{text}: the board of {rules.rows} by {rules.columns} has no cell '{cell}'")
    else:
        first = [name != cell for name in names]
    mask = sum(1 << k for k, chosen in enumerate(first) if chosen)
    return Shooter(mask % (1 << WORD), mask >> WORD, share_of(text, number) if comma else 0.0)
