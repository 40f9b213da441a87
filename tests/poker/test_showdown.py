"""Showdown and fold kernels against dense matrices, and where the answers can be derived by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from counterplay import InputError
from counterplay.jit import kernel
from counterplay.poker.showdown.showdown import evaluate, evaluate_at
from counterplay.poker.showdown.terminals import Fold, RankedBoard, Showdown, scratch_of, terminals_of
from counterplay.treeplex.simd import pointer
from tests.support.ranked_boards import board_of

Hands = tuple[NDArray[Any], NDArray[Any]]
Terminal = Showdown | Fold
DTYPES = {np.float64: 1e-13, np.float32: 2e-5}
"""Tolerance of each, relative to the largest entry of the answer."""


def hands_of(seed: int, deck: int, most: int, ranks: int) -> Hands:
    """At most `most` random hands of a deck, sorted by random ranks."""
    rng = np.random.default_rng(seed)
    cards = rng.permutation(list(combinations(range(deck), 2)))[:most]
    return cards, np.sort(rng.integers(0, ranks, len(cards)))


def river() -> Hands:
    """1,081 hands with about as many ties as a real board makes."""
    return hands_of(5, 47, 1081, 90)


def relations(hands: Hands) -> NDArray[np.float64]:
    """(3, n, n) dense: 1 where the second hand ranks below, equal, above the first and shares no card with it."""
    cards, rank = hands
    return _relations(tuple(map(tuple, cards.tolist())), tuple(rank.tolist()))


@lru_cache(maxsize=2)
def _relations(hands: tuple[tuple[int, ...], ...], ranks: tuple[int, ...]) -> NDArray[np.float64]:
    cards, rank = np.array(hands), np.array(ranks)
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any((2, 3))
    return np.array(
        [apart & (rank < rank[:, None]), apart & (rank == rank[:, None]), apart & (rank > rank[:, None])], float
    )


def dense(terminal: Terminal, met: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) the payoff of every hand, the NumPy twin of the kernels; met: (3, n), the reach below, equal and above."""
    below, equal, above = met
    if isinstance(terminal, Fold):
        return terminal.amount * (below + equal + above)
    return terminal.win * below + terminal.tie * equal - terminal.lose * above


def twin(hands: Hands, terminals: Sequence[Terminal], plan: NDArray[Any], out: NDArray[Any]) -> NDArray[np.float64]:
    """What the kernel leaves in `out`, in float64."""
    found, n = out.astype(float), len(hands[1])
    reach = np.array([plan[one.reach : one.reach + n] for one in terminals], float).reshape(-1, n)
    for terminal, met in zip(terminals, (relations(hands) @ reach.T).transpose(2, 0, 1), strict=True):
        found[terminal.cfv : terminal.cfv + n] += dense(terminal, met)
    return found


def run(
    hands: Hands, terminals: Sequence[Terminal], plan: NDArray[Any], out: NDArray[Any], store: bool = False
) -> None:
    board = board_of(*hands)
    laid = terminals_of(board, terminals, (len(plan), len(out)), plan.dtype, store=store)
    evaluate(board, laid, plan, out, scratch_of(board, plan.dtype))


def payoff(hands: Hands, terminal: Terminal, reach: NDArray[Any]) -> NDArray[np.float64]:
    """(n,) of one terminal."""
    out = np.zeros(len(reach))
    run(hands, [terminal._replace(reach=0, cfv=0)], reach, out)
    return out


