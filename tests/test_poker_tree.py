"""Public trees with cards: sweeps against the written-out matrix, against the generic path, and where nothing is random."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import counterplay as cp
from counterplay.errors import InputError
from counterplay.poker.betting_tree import build
from counterplay.poker.boards import Boards, Cards, count_places
from counterplay.poker.estimate import size_of
from counterplay.poker.limits import Rules, spot
from counterplay.poker.problem import PublicTree, public_tree
from counterplay.poker.runs import shape_of
from counterplay.poker.spot import Spot
from counterplay.solvers.best_response import gap
from counterplay.solvers.cfr import Stop, solve_cfr
from counterplay.solvers.equilibrium import solve_lp
from counterplay.solvers.minimiser import MINIMISERS, minimiser


def toy(seed: int, street: str, bets: str, *, cards: int = 8, hands: int = 10, rake: float = 0.0) -> PublicTree:
    """A spot of a tiny deck: some of its hands with random weights and strengths that hang on the board."""
    rng = np.random.default_rng(seed)
    shown = {"river": 2, "turn": 1, "flop": 0}[street]
    deck, board = tuple(range(cards)), tuple(range(shown))
    free = [(low, high) for high in range(shown, cards) for low in range(shown, high)]
    kept = np.array(sorted(free[k] for k in rng.permutation(len(free))[:hands]))
    weights = rng.random((2, len(kept))) * (rng.random((2, len(kept))) < 0.8) + 1e-3

    def rank(board: tuple[int, ...], held: NDArray[Any]) -> NDArray[Any]:
        return (held * (3 + sum(board))).sum(axis=1) % 5

    betting = build(spot(street, 10, 30, raises=2, rake=rake), bets)
    return public_tree(betting, Cards(deck, board, kept, weights, rank))


def plans(tree: PublicTree, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers at all sequences, which need not be plans: products are linear."""
    rng = np.random.default_rng(seed)
    first, second = (np.where(runs.tree.real, rng.random(runs.tree.size), 0.0) for runs in tree.runs)
    return first, second


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6), street=st.sampled_from(["river", "turn", "flop"]),
    bets=st.sampled_from(["50%, a", "a", "none", "oop: none; ip: a", "ip: none; oop: 100%"]),
)  # fmt: skip
def test_sweeps_equal_the_written_out_matrix(seed: int, street: str, bets: str) -> None:
    tree = toy(seed, street, bets, cards=6 if street == "flop" else 8)
    given = plans(tree, seed)
    payoff, matrix = tree.leaves, tree.leaves.explicit
    for player in (0, 1):
        found, wanted = (leaves.product(player, given[1 - player]) for leaves in (payoff, matrix))
        np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max(), rtol=0)
    assert payoff.value(*given) == pytest.approx(matrix.value(*given), rel=1e-12)
    assert payoff.entries >= matrix.entries


@pytest.mark.parametrize("method", MINIMISERS)
def test_minimisers_see_no_difference(method: str) -> None:
    tree = toy(3, "turn", "50%, a")
    stop = Stop(iterations=60)
    swept = solve_cfr(tree.subgame, minimiser(method), stop)
    listed = solve_cfr(replace(tree.subgame, leaves=tree.leaves.explicit), minimiser(method), stop)
    assert swept.value == pytest.approx(listed.value, abs=1e-6)
    assert swept.nash_conv == pytest.approx(listed.nash_conv, abs=1e-6)


@pytest.mark.parametrize("street", ["river", "turn", "flop"])
def test_minimisers_come_to_the_value_of_the_linear_program(street: str) -> None:
    tree = toy(1, street, "100%, a" if street != "flop" else "a", cards=6 if street == "flop" else 8, hands=8)
    exact = solve_lp(tree.subgame)
    assert exact.nash_conv <= 1e-9
    found = solve_cfr(tree.subgame, minimiser("pdcfr+"), Stop(exploitability=1e-5, iterations=20_000))
    assert found.value == pytest.approx(exact.value, abs=2e-5)


