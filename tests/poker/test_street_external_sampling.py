"""External sampling on several streets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.street_external_sampling import TOGETHER, StreetExternalSampling
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.measure import measure
from tests.support.whole_games import assert_same_tables

EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
GAME = holdem_game(holdem(4, blinds=(1, 2), last="turn"), "a", deck=EIGHT, dtype=np.float64)


def test_without_buckets_it_comes_closer_to_an_equilibrium() -> None:
    solver, found = StreetExternalSampling(SamplingProblem(GAME, lossless(GAME.boards))), []
    for count in (20_000, 180_000):
        solver.sample(count)
        found.append(measure(GAME, solver.average()).nash_conv)
    assert found[1] < found[0] / 2
    assert found[1] < measure(GAME, uniform(GAME)).nash_conv / 5


def test_equal_seeds_give_equal_bits_interrupted_or_not(tmp_path: Path) -> None:
    lanes, file = lossless(GAME.boards), tmp_path / "a.train"
    whole = blueprint(GAME, lanes, method="external", iterations=3 * TOGETHER + 7, seed=2)
    for iterations in (100, TOGETHER, 2 * TOGETHER + 1, 3 * TOGETHER + 7):
        some = blueprint(GAME, lanes, method="external", iterations=iterations, seed=2, training=file)
    assert_same_tables(whole.play, some.play)
