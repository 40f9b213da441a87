"""Biased rock-paper-scissors over several rounds; both moves are revealed after each round and payoffs add up."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule
from counterplay.games.kernel_rules import start_empty as start  # noqa: F401 - one of the rules
from counterplay.games.spec_text import spec_of

ROCK, PAPER, SCISSORS = 0, 1, 2
# A state: the secret move of player 0 plus 1 (0 = none yet), rounds played, rounds won minus lost (first those of paper
# against rock, which count `bias`, then the others), and for the labels the moves of each player, two bits a round.
SECRET, ROUND, BIASED, PLAIN, PAST, SIZE = 0, 1, 2, 3, 4, 6
FIELDS = ("secret", "round", "biased", "plain", "past 0", "past 1")


class Rules(NamedTuple):
    """Parameters of rock-paper-scissors."""

    rounds: int
    bias: float
    size: int
    branching: int
    depth: int


def make(rounds: int = 2, bias: float = 2.0) -> FastGame:
    """Rock-paper-scissors in which paper wins `bias` against rock; every other win is worth 1.

    One round's equilibrium is (1, 1, bias) / (2 + bias) on rock, paper, scissors; moves are serialised, player 0 first.
    """
    if not 1 <= rounds <= 8:
        raise InputError(f"rps: rounds must be between 1 and 8, not {rounds}")
    if not (isfinite(bias) and bias > 0):
        raise InputError(f"rps: bias must be a positive number, not {bias}")
    rules = Rules(rounds, float(bias), SIZE, branching=3, depth=2 * rounds + 1)
    return FastGame(spec_of("rps", make, rounds=rounds, bias=bias), rules)


@rule
def player(rules: Any, state: State) -> int:
    if state[ROUND] == rules.rounds:
        return TERMINAL
    return 0 if state[SECRET] == 0 else 1


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    out[0], out[1], out[2] = ROCK, PAPER, SCISSORS
    return 3


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    if state[SECRET] == 0:
        state[SECRET] = action + 1
        return
    first = state[SECRET] - 1
    if first != action:
        won = 1 if (first - action) % 3 == 1 else -1
        state[PLAIN if first == SCISSORS or action == SCISSORS else BIASED] += won
    state[PAST] |= first << 2 * state[ROUND]
    state[PAST + 1] |= action << 2 * state[ROUND]
    state[ROUND] += 1
    state[SECRET] = 0
    seen[0], seen[1] = action + 1, first + 1


@rule
def utility(rules: Any, state: State) -> float:
    return float(state[PLAIN] + rules.bias * state[BIASED])


def infoset_label(rules: Rules, state: State, player: int) -> str:
    """The player's and the other's move of each round: `RP`; a secret move of the current round stands alone at the
    end."""
    words = _rounds(state, player)
    if player == 0 and state[SECRET]:
        words.append("RPS"[state[SECRET] - 1])
    return " ".join(words) or "start"


def public_label(rules: Rules, state: State) -> str:
    """The moves of players 0 and 1 in each round: `RP SS`; a secret move of player 0 is left out."""
    return " ".join(_rounds(state, 0)) or "start"


def _rounds(state: State, player: int) -> list[str]:
    """The completed rounds, the player's own move first."""
    words = []
    for number in range(int(state[ROUND])):
        own, other = (int(state[PAST + i]) >> 2 * number & 3 for i in (player, 1 - player))
        words.append("RPS"[own] + "RPS"[other])
    return words


def action_label(rules: Rules, state: State, action: int) -> str:
    return ("Rock", "Paper", "Scissors")[action]


def network_sizes(rules: Rules) -> tuple[int, int]:
    """The seat, the round, the secret move; the own and the other's move of each round."""
    return 2 + rules.rounds + 3 + 6 * rules.rounds, 3


@rule
def observe(rules: Any, state: State, player: int, out: Any) -> None:
    out[player] = 1.0
    place = 2
    if state[ROUND] < rules.rounds:
        out[place + state[ROUND]] = 1.0
    place += rules.rounds
    if player == 0 and state[SECRET] > 0:
        out[place + state[SECRET] - 1] = 1.0
    place += 3
    # Moves so far, two bits each: three places of the own and three of the other's for each round.
    for number in range(state[ROUND]):
        out[place + 6 * number + (state[PAST + player] >> 2 * number & 3)] = 1.0
        out[place + 6 * number + 3 + (state[PAST + 1 - player] >> 2 * number & 3)] = 1.0
