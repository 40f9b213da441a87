"""Rules as kernels that can be made wrong: player 0 moves, and then whoever the parameters say, with their probabilities."""

# ruff: noqa: ARG001 - the functions of rules have fixed signatures

from __future__ import annotations

from typing import Any, NamedTuple

from counterplay import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, rule


class Rules(NamedTuple):
    """Who acts second, how many actions there are, and chance's probabilities."""

    who: int
    many: int
    odds: tuple[float, float]
    size: int = 1
    branching: int = 2
    depth: int = 3


def make(who: int, many: int = 2, odds: tuple[float, float] = (0.5, 0.5)) -> FastGame:
    """The game, perhaps broken."""
    return FastGame("broken", Rules(who, many, odds))


@rule
def start(rules: Any, state: State) -> None:
    state[:] = 0


@rule
def player(rules: Any, state: State) -> int:
    return (0, rules.who, TERMINAL)[state[0]]


@rule
def actions(rules: Any, state: State, out: State, chance: Any) -> int:
    out[0], out[1] = 0, 1
    chance[0], chance[1] = rules.odds
    return 2 if state[0] == 0 else rules.many


@rule
def step(rules: Any, state: State, action: int, seen: State) -> None:
    state[0] += 1
    seen[0], seen[1] = action + 1, action + 1


@rule
def utility(rules: Any, state: State) -> float:
    return 1.0


def infoset_label(rules: Any, state: State, player: int) -> str:
    return f"{player} {state[0]}"


def action_label(rules: Any, state: State, action: int) -> str:
    return "ab"[action]
