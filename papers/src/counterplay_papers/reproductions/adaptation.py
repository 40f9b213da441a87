"""Agents that learn, over many hands of Leduc poker: chips won beyond the value of the game, in exact expectation.

The opponents never change, change in the middle, or let themselves be learned for the first half and answer optimally, and
anew to every strategy of the agent, in the second. Hands are drawn; what counts is the expectation of each hand given both
strategies, so that luck plays a part only in what is learned. The last column is the largest exploitability on the way.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from counterplay import Strategy, agent, opponent
from counterplay.agents.learning.learning_agent import LearningAgent
from counterplay.opponents.counting.terminal_infosets import SHOWDOWN, TerminalInfosets
from counterplay.solvers.best_response import best_response, steady_best_response
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay_papers.experiment import Experiment, field, grid
from counterplay_papers.responses import game

SPEC, HANDS, SHORT = "leduc", 10_000, 1_000
AGENTS = {
    "fixed p = 0.9": "learn:fixed,p=0.9",
    "evidence": "learn:evidence,p=0.9",
    "evidence, SES": "learn:evidence,p=0.9,method=ses",
    "gifts": "learn:gifts",
    "gifts on average": "learn:gifts,credit=mean",
}
_LATE = ("evidence, SES",)
_OPTIMAL = "optimal"
OPPONENTS = {
    "errs (noise:0.4:nash)": ("noise:0.4:nash", "noise:0.4:nash"),
    "weak (random:1)": ("random:1", "random:1"),
    "passive, then aggressive": ("passive", "aggressive"),
    "equilibrium": ("nash", "nash"),
    "weak, then optimal": ("random:1", _OPTIMAL),
}


_opponent = cache(opponent)


class Adaptation(NamedTuple):
    """Chips in all beyond the value of the game, and the largest exploitability of a strategy on the way."""

    won: float
    risk: float


def adaptation() -> Experiment:
    """A row for each opponent and number of hands."""
    rows = {f"{hands:,} hands, {name}": (two, hands) for hands in (SHORT, HANDS) for name, two in OPPONENTS.items()}
    columns = {f"{name} {measure}": (name, measure) for name in AGENTS for measure in ("won", "risk")}
    cells = grid(
        rows, columns, lambda row, column: field(column[1], adapt, AGENTS[column[0]], *row),
        lambda row, column: row[1] != SHORT or column[0] in _LATE,
    )  # fmt: skip
    title = "chips won in all beyond the value of the game, and the largest exploitability on the way; Leduc, seat 0"
    return Experiment("adaptation", title, "Ganzfried and Sandholm 2015", 2, cells, measure="chips")


@lru_cache(maxsize=32)
def adapt(text: str, sources: tuple[str, str], hands: int, seed: int = 0) -> Adaptation:
    """One agent against one opponent."""
    tree, draws = game(SPEC), iter(np.random.default_rng(seed).random(hands))
    learner = agent(tree, text, 0, seed)
    assert isinstance(learner, LearningAgent)
    sight, value = _sight(), equilibrium_of(tree).value
    base, (mine, theirs) = tree.histories.reach[sight.ends], (sequence[sight.ends] for sequence in tree.sequences)
    won, risk, hand = 0.0, 0.0, 0
    while hand < hands:
        played, source = learner.strategy, sources[2 * hand >= hands]
        if source == _OPTIMAL:
            other = Strategy(tree.trees[1], steady_best_response(tree.subgame, 1, played.plan))
        else:
            other = _opponent(tree, source, 1)
        worth = float(tree.payoff.product(0, other.plan) @ played.plan)
        risk = max(risk, value + best_response(tree.subgame, 1, played.plan).value)
        chance = np.cumsum(base * played.plan[mine] * other.plan[theirs])
        while hand < hands and learner.strategy is played and sources[2 * hand >= hands] == source:
            end = int(np.searchsorted(chance, next(draws) * chance[-1]))
            won, hand = won + worth - value, hand + 1
            learner.learn_from(sight.like(int(sight.ends[end])))
    return Adaptation(won, risk)


@cache
def _sight() -> TerminalInfosets:
    return TerminalInfosets(game(SPEC), 0, SHOWDOWN)