def leduc() -> PublicTree:
    """Leduc poker as betting on the last two streets, hands of one card, and one card to come."""
    rules = Rules(stacks=(100, 100), pot=2, first=2, last=3, bets=(0, 0, 2, 4), raises=(None, None, 2, 2))

    def rank(board: tuple[int, ...], held: NDArray[Any]) -> NDArray[Any]:
        own = held[:, 0] // 2
        return np.where(own == board[0] // 2, 10, own)

    hands = np.stack([np.arange(6), 100 + np.arange(6)], axis=1)  # the second card is a dummy that nobody else holds
    return public_tree(build(rules), Cards(tuple(range(6)), (), hands, np.ones((2, 6)), rank, held=1))


def test_leduc_written_both_ways() -> None:
    tree, game = leduc(), cp.load("leduc")
    assert [runs.tree.infosets - 6 for runs in tree.runs] == [one.infosets for one in game.trees]
    assert solve_lp(tree.subgame).value == pytest.approx(solve_lp(game.subgame).value, abs=1e-9)
    for iterations in (10, 100):  # much later rounding has grown into different paths to the same value
        ours, theirs = (
            solve_cfr(subgame, minimiser("cfr+"), Stop(iterations=iterations))
            for subgame in (tree.subgame, game.subgame)
        )
        assert ours.value == pytest.approx(theirs.value, abs=1e-6)
        assert ours.nash_conv == pytest.approx(theirs.nash_conv, abs=1e-6)


def test_a_rake_is_what_both_lose() -> None:
    fair, raked = toy(5, "river", "a"), toy(5, "river", "a", rake=0.1)
    given = tuple(
        fair.subgame.restrictions[i].played(runs.tree, runs.tree.uniform()) for i, runs in enumerate(fair.runs)
    )
    assert fair.leaves.paid(*given) == 0.0
    assert 1.0 < raked.leaves.paid(*given) < 7.0  # a tenth of a pot of 10 to 70 chips
    with pytest.raises(InputError, match="zero-sum"):
        solve_lp(raked.subgame)
    assert gap(raked.subgame, given)[0] > 0.0


def test_large_payoffs_are_not_written_out() -> None:
    with pytest.raises(InputError, match="use a minimiser"):
        solve_lp(public_tree(*parts("Qs Jh 2h 8d 3c", "random", "random")).subgame)


def parts(board: str, oop: str, ip: str) -> tuple[Any, Any]:
    asked = Spot(board, oop, ip, 200, 550)  # type: ignore[arg-type]
    return asked.betting, asked.cards


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), deals=st.integers(0, 2))
def test_places_are_counted_before_they_are_made(seed: int, deals: int) -> None:
    tree = toy(seed, ("river", "turn", "flop")[deals], "50%, a", cards=7)
    cards = tree.boards.cards
    layers = Boards(cards, deals).layers
    assert count_places(cards, deals) == [(len(layer.boards), layer.places) for layer in layers]
    for player, runs in enumerate(tree.runs):
        shape = shape_of(tree.betting, player, [layer.places for layer in layers])
        assert shape.size == runs.tree.size
        labels = runs.tree.labels
        assert len(labels.infosets) == runs.tree.infosets == len(set(labels.infosets))
        assert labels.lanes == runs.tree.visit_order.tolist()
    for layer in range(deals):
        up = tree.boards.above(deals, layer)
        np.testing.assert_array_equal(layers[layer].hand[up], layers[deals].hand)


def test_memory_is_within_a_tenth_of_the_estimate() -> None:
    asked = Spot("Qs Jh 2h 8d", "22+,A2+,KT+,QJ,JT", "22+,A2s+,K9+,QT+,J9+", 200, 900, "75%, a")  # type: ignore[arg-type]
    small = Spot("Qs Jh 2h 8d 3c", "AA,KK", "QQ", 200, 900)  # type: ignore[arg-type]
    solve_cfr(public_tree(small.betting, small.cards).subgame, minimiser("dcfr"), Stop(iterations=1))  # compiles
    estimate = size_of(asked.betting, asked.cards)
    tracemalloc.start()
    solve_cfr(public_tree(asked.betting, asked.cards).subgame, minimiser("dcfr"), Stop(iterations=33))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert estimate.memory == pytest.approx(peak, rel=0.1)
