"""Cells of experiments with models from hands: hands of an opponent are drawn, a model is made, and responses are measured
against the opponent itself.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from counterplay import Counts, Strategy, opponent, respond
from counterplay.opponents.counting.observations import Observations
from counterplay.opponents.counting.terminal_infosets import SHOWN, TerminalInfosets
from counterplay.responses.method import METHOD
from counterplay_papers.cells.model_cells import game, matchup

OBSERVER = "noise:0.2:nash"
"""What the observing seat plays while hands are drawn."""
PRIOR = "nash"
_EXACT = 1e9


class HandsSeen(NamedTuple):
    """Which hands were seen: of which opponent (seat 1) in which game, how many, what was revealed, and the seed."""

    spec: str
    source: str
    reveal: str
    hands: int
    seed: int = 0


class TrueGain(NamedTuple):
    """Of a response to a model, in chips: what it wins from the opponent beyond the value of the game, and what it risks."""

    gain: float
    exploitability: float


@cache
def _odds(spec: str, source: str, reveal: str) -> tuple[TerminalInfosets, np.ndarray]:
    """The sight of seat 0, and the probability of each end."""
    tree = game(spec)
    sight, truth, own = TerminalInfosets(tree, 0, reveal), opponent(tree, source, 1), opponent(tree, OBSERVER, 0)
    ends = sight.ends
    odds = tree.histories.reach[ends] * own.plan[tree.sequences[0][ends]] * truth.plan[tree.sequences[1][ends]]
    return sight, odds / odds.sum()


@lru_cache(maxsize=8)
def seen_hands(seen: HandsSeen) -> Counts:
    """The hands, counted."""
    sight, odds = _odds(seen.spec, seen.source, seen.reveal)
    counts = Counts(game(seen.spec), 1)
    counts.see_sampled(sight, np.random.default_rng([seen.seed, seen.hands]).multinomial(seen.hands, odds))
    return counts


@lru_cache(maxsize=8)
def model_of(seen: HandsSeen, by: str) -> Strategy:
    """The model that an estimator makes of them."""
    return seen_hands(seen).strategy(PRIOR, by=by)


@lru_cache(maxsize=64)
def true_gain(seen: HandsSeen, by: str, method: str) -> TrueGain:
    """A response to the model, measured against the opponent.

    Raises:
        KeyboardInterrupt: the solve was cut short, so its numbers must not be kept.
    """
    answer = respond(game(seen.spec), model_of(seen, by), METHOD.parse(method))
    if answer.interrupted:
        raise KeyboardInterrupt
    pair = matchup(seen.spec, seen.source)
    return TrueGain(pair.value_against_model(answer.strategy.plan) - pair.game_value, answer.exploitability)


def nats_behind(seen: HandsSeen, by: str) -> float:
    """How much worse the model predicts a decision of the opponent than the opponent's own strategy does, in nats; all hands
    weighted by their probability, all cards shown. Each strategy has 1 % of uniform play.
    """
    data = _all_hands(seen.spec, seen.source)
    truth = opponent(game(seen.spec), seen.source, 1)
    return data.score(truth.behaviour)[0] - data.score(model_of(seen, by).behaviour)[0]


@lru_cache(maxsize=4)
def _all_hands(spec: str, source: str) -> Observations:
    sight, odds = _odds(spec, source, SHOWN)
    counts = Counts(game(spec), 1)
    counts.see_sampled(sight, _EXACT * odds)
    return counts.observations
