"""Public chance sampling: an iteration against a plain twin of it, and what it converges to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

from counterplay import InputError
from counterplay.archive import opened
from counterplay.card_abstraction.card_abstraction import lossless
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import TRAINING_KIND, blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import load
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import uniform
from counterplay.poker.whole_game.values.measure import measure
from tests.support.sampling_twin import SamplingTwin, check_tables, set_regrets
from tests.support.whole_games import assert_same_tables

EIGHT = Deck(tuple(4 * rank + suit for rank in (9, 10, 11, 12) for suit in range(2)))
NINE = Deck(tuple(4 * rank + suit for rank in (9, 10, 11) for suit in range(3)))


@cache
def game(last: str = "river", stack: int = 9, sizes: str = "50%, a") -> HoldemGame:
    deck = NINE if last == "river" else EIGHT
    return holdem_game(holdem(stack, blinds=(1, 2), last=last), sizes, deck=deck, dtype=np.float64)


@pytest.mark.parametrize("last", ["flop", "turn", "river"])
def test_iterations_are_those_of_the_plain_twin(last: str) -> None:
    here = game(last)
    buckets = make_buckets(here.boards, EMD((5, 4, 6)[: here.last])) if here.last > 1 else lossless(here.boards)
    solver, random = PublicSampling(SamplingProblem(here, buckets, seed=3)), np.random.default_rng(0)
    twin = SamplingTwin(solver)
    set_regrets(solver, twin, lambda shape: random.normal(size=shape))
    for t in (1, 2):
        twin.iterate(t)
    solver.sample(2)
    check_tables(solver, twin)


def test_without_buckets_it_converges_to_an_equilibrium() -> None:
    here = game("turn", 4, "a")
    solver = PublicSampling(SamplingProblem(here, lossless(here.boards)))
    found = []
    for count in (300, 2200):
        solver.sample(count)
        found.append(measure(here, solver.average()).nash_conv)
    assert found[1] < found[0] / 3
    assert found[1] < measure(here, uniform(here)).nash_conv / 10


def test_iterations_depend_neither_on_how_they_are_called_nor_on_threads() -> None:
    here = game("turn")
    one, two, other = (
        PublicSampling(SamplingProblem(here, lossless(here.boards), seed=s), threads=k)
        for s, k in ((1, 1), (1, 3), (2, 2))
    )
    one.sample(7)
    for count in (1, 4, 2):
        two.sample(count)
    other.sample(7)
    same = [
        a.sums[p].tobytes() == b.sums[p].tobytes()
        for a, b in zip(one.streets, two.streets, strict=True)
        for p in (0, 1)
    ]
    assert all(same)
    assert one.streets[0].sums[0].tobytes() != other.streets[0].sums[0].tobytes()


def test_a_solve_goes_on_from_its_training_file_as_if_never_interrupted(tmp_path: Path) -> None:
    here, file = game("turn"), tmp_path / "a.train"
    lanes = lossless(here.boards)
    whole = blueprint(here, lanes, method="public", iterations=9, seed=4)
    for iterations in (2, 6, 9):
        some = blueprint(here, lanes, method="public", iterations=iterations, seed=4, training=file, threads=2)
        assert some.iterations == iterations
    assert_same_tables(whole.play, some.play)
    with pytest.raises(InputError, match="method, seed or split"):
        blueprint(here, lanes, method="public", iterations=9, seed=5, training=file)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="damaged"):
        blueprint(here, lanes, method="public", iterations=9, seed=4, training=file)


_SOLVE = """
import sys
from pathlib import Path
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import save
from counterplay.poker.whole_game.rules import read_holdem
rules, folder = read_holdem("holdem:deck=16,stack=4bb,last=turn,bets=a,buckets=6/4"), Path(sys.argv[1])
made = blueprint(
    rules.game, make_buckets(rules.game.boards, rules.buckets), method="public", iterations=int(sys.argv[2]), every=0.01,
    keep=lambda made: save(folder / "a.cpb", rules.game, made), training=folder / "a.train",
)
save(folder / "a.cpb", rules.game, made)
"""


@pytest.mark.slow
def test_a_kill_leaves_whole_files_from_which_the_solve_goes_on(tmp_path: Path) -> None:
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
    command = [sys.executable, "-c", _SOLVE]
    killed = subprocess.Popen([*command, str(tmp_path / "killed"), "100000000"])
    try:
        wait_for(lambda: (tmp_path / "killed" / "a.cpb").exists(), 60.0)
        sleep(0.3)
    finally:
        killed.kill()
        killed.wait()
    _, some = load(tmp_path / "killed" / "a.cpb")
    assert some.iterations > 0
    done = reached(tmp_path / "killed" / "a.train")
    for name in ("killed", "whole"):
        subprocess.run([*command, str(tmp_path / name), str(done + 50)], check=True)
    found = [load(tmp_path / name / "a.cpb")[1] for name in ("killed", "whole")]
    assert [one.iterations for one in found] == [done + 50] * 2
    assert_same_tables(found[0].play, found[1].play)


def wait_for(there: Callable[[], bool], seconds: float) -> None:
    """Until something is there."""
    end = monotonic() + seconds
    while not there():
        assert monotonic() < end
        sleep(0.02)


def reached(file: Path) -> int:
    """Iterations of a training file."""
    with opened(file, TRAINING_KIND) as archive:
        return int(archive.facts["iterations"])
