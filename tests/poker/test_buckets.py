"""Buckets of hands: equities, histograms and groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from counterplay.card_abstraction.card_abstraction import StreetBuckets
from counterplay.card_abstraction.k_means import k_means
from counterplay.card_abstraction.ochs import (
    cluster,
    cluster_again,
    equities,
    histograms,
    load_buckets,
    save_buckets,
    strength,
)
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.whole_game.blueprints.public_sampling import SamplingProblem
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.holdem import holdem_game
from counterplay.poker.whole_game.values.measure import measure
from counterplay.solvers.minimiser import DCFR
from counterplay_papers.external_sampling import ExternalSampling
from tests.support.flop_holdem import few, flop_arrays, full, toy


def assert_same_lanes(one: StreetBuckets, two: StreetBuckets) -> None:
    assert one.lanes[0].keys() == two.lanes[0].keys()
    for cards, lane in two.lanes[0].items():
        np.testing.assert_array_equal(one.lanes[0][cards], lane)


def test_buckets_are_made_again_from_their_name() -> None:
    flops = toy("3 ranks, 3 suits").boards
    for made in (cluster(flops, 4, seed=5), cluster(flops, 4, preflop=3, remember=True, groups=2)):
        again = cluster_again(flops, made.name)
        assert again is not None
        assert again.name == made.name
        np.testing.assert_array_equal(again.preflop, made.preflop)
        assert_same_lanes(again, made)
    assert cluster_again(flops, "lossless") is None


def test_equities_are_those_of_all_opposing_hands() -> None:
    boards = toy("5 ranks, 2 suits").boards
    groups, flops = np.random.default_rng(0).random((2, boards.classes)), flop_arrays(boards)
    f, hands = 3, boards.deck.hands[flops.hand[3]]
    apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any((2, 3))
    share = (np.sign(flops.rank[f][:, None] - flops.rank[f]) + 1) / 2 * apart
    weights = groups[:, flops.at[f]].T
    np.testing.assert_allclose(equities(boards, groups)[f], share @ weights / (apart @ weights), atol=1e-5)


def test_histograms_know_aces_from_deuces() -> None:
    flops = full()
    shares = strength(flops)
    rows = histograms(flops, shares)
    assert rows[:, -1] == pytest.approx(1)
    names = [flops.name(g) for g in range(flops.classes)]
    means = rows.mean(axis=1)  # the lower the sums, the more often the hand is strong
    assert names[int(means.argmin())] == "AA"
    mean = np.average(shares, weights=np.broadcast_to(flops.choices(flops.root)[1][:, None], shares.shape))
    assert mean == pytest.approx(0.5, abs=1e-6)


def test_groups_of_points() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [10, 0], [0, 10.0]])
    points = np.repeat(centres, 40, axis=0) + rng.normal(0, 0.3, (120, 2))
    labels = k_means(points, np.ones(120), 3, rng)
    assert all(len(set(labels[40 * k : 40 * k + 40].tolist())) == 1 for k in range(3))
    assert len(set(labels.tolist())) == 3
    few = k_means(np.repeat(centres, 5, axis=0), np.ones(15), 7, rng)  # only three points differ
    assert int(few.max()) + 1 == 3


@pytest.mark.slow
def test_buckets_of_the_whole_game(tmp_path: Path) -> None:
    flops, game, buckets = full(), holdem_game(flop_holdem()), few()
    assert (list(buckets.sizes), int(buckets.preflop.max())) == ([30], 19)
    save_buckets(tmp_path / "few.npz", flops, buckets)
    assert_same_lanes(load_buckets(tmp_path / "few.npz", flops), buckets)
    solver = ExternalSampling(SamplingProblem(game, buckets, seed=1))
    found = []
    for count in (20_000, 200_000):
        solver.sample(count)
        found.append(measure(game, solver.average()).exploitability)
    assert found[1] < found[0]
    assert found[1] < 250


def test_the_same_seed_gives_the_same_buckets() -> None:
    flops = toy("5 ranks, 2 suits").boards
    one, two, other = (cluster(flops, 6, preflop=4, groups=3, seed=seed) for seed in (1, 1, 2))
    assert_same_lanes(one, two)
    assert any((one.lanes[0][cards] != lane).any() for cards, lane in other.lanes[0].items())


def test_remembered_buckets_lie_within_those_before_the_flop() -> None:
    game = toy("5 ranks, 2 suits")
    buckets = cluster(game.boards, 3, preflop=4, groups=2, remember=True)
    pairs = {
        pair
        for flop in game.flops
        for pair in zip(buckets.preflop[flop.up].tolist(), buckets.lanes_on(flop)[1].tolist(), strict=True)
    }
    assert len(pairs) == int(buckets.sizes[0])


@pytest.mark.slow
def test_more_buckets_are_less_exploitable() -> None:
    game = toy("5 ranks, 2 suits")
    found = []
    for count in (1, 4, 40):
        solver = VectorCFR(game, cluster(game.boards, count, groups=4), DCFR)
        solver.sweep(150)
        found.append(measure(game, solver.average()).exploitability)
    assert found[0] > found[1] > found[2]
