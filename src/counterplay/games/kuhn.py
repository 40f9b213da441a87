"""Kuhn poker: one card per player from K ranks, ante 1, one bet of 1."""

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.games.game import CHANCE, TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.kernel_rules import start_empty as start  # noqa: F401 - one of the rules

PASS, BET = 0, 1
# A state: cards of the two players (0 = not dealt), number of moves, the moves as bits, first move lowest.
CARD, MOVES, BITS = 0, 2, 3
FIELDS = ("card 0", "card 1", "moves", "bits")


class Rules(NamedTuple):
    """Parameters of Kuhn poker."""

    ranks: int = 3
    size: int = 4
    branching: int = 3
    depth: int = 5


def make(ranks: int = 3) -> FastGame:
    """Kuhn poker with cards 1 … `ranks`."""
    if not 2 <= ranks <= 1000:
        raise InputError(f"kuhn: ranks must be between 2 and 1000, not {ranks}")
    return FastGame("kuhn" if ranks == 3 else f"kuhn:{ranks}", Rules(ranks, branching=max(ranks, 2)))


@rule
def player(rules: Any, state: State) -> int:
    if state[CARD + 1] == 0:
        return CHANCE
    moves, bits = state[MOVES], state[BITS]
    done = (moves == 2 and bits != 0b10) or moves == 3
    return TERMINAL if done else moves % 2


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    if state[CARD + 1] != 0:
        out[0], out[1] = PASS, BET
        return 2
    n = 0
    for card in range(1, rules.ranks + 1):
        if card != state[CARD]:
            out[n] = card
            n += 1
    chance[:n] = 1.0 / n
    return n


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[CARD + 1] == 0:
        seat = 0 if state[CARD] == 0 else 1
        state[CARD + seat] = action
        seen[seat] = action
        return
    seen[:] = action + 1
    state[BITS] |= action << state[MOVES]
    state[MOVES] += 1


@rule
def utility(rules: Any, state: State) -> float:
    moves, bits = state[MOVES], state[BITS]
    wins = 1.0 if state[CARD] > state[CARD + 1] else -1.0
    if bits == 0b01 and moves == 2:  # bet, pass
        return 1.0
    if bits == 0b010 and moves == 3:  # pass, bet, pass
        return -1.0
    return wins if bits == 0 else 2.0 * wins


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """OpenSpiel's text: the card (from 0), then p or b for each move."""
    card = "" if state[CARD + player] == 0 else str(state[CARD + player] - 1)
    return card + _moves(state)


def public_label(rules: Rules, state: State) -> str:
    """The moves, p or b each."""
    return _moves(state) or "start"


def _moves(state: State) -> str:
    return "".join("pb"[(int(state[BITS]) >> i) & 1] for i in range(state[MOVES]))


def action_label(rules: Rules, state: State, action: int) -> str:
    return f"Deal:{action - 1}" if state[CARD + 1] == 0 else ("Pass", "Bet")[action]


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The seat, the card, and each move."""
    return 2 + rules.ranks + 3 * 2, 2


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    out[player] = 1.0
    if state[CARD + player] > 0:
        out[1 + state[CARD + player]] = 1.0
    for move in range(state[MOVES]):
        out[2 + rules.ranks + 2 * move + (state[BITS] >> move & 1)] = 1.0


def value_sizes(rules: Rules) -> tuple[int, int]:
    """Each move, and whether it was made; the card."""
    return 4, rules.ranks + 1


def public_numbers(rules: Rules, state: State) -> list[float]:
    moves = [(1.0, float(int(state[BITS]) >> move & 1)) if move < state[MOVES] else (0.0, 0.0) for move in range(2)]
    return [number for pair in moves for number in pair]


def private_number(rules: Rules, state: State, player: int) -> int:
    return int(state[CARD + player])