def mixture(rng: np.random.Generator, n: int, shows: int, folds: int, shared: int) -> tuple[list[Terminal], int]:
    """Terminals whose runs need not be aligned, some at one reach and some at one place; and the room that they need."""
    places = [int(place) for place in rng.permutation(2 * (shows + folds)) * (n + 3) + 1]
    terminals: list[Terminal] = []
    for k in range(shows):
        tie = 0.0 if k % 3 else float(rng.normal())
        low, high = rng.uniform(0.5, 3, 2).tolist()
        terminals.append(Showdown(places.pop(), places.pop(), tie + high, low - tie, tie))
    for k in range(folds):
        reach, cfv = places.pop(), places.pop()
        if k < min(shared, shows):
            reach = terminals[k].reach
        elif k < min(2 * shared, shows):
            cfv = terminals[k].cfv
        terminals.append(Fold(reach, cfv, float(rng.normal())))
    return terminals, 2 * (shows + folds) * (n + 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("deck", [47, 52])
@pytest.mark.parametrize(("shows", "folds"), [(1, 0), (0, 1), (2, 2), (8, 3), (9, 17), (33, 30)])
def test_full_ranges_equal_dense_matrices(dtype: Any, deck: int, shows: int, folds: int) -> None:
    hands, rng = hands_of(5, deck, 1326, 90), np.random.default_rng(shows)
    terminals, size = mixture(rng, len(hands[1]), shows, folds, 3)
    plan, out = rng.random(size).astype(dtype), rng.random(size).astype(dtype)
    wanted = twin(hands, terminals, plan, out)
    run(hands, terminals, plan, out)
    np.testing.assert_allclose(out, wanted, atol=DTYPES[dtype] * np.abs(wanted).max(), rtol=0)


@settings(deadline=None, max_examples=100)
@given(
    seed=st.integers(0, 10**6), deck=st.integers(2, 12), most=st.integers(1, 70), ranks=st.integers(1, 80),
    shows=st.integers(0, 18), folds=st.integers(0, 18), dtype=st.sampled_from(list(DTYPES)),
)  # fmt: skip
def test_small_decks_equal_dense_matrices(
    seed: int, deck: int, most: int, ranks: int, shows: int, folds: int, dtype: Any
) -> None:
    hands, rng = hands_of(seed, deck, most, ranks), np.random.default_rng(seed)
    terminals, size = mixture(rng, len(hands[1]), shows, folds, 2)
    plan, out = rng.random(size + 1).astype(dtype), rng.random(size + 1).astype(dtype)
    plan[rng.random(size + 1) < 0.4] = 0
    wanted = twin(hands, terminals, plan, out)
    run(hands, terminals, plan, out)
    np.testing.assert_allclose(out, wanted, atol=DTYPES[dtype] * np.abs(wanted).max(), rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_stored_places_forget_what_they_held_and_others_keep_it(dtype: Any) -> None:
    hands, rng = hands_of(3, 10, 45, 9), np.random.default_rng(3)
    terminals, size = mixture(rng, 45, 13, 12, 4)
    plan, out, clean = rng.random(size).astype(dtype), np.full(size, np.nan, dtype), np.zeros(size, dtype)
    run(hands, terminals, plan, out, store=True)
    run(hands, terminals, plan, clean)
    written = np.zeros(size, bool)
    for terminal in terminals:
        written[terminal.cfv : terminal.cfv + 45] = True
    np.testing.assert_array_equal(out[written], clean[written])
    assert np.isnan(out[~written]).all()


def test_both_sides_of_a_terminal_sum_to_zero() -> None:
    hands, rng = river(), np.random.default_rng(0)
    x, y = rng.random(1081), rng.random(1081)
    for one, two in [
        (Showdown(0, 0, 3, 2, 0.5), Showdown(0, 0, 2, 3, -0.5)),
        (Showdown(0, 0, 1, 1), Showdown(0, 0, 1, 1)),
        (Fold(0, 0, 1.5), Fold(0, 0, -1.5)),
    ]:
        first, second = payoff(hands, one, y), payoff(hands, two, x)
        assert abs(x @ first + y @ second) <= 1e-12 * (x @ np.abs(first))


def test_ranges_that_always_win_lose_or_tie() -> None:
    low, high = list(combinations(range(6), 2)), list(combinations(range(6, 12), 2))
    cards, below = np.array(low + high), np.arange(30) < 15
    reach = np.arange(1.0, 31.0)
    for rank, win, tie in [(~below, 1, 0), (0 * below, 0, 1)]:
        hands = cards, rank.astype(int)
        found = payoff(hands, Showdown(0, 0, 7, 5, 1), np.where(below, reach, 0.0))
        np.testing.assert_allclose(found[15:], (7 * win + tie) * reach[:15].sum(), rtol=1e-14)
        found = payoff(hands, Showdown(0, 0, 7, 5, 1), np.where(below, 0.0, reach))
        np.testing.assert_allclose(found[:15], (tie - 5 * win) * reach[15:].sum(), rtol=1e-14)


def test_three_hands_by_hand() -> None:
    """Hands 01 < 23 = 24 < 45; the middle ones share card 2, and the last shares card 4 with one of them."""
    hands = np.array([[0, 1], [2, 3], [2, 4], [4, 5]]), np.array([3, 8, 8, 9])
    reach = np.array([1.0, 10.0, 100.0, 1000.0])
    assert payoff(hands, Showdown(0, 0, 2, 3, 0.5), reach).tolist() == pytest.approx([-3330, -2998, 2, 22], abs=1e-10)
    assert payoff(hands, Fold(0, 0, 2), reach).tolist() == pytest.approx([2220, 2002, 2, 22], abs=1e-10)


@pytest.mark.parametrize("terminal", [Showdown(0, 0, 2, 3, 0.5), Fold(0, 0, 4)])
def test_hands_that_share_a_card_contribute_nothing(terminal: Terminal) -> None:
    cards, rank = river()
    mine = 400
    shares = (np.isin(cards, cards[mine])).any(1)
    reach = np.where(shares, 1.0, 0.0)
    assert abs(payoff((cards, rank), terminal, reach)[mine]) <= 1e-13 * reach.sum()


@pytest.mark.parametrize("terminal", [Showdown(0, 0, 2, 3, 0.5), Fold(0, 0, 4)])
def test_payoffs_are_linear_in_the_reach(terminal: Terminal) -> None:
    hands, rng = river(), np.random.default_rng(1)
    x, y = rng.random((2, 1081))
    both = payoff(hands, terminal, 2 * x - 3 * y)
    parts = 2 * payoff(hands, terminal, x) - 3 * payoff(hands, terminal, y)
    np.testing.assert_allclose(both, parts, atol=1e-11 * np.abs(parts).max())


def test_an_empty_pot_pays_everybody_the_same() -> None:
    hands, reach = river(), np.random.default_rng(2).random(1081)
    same = payoff(hands, Showdown(0, 0, -0.5, 0.5, -0.5), reach)
    np.testing.assert_allclose(same, payoff(hands, Fold(0, 0, -0.5), reach), rtol=1e-13)


@kernel
def _twice(board: Any, terminals: Any, plan: Any, out: Any, scratch: Any) -> None:
    for _ in range(2):
        evaluate_at(board, terminals, pointer(plan), pointer(out), pointer(scratch))


def test_kernels_call_it_with_pointers() -> None:
    hands, reach = hands_of(1, 8, 28, 5), np.random.default_rng(1).random(28)
    board, terminal = board_of(*hands), Showdown(0, 0, 1, 1)
    laid, out = terminals_of(board, [terminal], (28, 28)), np.zeros(28)
    _twice(board, laid, reach, out, scratch_of(board))
    np.testing.assert_allclose(out, 2 * dense(terminal, relations(hands) @ reach), atol=1e-12)


def test_no_terminals() -> None:
    out = np.ones(28)
    run(hands_of(1, 8, 28, 5), [], np.ones(28), out)
    assert (out == 1).all()


def _board() -> RankedBoard:
    return board_of(*hands_of(0, 5, 10, 4))


@pytest.mark.parametrize(
    ("terminal", "message"),
    [
        (Showdown(3, 0, 1, 1), "10 hands from 3 on do not fit into the 12 numbers of the plan"),
        (Fold(0, -1, 1), "10 hands from -1 on do not fit into the 10 numbers of the CFVs"),
        (Fold(0, 0, float("nan")), "not finite"),
        (Showdown(0, 0, 1, 1, 1), "a tie must be worth more than a loss and less than a win"),
        (Showdown(0, 0, -1, -1), "a tie must be worth more than a loss and less than a win"),
    ],
)
def test_bad_terminals(terminal: Terminal, message: str) -> None:
    with pytest.raises(InputError, match=message):
        terminals_of(_board(), [terminal], (12, 10))


def test_bad_places_and_dtypes() -> None:
    with pytest.raises(InputError, match="overlap"):
        terminals_of(_board(), [Fold(0, 0, 1), Fold(0, 9, 1)], (30, 30), store=True)
    with pytest.raises(InputError, match="float64 or float32, not int64"):
        terminals_of(_board(), [], (10, 10), np.int64)


@pytest.mark.parametrize(
    ("cards", "rank", "message"),
    [
        ([[0, 1], [2, 3]], [1], "two cards and a rank"),
        (np.zeros((0, 2), int), [], "two cards and a rank"),
        ([[0, 1.5]], [1], "whole numbers"),
        ([[0, 1], [2, 3]], [1, 0], "hand 1 is below the one before"),
        ([[0, 1], [2, 2]], [1, 1], "hand 1 holds one card twice"),
        ([[0, 1], [1, 0]], [1, 1], "the same two cards"),
    ],
)
def test_bad_hands(cards: Any, rank: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        board_of(cards, rank)
