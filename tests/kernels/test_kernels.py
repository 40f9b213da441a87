"""Every compiled kernel against its plain twin, on games and on random treeplexes and payoffs."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counterplay import GameTree, InputError
from counterplay.gametree.compile.load import load
from counterplay.leaves.matrix import Matrix
from counterplay.leaves.product import tiles_of
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import best_response, gap, steady_best_response
from counterplay.solvers.equilibrium import equilibrium_of
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.treeplex import sweeps
from counterplay.treeplex.restriction import Restriction
from counterplay.treeplex.treeplex import Labels, Treeplex, build
from tests.support import numpy_twins as twins
from tests.support.covering import covering

GAMES = ("kuhn", "leduc", "goofspiel:4", "liars_dice:1,3")
SEEDS = st.integers(0, 2**32 - 1)


def random_tree(rng: np.random.Generator, player: int, infosets: int) -> Treeplex:
    """A treeplex of random shape; public states are random too, so that nothing is where it would be convenient."""
    actions = rng.integers(1, 6, infosets).astype(np.int32)
    first = np.concatenate([[1], 1 + np.cumsum(actions)])
    parent = np.array([rng.integers(0, first[k]) for k in range(infosets)], np.int32).reshape(-1)
    block = rng.integers(0, 1 + infosets // 3, infosets).astype(np.int32)
    return build(player, parent, actions, block, lambda _: Labels([], [], []))[0]


def random_subgame(rng: np.random.Generator) -> Subgame:
    trees = random_tree(rng, 0, int(rng.integers(0, 60))), random_tree(rng, 1, int(rng.integers(0, 60)))
    places = [np.flatnonzero(tree.real) for tree in trees]
    n = int(rng.integers(1, 400))
    row, column = (rng.choice(place, n).astype(np.int32) for place in places)
    value = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(-9, 10, n) * 0.3
    groups = trees[0].arrays.groups, trees[1].arrays.groups
    return Subgame(trees, Matrix.from_entries(row, column, value, (trees[0].size, trees[1].size), groups))


def random_behaviour(rng: np.random.Generator, tree: Treeplex) -> np.ndarray:
    """Some probabilities are 0."""
    return twins.from_plan(tree, np.where(tree.real, np.maximum(rng.normal(size=tree.size), 0.0), 0.0))


def restrict(rng: np.random.Generator, subgame: Subgame, kind: str) -> Subgame:
    """Both players restricted, each in their own way."""
    for player, tree in enumerate(subgame.trees):
        model = random_behaviour(rng, tree)
        restriction = (
            Restriction.of_plan(tree, model, float(rng.uniform(0.1, 0.9)))
            if kind == "plan"
            else Restriction.local(tree, model, rng.random(tree.lanes))
        )
        subgame = subgame.restricted(player, restriction)
    return subgame


@cache
def loaded(spec: str) -> GameTree:
    return load(spec)


def problem(source: str, kind: str, seed: int = 7) -> Subgame:
    rng = np.random.default_rng(seed)
    if source == "random":
        subgame = random_subgame(rng)
    else:
        tree = loaded(source)
        subgame = Subgame(tree.trees, tree.payoff)
    return subgame if kind == "free" else restrict(rng, subgame, kind)


def assert_product(matrix: Matrix, rng: np.random.Generator) -> None:
    for player in (0, 1):
        other = (matrix.columns, matrix.rows)[player]
        plan = rng.normal(size=len(other.start) - 1)
        wanted = twins.product(matrix, player, plan)
        np.testing.assert_allclose(matrix.product(player, plan), wanted, rtol=0, atol=1e-12 * (1 + abs(wanted).max()))


@given(seed=SEEDS, rows=st.integers(2, 40), columns=st.integers(2, 40), density=st.floats(0, 1))
@settings(max_examples=60, deadline=None)
@example(seed=0, rows=2, columns=2, density=0.0)
@example(seed=0, rows=9, columns=9, density=1.0)
@example(seed=0, rows=2, columns=40, density=1.0)
@example(seed=0, rows=40, columns=2, density=1.0)
def test_product_of_a_random_matrix(seed: int, rows: int, columns: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    row, column = (np.arange(n, dtype=np.int32) for n in (rows, columns))
    row, column = np.repeat(row, columns), np.tile(column, rows)
    chosen = rng.permutation(np.flatnonzero(rng.random(len(row)) < density))
    matrix = Matrix.from_entries(row[chosen], column[chosen], rng.normal(size=len(chosen)), (rows, columns))
    assert_product(matrix, rng)


@given(seed=SEEDS, hands=st.tuples(st.integers(1, 20), st.integers(1, 20)), kinds=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
@example(seed=1, hands=(1, 1), kinds=1)
@example(seed=1, hands=(9, 9), kinds=2)
def test_product_of_hands(seed: int, hands: tuple[int, int], kinds: int) -> None:
    """A few dense blocks, each at many places, the last one at the end of the arrays."""
    rng = np.random.default_rng(seed)
    blocks = rng.normal(size=(kinds, *hands)) * (rng.random((kinds, *hands)) < 0.8)
    places, entries = rng.permutation(12), []
    for k, place in enumerate(places):
        for i in range(hands[0]):
            entries += [(k * hands[0] + i, place * hands[1] + j, blocks[k % kinds, i, j]) for j in range(hands[1])]
    row, column, value = (np.array(part) for part in zip(*entries, strict=True))
    shape = (12 * hands[0] + 2, 12 * hands[1] + 2)
    matrix = Matrix.from_entries((row + 2).astype(np.int32), (column + 2).astype(np.int32), value, shape)
    assert_product(matrix, rng)


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_product_of_random_trees(seed: int) -> None:
    assert_product(random_subgame(np.random.default_rng(seed)).leaves, np.random.default_rng(seed))


def test_duplicates_add_up_and_cancel() -> None:
    row, column = np.array([3, 3, 2, 2], np.int32), np.array([2, 2, 3, 3], np.int32)
    matrix = Matrix.from_entries(row, column, np.array([1.0, 2.0, 0.1, -0.1]), (8, 8))
    assert matrix.entries == 1
    assert matrix.rows.value.tolist() == matrix.columns.value.tolist() == [3.0]


@pytest.mark.parametrize("spec", [*GAMES, "goofspiel:5", "liars_dice:1,4"])
def test_product_of_a_game(spec: str) -> None:
    assert_product(load(spec).payoff, np.random.default_rng(3))


def test_plans_of_any_kind_and_none_of_another_length() -> None:
    """Kernels see bare memory: strided or whole-number plans are copied, wrong lengths refused."""
    game = load("kuhn")
    plan = np.arange(game.trees[1].size)
    wanted = twins.product(game.payoff, 0, plan.astype(float))
    np.testing.assert_allclose(game.payoff.product(0, plan), wanted)
    np.testing.assert_allclose(game.payoff.product(0, np.repeat(plan, 2).astype(float)[::2]), wanted)
    with pytest.raises(InputError, match="does not fit"):
        game.payoff.product(0, np.zeros(3))
    with pytest.raises(InputError, match="does not fit"):
        gap(Subgame(game.trees, game.payoff), (np.zeros(game.trees[0].size), np.zeros(3)))


def test_equal_tiles_are_stored_once() -> None:
    matrix = load("liars_dice:1,4").payoff
    assert len(tiles_of(*matrix.rows).cells) * 10 < matrix.entries / 4


@pytest.mark.parametrize("spec", ["leduc", "goofspiel:5", "liars_dice:1,4"])
def test_memory_per_entry(spec: str) -> None:
    matrix = load(spec).payoff
    held = [*matrix.rows, *matrix.columns, *(part for leaf in matrix.leaves for part in leaf)]
    size = sum(len(rows.start) for rows in (matrix.rows, matrix.columns))
    assert sum(part.nbytes for part in held) < 100 * matrix.entries + 100 * size


@given(seed=SEEDS, infosets=st.integers(0, 80))
@settings(max_examples=60, deadline=None)
def test_sweeps(seed: int, infosets: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 0, infosets)
    behaviour, leaves = random_behaviour(rng, tree), np.where(tree.real, rng.normal(size=tree.size), 0.0)
    plan = sweeps.reach(tree, behaviour)
    np.testing.assert_allclose(plan, twins.top_down(tree, behaviour), atol=1e-15)
    np.testing.assert_allclose(sweeps.behaviour_of(tree, plan), twins.from_plan(tree, plan), atol=1e-12)
    np.testing.assert_allclose(
        sweeps.values(tree, behaviour, leaves), twins.bottom_up(tree, behaviour, leaves), atol=1e-12
    )


@pytest.mark.parametrize("kind", ["free", "plan", "local"])
@pytest.mark.parametrize(("source", "seed"), [*((game, 1) for game in GAMES), *(("random", k) for k in range(6))])
def test_best_responses(source: str, seed: int, kind: str) -> None:
    subgame, rng = problem(source, kind, seed), np.random.default_rng(seed)
    plans = [twins.top_down(tree, random_behaviour(rng, tree)) for tree in subgame.trees]
    values = []
    for player, own in enumerate(subgame.restrictions):
        leaves = twins.product(subgame.leaves, player, plans[1 - player])
        tree, fixed = subgame.trees[player], own.p * own.plan @ leaves if own.p else 0.0
        values.append((1 - own.p) * twins.best(tree, leaves, own.keep, own.mix)[0] + fixed)
        response = best_response(subgame, player, plans[1 - player])
        assert response.value == pytest.approx(values[-1], abs=1e-10)
        reached = twins.bottom_up(tree, own.behaviour(tree, response.behaviour), leaves)[0]
        assert (1 - own.p) * reached + fixed == pytest.approx(values[-1], abs=1e-10)
    nash_conv, middle = gap(subgame, (plans[0], plans[1]))
    assert nash_conv == pytest.approx(values[0] + values[1], abs=1e-10)
    assert middle == pytest.approx(0.5 * (values[0] - values[1]), abs=1e-10)


@pytest.mark.parametrize("spec", ["kuhn", "leduc:2", "leduc"])
def test_a_steady_best_response_is_not_chosen_by_rounding(spec: str) -> None:
    """An equilibrium makes the other side indifferent, up to rounding, which picks the plain best response."""
    game, rng = load(spec), np.random.default_rng(4)
    plan = equilibrium_of(game).plans[0]
    plans = [plan * (1.0 + 1e-14 * rng.standard_normal(len(plan))) for _ in range(20)]
    best = best_response(game.subgame, 1, plan).value
    steady = [steady_best_response(game.subgame, 1, one) for one in plans]
    assert len({one.tobytes() for one in steady}) == 1
    worth = game.subgame.leaves.product(1, plan) @ sweeps.reach(game.trees[1], steady[0])
    assert best - 1e-6 <= worth <= best + 1e-12
    assert len({best_response(game.subgame, 1, one).behaviour.tobytes() for one in plans}) > 1


HOWS = [*product(MINIMISERS, ["free", "plan", "local"], ["alternating", "simultaneous"])]


@pytest.mark.parametrize(
    ("run", "how"),
    [
        *covering([("kuhn", 29), ("random", 29), *((game, 4) for game in GAMES[1:])], HOWS),
        *(pytest.param((game, 29), how, marks=pytest.mark.slow) for game in GAMES[1:] for how in HOWS),
    ],
    ids=str,
)
def test_iterations(run: tuple[str, int], how: tuple[str, str, str]) -> None:
    """One iteration from a state in the middle of a run, to rounding, then more, in which rounding grows."""
    (source, more), (name, kind, order) = run, how
    method = MINIMISERS[name].changed(alternating=order == "alternating")
    subgame = problem(source, kind)
    iterates = Iterates(subgame, method)
    iterates.advance(10)
    twin = twins.Twin(subgame, method, iterates.sides, iterates.done)
    for iterations, tolerance in ((1, 1e-11), (more, 1e-6)):
        iterates.advance(iterations)
        twin.advance(iterations)
        for player, side in enumerate(iterates.sides):
            for name in ("regret", "source", "plan", "total"):
                now, wanted = getattr(side, name), getattr(twin, name)[player]
                np.testing.assert_allclose(
                    now, wanted, rtol=0, atol=tolerance * (1.0 + abs(wanted).max()), err_msg=name
                )
            assert not side.plan[~subgame.trees[player].real].any()
