"""As many bet sizes as fit in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterplay import InputError, Spot
from counterplay.poker.public_tree.size_estimate import SINGLE, size_of
from counterplay.poker.spots.solve_spot import LADDER, fit_sizes
from tests.support.commands import Runner

RIVER = Spot("Qs Jh 2h 8d 3c", "QQ+,AKs", "JJ+,AQs", pot=100, stack=900)


def _gibibytes(spot: Spot) -> float:
    return size_of(spot.betting, spot.cards, alike=True, precision=SINGLE).memory / 2**30


def test_the_richest_menu_that_fits_is_chosen() -> None:
    needed = [_gibibytes(replace(RIVER, bets=sizes)) for sizes in LADDER]
    assert needed == sorted(needed, reverse=True)
    for number, enough in enumerate(needed):
        spot, size = fit_sizes(RIVER, memory=enough * 1.0001)
        assert spot.bets == LADDER[number]
        assert size.memory / 2**30 == pytest.approx(enough)


def test_a_spot_that_never_fits_is_refused() -> None:
    with pytest.raises(InputError, match="is the limit"):
        fit_sizes(RIVER, memory=1e-6)


def test_the_command_prints_the_sizes_that_it_chose(run: Runner) -> None:
    asked = ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+", "--ip", "JJ+", "--pot", "100", "--stack", "900")
    ran = run(*asked, "--bets", "fit", "--iterations", "5")
    assert ran.code == 0
    assert f"bets: {LADDER[0]}" in ran.out
    ran = run(*asked, "--bets", "fit", "--iterations", "5", "--raises", "2", "--json")
    assert ran.json["iterations"] == 5


def test_caps_by_street() -> None:
    capped = Spot("Qs Jh 2h 8d", "QQ+", "JJ+", pot=100, stack=900, bets="50%", raises=(2, 0))
    assert capped.betting.rules.raises[2:] == (2, 0)
    assert Spot.from_table(capped.table()).raises == (2, 0)
    with pytest.raises(InputError, match="each street played needs a cap of at least 0, so 2 of them"):
        _ = Spot("Qs Jh 2h 8d", "QQ+", "JJ+", pot=100, stack=900, raises=(2, 1, 1))
