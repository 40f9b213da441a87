"""Strategies that a long solve tells before it ends, with their measured exploitability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from counterplay import Stop, solve_spot
from counterplay.measure.progress import Bar
from counterplay.poker.betting.stakes import Stakes
from counterplay.poker.cards.deck import FULL
from counterplay.poker.compact import compact_solve
from tests.support.stored_spots import TURN


class Watch:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.looks: list[tuple[int, float]] = []
        self.told: list[tuple[int, Mapping[str, float], float]] = []

    def __call__(self, iterations: int, exploitability: float) -> None:
        self.looks.append((iterations, exploitability))

    def so_far(self, shares: Mapping[str, float], exploitability: float) -> None:
        self.told.append((self.looks[-1][0], shares, exploitability))


def frequencies(node: Any) -> list[float]:
    """How often each action is taken at the root by oop, hand by hand and over all hands that ip may have."""
    hands = FULL.hands.tolist()
    ours, theirs = node.ranges
    found, total = np.zeros(len(node.actions)), 0.0
    for one in np.flatnonzero(ours > 0.0).tolist():
        met = sum(theirs[k] for k in np.flatnonzero(theirs > 0.0).tolist() if not {*hands[k]} & {*hands[one]})
        found += ours[one] * met * node.probabilities[one]
        total += ours[one] * met
    return list(found / total)


@pytest.mark.parametrize("board", ["Qs Jh 9h 8d", "Qs Js 9s 8s"])
def test_what_is_told_is_what_a_solve_of_as_many_iterations_ends_with(
    board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frequencies at the first decision as the node shows them, which reads all hands on all boards."""
    monkeypatch.setattr(compact_solve, "_LONG", 0.0)
    spot, watch = replace(TURN, board=board), Watch()
    solve_spot(spot, percent_of_pot=0.4, precision="single", progress=watch)
    assert len(watch.told) >= 2
    for iterations, shares, exploitability in (watch.told[0], watch.told[-1]):
        same = solve_spot(spot, percent_of_pot=0.0, iterations=iterations, precision="single")
        node = same.node("")
        assert tuple(shares) == tuple(node.actions)
        assert list(shares.values()) == pytest.approx(frequencies(node), abs=1e-9)
        assert exploitability == pytest.approx(same.facts["exploitability"], abs=1e-9 * spot.pot)


def test_short_solves_tell_nothing() -> None:
    watch = Watch()
    solve_spot(TURN, percent_of_pot=20.0, precision="single", progress=watch)
    assert watch.looks
    assert not watch.told


def test_lines_are_told_at_first_and_when_they_are_far_better(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar(Stop(1.0), quiet=False, stakes=Stakes(200.0)) as bar:
        assert isinstance(bar, compact_solve.EarlyWatch)
        for exploitability in (40.0, 20.0, 9.0, 8.0, 2.0):
            bar.so_far({"check": 0.751, "bet 100": 0.249}, exploitability)
    lines = capsys.readouterr().err.splitlines()
    told = "check 75 %, bet 100 25 %; Ctrl-C keeps the best"
    assert lines == [f"so far, to {n} % of the pot: {told}" for n in ("20", "4.5", "1")]
