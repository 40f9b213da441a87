"""The interval over all equilibria of gadget games on ranges is that of the same spot enumerated, hands dealt by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import counterplay as cp
from counterplay import InputError, Stop
from counterplay.poker.public_tree.public_tree import public_tree
from counterplay.poker.spots.spot_game import SpotGame
from tests.support.covering import covering
from tests.support.public_trees import toy


def turn(seed: int) -> SpotGame:
    """Four hands of six cards; none is so rare that linear programs of two shapes round differently."""
    tree = toy(seed, "turn", "a", hands=4, cards=6)
    weights = np.random.default_rng(seed).choice([0.25, 0.5, 1.0], (2, 4))
    return SpotGame("toy", public_tree(tree.betting, replace(tree.boards.cards, weights=weights)), 10.0, 0.01)


@pytest.mark.parametrize(
    ("asked", "seat", "seed"),
    covering(
        [("max-margin", "none", "uniform"), ("resolving", "none", "cfr:2"), ("max-margin", "uniform", "uniform")],
        [0, 1],
        [1, 3],
    ),
)
def test_ranges_and_the_enumerated_game_have_one_interval(asked: tuple[str, str, str], seat: int, seed: int) -> None:
    """A subgame is a board in both: the public states of so few hands would be finer, since each rules out others. Margins
    are normalised: how likely the opponent's hand is dealt is the range's on one side, and chance's on the other."""
    (gadget, prior, blueprint), spot = asked, turn(seed)
    ours, theirs = (
        cp.resolve(
            game, blueprint, "round", seat=seat, gadget=gadget, prior=prior, solver="lp", interval=True,
            continuation=True, declared=declared, normalised=True,
        )
        for game, declared in ((spot, False), (cp.load(spot.rules), True))
    )  # fmt: skip
    assert ours.states == theirs.states
    assert ours.equilibria is not None
    assert theirs.equilibria is not None
    assert vars(ours.equilibria) == pytest.approx(vars(theirs.equilibria), abs=1e-6)
    assert ours.continuation == pytest.approx(theirs.continuation, abs=1e-9)
    assert ours.equilibria.best - 1e-6 <= ours.after <= ours.equilibria.bound + 1e-4
    if gadget == "max-margin" and prior == "none":
        assert ours.equilibria.worst > ours.equilibria.best + 0.1, "there is more than one equilibrium"


def test_behind_the_full_gadget_all_equilibria_are_the_least_exploitable() -> None:
    spot = turn(3)
    found = cp.resolve(spot, "uniform", "round", gadget="full", solver="dcfr", stop=Stop(iterations=500), interval=True)
    other = cp.resolve(spot, "uniform", "round", gadget="max-margin", solver="lp", interval=True)
    assert found.equilibria is not None
    assert other.equilibria is not None
    assert found.equilibria.worst == found.equilibria.best <= other.equilibria.best + 1e-9
    assert found.equilibria.best == pytest.approx(found.after, abs=1e-3)


def test_a_spot_too_large_for_the_interval_is_refused_before_anything_is_solved() -> None:
    wide = cp.Spot("Qs Jh 2h 8d", "QQ,KTs,76s,AK", "JJ,AQs,65s,KQ", 100, 200, "75%, a")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="too large for the interval"):
        cp.resolve(wide, "uniform", "round", gadget="max-margin", interval=True)
