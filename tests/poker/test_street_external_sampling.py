"""External sampling on several streets."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from counterplay.poker.whole_game.blueprints.public_sampling import SamplingProblem
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.measure import measure
from counterplay_papers.external_sampling import TOGETHER, StreetExternalSampling, external_blueprint
from tests.support import split_games
from tests.support.whole_games import assert_same_tables

FILES = Path(__file__).parents[1] / "files"
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
    whole = external_blueprint(GAME, lanes, iterations=3 * TOGETHER + 7, seed=2)
    for iterations in (100, TOGETHER, 2 * TOGETHER + 1, 3 * TOGETHER + 7):
        some = external_blueprint(GAME, lanes, iterations=iterations, seed=2, training=file)
    assert_same_tables(whole.play, some.play)


def test_files_of_the_time_when_the_library_had_it_are_read(tmp_path: Path) -> None:
    """A blueprint as a strategy, and a training, which goes on."""
    game, made = load(FILES / "external.cpb")
    assert (made.method, made.iterations) == ("external", 512)
    found = measure(game, made.play)
    assert found.value == pytest.approx(-0.13524166065758178, abs=1e-12)
    assert found.best == pytest.approx((1.5070558597841779, 1.5196726785191241), abs=1e-12)
    copy(FILES / "external.train", tmp_path / "external.train")
    training = tmp_path / "external.train"
    again = external_blueprint(split_games.game(), split_games.buckets(), iterations=512, seed=2, training=training)
    assert_same_tables(again.play, made.play)
    more = external_blueprint(split_games.game(), split_games.buckets(), iterations=1024, seed=2, training=training)
    whole = external_blueprint(split_games.game(), split_games.buckets(), iterations=1024, seed=2)
    assert_same_tables(more.play, whole.play)
