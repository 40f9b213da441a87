"""Policies of games written as rules: probabilities of actions at any state, enough to play a game to its end.

A policy is a record (a `NamedTuple`) plus a jitted function in the record's module:

    weigh(policy, rules, state, legal, n, odds)   write n weights of at least 0; all 0 means uniform

It must depend only on what the acting player knows. Where an action can be drawn faster than by weighing all, the
module may provide a second jitted function:

    pick(policy, rules, state, u)                 the code of the action that u in [0, 1) draws, or -1: weigh them

The module of a game may provide policies by text:

    policy(rules, text) -> record or None         plain Python
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from counterplay.errors import InputError
from counterplay.games.game import TERMINAL
from counterplay.games.kernel_rules import FastGame, State, module_of, rule
from counterplay.jit import kernel


class Even(NamedTuple):
    """The uniform policy; `unit` is the weight of each action."""

    unit: float = 1.0


@rule
def weigh(policy: Any, rules: Any, state: State, legal: Any, n: int, odds: Any) -> None:  # of `Even`
    for k in range(n):
        odds[k] = policy.unit


def weights(policy: Any, rules: Any, state: Any, legal: Any, n: Any, odds: Any) -> Any: ...


@kernel(inline=True)
def normalise_odds(odds: Any, n: int, noise: float) -> None:
    """Make the first n weights probabilities, even where all are 0, and mix them with uniform play by `noise`."""
    total = 0.0
    for k in range(n):
        total += odds[k]
    for k in range(n):
        share = odds[k] / total if total > 0.0 else 1.0 / n
        odds[k] = (1.0 - noise) * share + noise / n


@overload(weights, strict=False)
def _weights(policy: Any, rules: Any, state: Any, legal: Any, n: Any, odds: Any) -> Any:
    target = sys.modules[policy.instance_class.__module__].weigh
    return lambda policy, rules, state, legal, n, odds: target(policy, rules, state, legal, n, odds)


def pick(policy: Any, rules: Any, state: Any, u: Any) -> Any: ...


@overload(pick, strict=False)
def _pick(policy: Any, rules: Any, state: Any, u: Any) -> Any:
    target = getattr(sys.modules[policy.instance_class.__module__], "pick", None)
    if target is None or policy.instance_class.__module__ == __name__:
        return lambda policy, rules, state, u: -1  # noqa: ARG005 - as it is called
    return lambda policy, rules, state, u: target(policy, rules, state, u)


@dataclass(frozen=True)
class Policy:
    """A policy by its text and record (the argument of `weigh`), and its player's noise: the probability of a uniformly
    drawn action at every decision."""

    name: str
    record: Any
    noise: float = 0.0

    def odds(self, game: FastGame, state: State) -> dict[str, float]:
        """The probability of each action at a state that is not terminal, by the actions' texts."""
        if game.player(state) >= TERMINAL:
            raise InputError(f"{game.name} is over there")
        legal, out = game.legal(state)
        module = sys.modules[type(self.record).__module__]
        module.weigh(self.record, game.rules, state, legal, len(legal), out)
        total, even = float(out.sum()), 1.0 / len(out)  # uniform if all weights are 0
        share = out / total if total > 0.0 else np.full(len(out), even)
        odds = ((1.0 - self.noise) * share + self.noise * even).tolist()
        return dict(zip((game.action_name(state, a) for a in legal.tolist()), odds, strict=True))


def policy_of(game: FastGame, text: str) -> Policy | None:
    """The policy of an opponent's text: `uniform` or one that the game provides; None for an unknown name."""
    known = getattr(module_of(game.rules), "policy", None)
    record = known(game.rules, text) if known else None
    if record is None and text == "uniform":
        record = Even()
    return None if record is None else Policy(text, record)
