"""Tic-tac-toe: perfect information; three in a row wins."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.kernel_rules import start_empty as start  # noqa: F401 - one of the rules
from counterplay.games.spec_text import cell_name

# A state: cells of the two players (bit masks), the number of moves, and for the labels the moves, four bits each.
MARKS, MOVES, PAST = 0, 2, 3
FIELDS = ("marks 0", "marks 1", "moves", "past")


class Rules(NamedTuple):
    """Tic-tac-toe has no parameters."""

    size: int = 4
    branching: int = 9
    depth: int = 10


def make() -> FastGame:
    """Tic-tac-toe; 1 for a win, 0 for a draw, -1 for a loss."""
    return FastGame("tictactoe", Rules())


@rule
def _won(marks: int) -> bool:
    """Return whether the cells contain a full row, column or diagonal."""
    for i in range(3):
        if (marks >> 3 * i) & 0b111 == 0b111 or (marks >> i) & 0b001001001 == 0b001001001:
            return True
    return marks & 0b100010001 == 0b100010001 or marks & 0b001010100 == 0b001010100


@rule
def player(rules: Any, state: State) -> int:
    mover = state[MOVES] & 1
    return TERMINAL if state[MOVES] == 9 or _won(state[MARKS + 1 - mover]) else mover


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    taken = state[MARKS] | state[MARKS + 1]
    n = 0
    for cell in range(9):
        if not taken >> cell & 1:
            out[n] = cell
            n += 1
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    mover = state[MOVES] & 1
    state[MARKS + mover] |= 1 << action
    state[PAST] |= action << 4 * state[MOVES]
    state[MOVES] += 1
    seen[1 - mover] = action + 1


@rule
def utility(rules: Any, state: State) -> float:
    return 1.0 if _won(state[MARKS]) else (-1.0 if _won(state[MARKS + 1]) else 0.0)


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """The moves so far: `B2 A1 C3`; rows are letters, columns numbers."""
    moves = (int(state[PAST]) >> 4 * i & 15 for i in range(int(state[MOVES])))
    return " ".join(cell_name(*divmod(cell, 3)) for cell in moves) or "start"


def public_label(rules: Rules, state: State) -> str:
    """The board, row by row, whatever the order of moves: `X.. .O. ...`; X moves first."""
    first, second = int(state[MARKS]), int(state[MARKS + 1])
    cells = "".join("X" if first >> cell & 1 else "O" if second >> cell & 1 else "." for cell in range(9))
    return " ".join(cells[row : row + 3] for row in (0, 3, 6))


def action_label(rules: Rules, state: State, action: int) -> str:
    return cell_name(*divmod(action, 3))


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The own and the other's cells, and the cell of each move."""
    return 18 + 81, 9


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    for cell in range(9):
        out[cell] = float(state[MARKS + player] >> cell & 1)
        out[9 + cell] = float(state[MARKS + 1 - player] >> cell & 1)
    for move in range(state[MOVES]):
        out[18 + 9 * move + (state[PAST] >> 4 * move & 15)] = 1.0
