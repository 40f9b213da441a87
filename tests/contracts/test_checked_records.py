"""Records that hold arrays are checked when they are made, and stay as they are; a label determines its settings."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay.games.matrix import MatrixGame
from counterplay.solvers.minimiser import MINIMISERS
from counterplay.subgames.entry import Entry
from counterplay.treeplex.restriction import Restriction

GAMES = [cp.load(spec) for spec in ("kuhn", "leduc", "goofspiel:3")]


@st.composite
def strategies(draw: st.DrawFn) -> cp.Strategy:
    """A random strategy of a game, with counts now and then."""
    game, player, seed = draw(st.sampled_from(GAMES)), draw(st.integers(0, 1)), draw(st.integers(0, 99))
    found = cp.opponent(game, f"random:{seed}", player)
    counts = np.where(found.tree.lane_sequences[2] > 0, 3.0, 0.0) if draw(st.booleans()) else None
    return replace(found, counts=counts)


BAD = st.sampled_from([float("nan"), float("inf"), -float("inf"), -0.25, 1.5, 1e300])


@given(strategies(), st.data())
def test_a_damaged_strategy_is_refused(strategy: cp.Strategy, data: st.DataObject) -> None:
    """Whichever number, length, type or shape is damaged; the message names the infoset."""
    tree, behaviour = strategy.tree, strategy.behaviour.copy()
    at = data.draw(st.integers(0, tree.size - 1))
    kind = data.draw(st.sampled_from(["number", "short", "long", "square", "texts", "objects", "scaled", "counts"]))
    counts: Any = None
    damaged: Any = behaviour
    if kind == "number":
        behaviour[at] += data.draw(BAD)
    elif kind == "scaled":
        lane = data.draw(st.sampled_from(np.flatnonzero(tree.lane_sequences[2]).tolist()))
        behaviour[tree.sequences_of(lane)] *= data.draw(st.sampled_from([0.0, 0.5, 1.001, 2.0]))
    elif kind == "counts":
        counts = np.ones(tree.lanes)
        counts[at % tree.lanes] = data.draw(st.sampled_from([float("nan"), -1.0, float("inf")]))
    else:
        damaged = {
            "short": behaviour[:at], "long": np.append(behaviour, 0.0), "square": behaviour[None],
            "texts": behaviour.astype(str), "objects": behaviour.astype(object),
        }[kind]  # fmt: skip
    with pytest.raises(cp.InputError) as caught:
        cp.Strategy(tree, damaged, {}, counts)
    message = str(caught.value)
    assert "\n" not in message
    if kind == "scaled":
        assert tree.labels.infosets[tree.labels.lanes.index(lane)] in message
        assert "not 1" in message


@given(strategies(), st.sampled_from([list, np.float32, np.float64, "reversed"]))
def test_a_valid_strategy_is_accepted_and_equal(strategy: cp.Strategy, how: Any) -> None:
    """From numbers of any type and layout; a pure one from whole numbers, too."""
    numbers: Any = strategy.behaviour
    if how is list:
        numbers = numbers.tolist()
    elif how == "reversed":
        numbers = numbers[::-1].copy()[::-1]
    else:
        numbers = numbers.astype(how)
    made = cp.Strategy(strategy.tree, numbers, strategy.facts, strategy.counts)
    np.testing.assert_allclose(made.behaviour, strategy.behaviour, atol=0.0 if how is not np.float32 else 1e-7)
    assert made.behaviour.dtype == np.float64
    assert (made.counts is None) == (strategy.counts is None)


def test_what_a_strategy_holds_cannot_be_changed() -> None:
    """Nor through the array it was made of, a copy of it, or one from another process."""
    game = GAMES[1]
    numbers = game.trees[0].uniform()
    made = cp.Strategy(game.trees[0], numbers)
    before = cp.evaluate(game, made).exploitability
    numbers[:] = 0.0
    assert cp.evaluate(game, cp.Strategy(game.trees[0], made.behaviour)).exploitability == before
    for one in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made)), cp.opponent(game, "nash")):
        for array in (one.behaviour, one.plan):
            with pytest.raises(ValueError, match="read-only"):
                array[2] = 0.5
    with pytest.raises(cp.InputError, match="needs the treeplex of a player"):
        cp.Strategy(game, numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize("hidden", [lambda array: array[:], lambda array: np.frombuffer(array.data)])
def test_a_read_only_view_of_an_array_that_can_be_written_to_is_copied(hidden: Callable[[np.ndarray], Any]) -> None:
    game = cp.load("kuhn")
    behaviour = game.trees[0].uniform()
    view = hidden(behaviour)
    view.setflags(write=False)
    made = cp.Strategy(game.trees[0], view)
    behaviour[:] = np.nan
    assert made.behaviour[0] == 1.0
    assert cp.Strategy(game.trees[0], made.behaviour).behaviour is made.behaviour


def _plans(change: Callable[[np.ndarray], Any]) -> Any:
    first, second = (cp.opponent(GAMES[0], "uniform", player).plan.copy() for player in (0, 1))
    return first, change(second)


@pytest.mark.parametrize(
    ("plans", "said"),
    [
        (_plans(lambda plan: -plan), "the plan of player 1 must be finite numbers of at least 0"),
        (_plans(lambda plan: plan * np.nan), "the plan of player 1 must be finite numbers of at least 0"),
        (_plans(lambda plan: plan[None]), "the plan of player 1 must have the shape"),
        (_plans(lambda plan: plan.astype(str)), "the plan of player 1 must be an array of numbers"),
        (_plans(lambda plan: plan.tolist()), "the plan of player 1 must be an array"),
        (None, "a pair of plans"),
    ],
)
def test_a_damaged_solution_is_refused(plans: Any, said: str) -> None:
    with pytest.raises(cp.InputError, match=said):
        cp.Solution(plans, 0.0, 0.0, "mine", 0, 0.0)


def test_plans_of_solutions_are_read_only() -> None:
    for method in ("lp", "cfr+"):
        found = cp.solve(GAMES[0], solver=method, stop=cp.Stop(iterations=5)).solution
        for plan in found.plans:
            with pytest.raises(ValueError, match="read-only"):
                plan[0] = 0.0
    given_plans = _plans(lambda plan: plan)
    made = cp.Solution(given_plans, 0.0, 0.0, "mine", 0, 0.0)
    given_plans[1][:] = 0.0
    assert made.plans[1][0] == 1.0


def test_the_arrays_of_a_game_are_read_only() -> None:
    game = cp.load("kuhn")
    arrays: list[Any] = [
        *game.public,
        *game.first,
        *game.place,
        game.histories.parent,
        *game.histories.info,
        game.histories.utility,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(cp.InputError, match="utility must have the shape"):
        replace(game.histories, utility=np.zeros(3))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda tree: Restriction.of_plan(tree, tree.uniform()[:-1], 0.5), "the model must have the shape"),
        (lambda tree: Restriction.of_plan(tree, tree.uniform() * np.nan, 0.5), "the model must be finite numbers"),
        (lambda tree: Restriction.local(tree, tree.uniform(), np.ones(3)), "trust must have the shape"),
        (
            lambda tree: Restriction.local(tree, tree.uniform(), np.full(tree.lanes, 2.0)),
            "trust must be between 0 and 1",
        ),
    ],
)
def test_damaged_restrictions_are_refused(make: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(cp.InputError, match=said):
        make(GAMES[0].trees[1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"constant": np.zeros(2)}, "needs 1 numbers in constant, not 2"),
        ({"constant": np.full(1, np.nan)}, "must be finite numbers"),
        ({"declines": np.zeros(5, np.int32)}, "needs 2 numbers in declines, not 5"),
        ({"parents": np.zeros(3, np.int32)}, "needs 2 numbers in parents, not 3"),
    ],
)
def test_damaged_entries_of_gadgets_are_refused(change: dict[str, Any], said: str) -> None:
    two, at = np.array([2, 2], np.int32), np.array([2], np.int32)
    fine = Entry("mine", two, np.array([1, 3], np.int32), at, np.zeros(1))
    with pytest.raises(cp.InputError, match=f"gadget mine {said}"):
        replace(fine, **change)


def _observations() -> Any:
    counts = cp.Counts(GAMES[0], 1)
    counts.see_ends(np.flatnonzero(GAMES[0].histories.player == cp.TERMINAL)[:1])
    return counts.observations


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (GAMES[0], ("public", "first", "place")),
        (_observations(), ("row", "sequence", "weight", "hands")),
    ],
)
def test_every_array_of_a_record_is_checked_and_locked(record: Any, names: tuple[str, ...]) -> None:
    """A wrong shape or type, or an index outside the range, in each field; NaN in those with real numbers."""
    for name in names:
        arrays = getattr(record, name)
        for k, array in enumerate(arrays if isinstance(arrays, tuple) else [arrays]):
            assert not array.flags.writeable, name
            damaged = [array[None], array.astype(str)]
            if array.dtype.kind == "f":
                damaged += [np.full_like(array, np.nan)]
            else:
                damaged += [array.astype(float), np.full_like(array, -2)]
            for wrong in damaged:
                value = (
                    tuple(wrong if i == k else one for i, one in enumerate(arrays))
                    if isinstance(arrays, tuple)
                    else wrong
                )
                with pytest.raises(cp.InputError):
                    replace(record, **{name: value})


def test_a_posterior_has_strategies_of_one_seat() -> None:
    game = GAMES[0]
    first, second = cp.opponent(game, "uniform", 0), cp.opponent(game, "uniform", 1)
    assert cp.Posterior(game, (first, first)).mean.player == 0
    for wrong in ((), (first, second), [first], (first.behaviour,), (cp.opponent(GAMES[1], "uniform", 0),)):
        with pytest.raises(cp.InputError, match="posterior"):
            cp.Posterior(game, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "payoffs", [[[1.0, np.nan]], [[1.0, 2.0, 3.0]], [["1", "2"]], [[np.inf, 1.0]], [[1.0], [2.0, 3.0]]]
)
def test_a_matrix_game_checks_and_locks_its_payoffs(payoffs: Any) -> None:
    fine = MatrixGame("mine", [[1.0, 2.0]], ["a"], ["b", "c"])
    with pytest.raises(ValueError, match="read-only"):
        fine.payoffs[0, 0] = 2.0
    with pytest.raises(cp.InputError, match="the payoffs must"):
        MatrixGame("mine", payoffs, ["a"], ["b", "c"])


@pytest.mark.parametrize("change", [lambda plan: plan[:-1], lambda plan: plan * np.nan, lambda plan: plan.astype(str)])
def test_a_damaged_plan_makes_no_strategy(change: Callable[[Any], Any]) -> None:
    tree = GAMES[0].trees[0]
    with pytest.raises(cp.InputError, match="the plan of player 0 must"):
        cp.Strategy.from_plan(tree, change(cp.Strategy.uniform(tree).plan))


class TestLabels:
    @pytest.mark.parametrize(
        "name", [*MINIMISERS, "cfr+:simultaneous", "dcfr:1,0,2", "pcfr+:1,inf,2,simultaneous,single"]
    )
    def test_a_minimiser_with_a_known_name_has_its_settings(self, name: str) -> None:
        meant = cp.Minimiser.from_text(name)
        settings = {key: value for key, value in vars(meant).items() if key != "name"}
        assert cp.Minimiser(name, **settings) == meant
        for key, value in settings.items():
            other = not value if isinstance(value, bool) else 7.0
            with pytest.raises(cp.InputError, match="another name"):
                cp.Minimiser(name, **{**settings, key: other})

    def test_plain_cfr_has_no_other_label(self) -> None:
        with pytest.raises(
            cp.InputError, match=r"cfr\+ has floor=True, not False: take Minimiser.from_text\('cfr\+'\)"
        ):
            cp.Minimiser("cfr+")
        assert cp.Minimiser("cfr") == cp.Minimiser.from_text("cfr")
        with pytest.raises(cp.InputError, match="lp is no regret minimiser"):
            cp.Minimiser("lp")

    def test_changed_settings_have_their_own_name(self) -> None:
        for name in MINIMISERS:
            assert (
                cp.Minimiser.from_text(f"{name}:simultaneous,single").changed(single=False).name
                == f"{name}:simultaneous"
            )
        own = cp.Minimiser("own", alpha=1.0, single=True)
        assert own.changed(single=False) == cp.Minimiser("mine", alpha=1.0)
