"""Walks of games in plain Python: the same table as the jitted generator's, and a sentence for every broken rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, InputError
from counterplay.games import make_game
from counterplay.games.game import LIMIT
from counterplay.gametree.build import partial_tree, preorder
from counterplay.gametree.build.enumerate_game import enumerate_histories
from counterplay.gametree.build.generate import generate
from counterplay.gametree.build.histories import Histories
from tests.support import broken_rules


class Nested:
    """A game of nested tuples.

    A state is a number (the utility), ("chance", {action: (odds, child)}) or (player, label, {action: child}).
    """

    name = "nested"

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def root(self) -> Any:
        return self.tree

    def player(self, state: Any) -> int:
        if not isinstance(state, tuple):
            return TERMINAL
        return CHANCE if state[0] == "chance" else state[0]

    def actions(self, state: Any) -> list[Any]:
        return list(state[-1])

    def chance(self, state: Any) -> list[float]:
        return [odds for odds, _ in state[1].values()]

    def child(self, state: Any, action: Any) -> Any:
        return state[1][action][1] if state[0] == "chance" else state[2][action]

    def infoset(self, state: Any, player: int) -> str:
        assert self.player(state) == player, "asked for a player who does not act"
        return state[1]

    def utility(self, state: Any) -> float:
        return state


def refusal(tree: Any, limit: int = 1000) -> str:
    with pytest.raises(InputError) as error:
        enumerate_histories(Nested(tree), 0, limit)
    text = str(error.value)
    assert text.startswith("nested")
    assert "\n" not in text
    return text


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


def check_table(table: Histories) -> None:
    for who in (0, 1):
        inner = table.info[who][table.player != TERMINAL]
        assert (table.info[who][table.player == TERMINAL] == -1).all()
        assert np.array_equal(np.unique(inner), np.arange(len(set(inner.tolist()))))
        _, first = np.unique(inner, return_index=True)
        assert (np.diff(first) > 0).all(), "numbers are in order of first visit"


@pytest.mark.parametrize("spec", ["kuhn", "kuhn:5", "goofspiel:3", "goofspiel:4"])
def test_walk_equals_the_jitted_generator(spec: str) -> None:
    game = make_game(spec)
    ours, theirs = enumerate_histories(game, 0, 10**6), generate(game, 0, 10**6)
    check_table(ours)
    for column in ("parent", "action", "player", "reach", "utility"):
        mine, other = getattr(ours, column), getattr(theirs, column)
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other), column
    for who in (0, 1):
        acting = ours.player == who
        assert same_partition(ours.info[who][acting], theirs.info[who][acting])


def test_augmented_infosets_of_kuhn_are_those_of_the_generator() -> None:
    ours, theirs = (make(make_game("kuhn"), 0, 100) for make in (enumerate_histories, generate))
    for who in (0, 1):
        inner = ours.player != TERMINAL
        assert same_partition(ours.info[who][inner], theirs.info[who][inner])


def test_kernels_equal_their_plain_python() -> None:
    ours = enumerate_histories(make_game("goofspiel:3"), 0, 10**6)
    children = np.bincount(ours.parent[1:], minlength=len(ours)).astype(np.int32)
    inner = children > 0
    plain = preorder._unfold.py_func(children, ours.player[inner], np.zeros(0))
    for mine, other in zip(plain, (ours.parent, ours.action, ours.player, ours.reach), strict=True):
        assert np.array_equal(mine, other)
    label = np.maximum(ours.info[1], 0)
    arguments = (ours.parent, ours.action, ours.player, children, label, 1)
    jitted, plain = preorder.own_sequences(*arguments), preorder.own_sequences.py_func(*arguments)
    assert np.array_equal(jitted[0], plain[0])
    assert jitted[1:] == plain[1:] == (-1, -1)


def test_players_who_do_not_act_know_their_last_own_sequence() -> None:
    end = (1, "y", {"l": 1.0, "r": -1.0})
    tree = ("chance", {"h": (0.5, (0, "x", {"a": end, "b": end})), "t": (0.5, (0, "x", {"a": end, "b": end}))})
    table = enumerate_histories(Nested(tree), 0, 100)
    check_table(table)
    assert table.info[0][table.player == 1].tolist() == [2, 3, 2, 3]  # 0 the start, 1 the infoset x
    assert len(set(table.info[1][table.player != 1].tolist()) - {-1}) == 1
    assert table.reach[table.player == TERMINAL].tolist() == [0.5] * 8


def test_what_is_known_while_waiting_is_shared_with_acting() -> None:
    """An augmented game in which player 0 knows "same" first while waiting and then while acting."""

    class Game(Nested):
        augmented = True

        def infoset(self, state: Any, player: int) -> str:
            return "same" if player == 0 else "other"

    table = enumerate_histories(Game((1, "", {"l": (0, "", {"a": 0.0}), "r": (0, "", {"a": 0.0})})), 0, 100)
    assert table.info[0].tolist() == [0, 0, -1, 0, -1]
    assert table.info[1].tolist() == [0, 1, -1, 2, -1]  # player 1 knows the own action, whatever the label says


def test_depth_has_no_limit() -> None:
    class Long(Nested):
        def root(self) -> int:
            return 0

        def player(self, state: int) -> int:
            return TERMINAL if state == 20_000 else state % 2

        def actions(self, state: int) -> range:
            return range(1)

        def child(self, state: int, action: int) -> int:
            return state + 1 + action

        def infoset(self, state: int, player: int) -> str:
            return f"{player} {state}"

        def utility(self, state: int) -> float:
            return state / 2

    table = enumerate_histories(Long(None), 0, 10**6)
    assert len(table) == 20_001
    assert table.utility[-1] == 10_000.0


def test_states_may_be_floats_and_actions_arrays() -> None:
    class Halves(Nested):
        def player(self, state: float) -> int:
            return TERMINAL if state < 0.5 else 0

        def actions(self, state: float) -> np.ndarray:
            return np.array([2, 3])

        def child(self, state: float, action: int) -> float:
            return state / action

        def infoset(self, state: float, player: int) -> str:
            return str(state)

    table = enumerate_histories(Halves(1.0), 0, 100)
    assert table.player.tolist() == [0, 0, TERMINAL, TERMINAL, TERMINAL]
    assert enumerate_histories(Nested(2.5), 0, 100).utility.tolist() == [2.5]


def test_zero_probabilities_are_chance_too() -> None:
    table = enumerate_histories(Nested(("chance", {"h": (1.0, 1.0), "t": (0.0, 2.0)})), 0, 100)
    assert table.reach.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("odds", "wrong"),
    [
        ((0.5, 0.4), "are [0.5, 0.4] and do not sum to 1"),
        ((0.5, 0.5 + 1e-8), "are [0.5, 0.50000001] and do not sum to 1"),
        ((1e308, 1e308), "are [1e+308, 1e+308] and do not sum to 1"),
        ((1.5, -0.5), "are [1.5, -0.5], and -0.5 is negative"),
        ((float("nan"), 1.0), "are [nan, 1.0], and nan is no number"),
        ((1.0, float("nan")), "are [1.0, nan], and nan is no number"),
    ],
)
def test_refuses_chance_and_says_what_is_wrong(odds: tuple[float, float], wrong: str) -> None:
    tree = (0, "x", {"a": 0.0, "b": ("chance", {"h": (odds[0], 0.0), "t": (odds[1], 0.0)})})
    assert f"the chance probabilities after 'b' {wrong}" in refusal(tree)
    game, table = broken_rules.make(CHANCE, odds=odds), partial_tree.seed(broken_rules.make(CHANCE))
    for listed in (lambda: generate(game, 0, 100), lambda: partial_tree.grow(game, table, np.array([0]), 9, 100)):
        with pytest.raises(InputError) as error:
            listed()
        assert str(error.value) == f"broken: the chance probabilities after 'a' {wrong}"


@pytest.mark.parametrize(
    ("who", "many", "sentence"),
    [
        (5, 2, "the player after 'a' is 5, not 0, 1, chance or terminal"),
        (-7, 2, "the player after 'a' is -7, not 0, 1, chance or terminal"),
        (1, 0, "there are 0 actions after 'a', not 1 to 32,767"),
        (CHANCE, 0, "there are 0 actions after 'a', not 1 to 32,767"),
    ],
)
def test_refuses_the_same_of_compiled_rules(who: int, many: int, sentence: str) -> None:
    game = broken_rules.make(who, many)
    table = partial_tree.seed(game)
    later = partial_tree.grow(game, table, np.array([0]), 1, 100)
    for listed in (
        lambda: enumerate_histories(game, 0, 100),
        lambda: generate(game, 0, 100),
        lambda: partial_tree.grow(game, table, np.array([0]), 9, 100),
        lambda: partial_tree.grow(game, later, np.flatnonzero(later.player == LIMIT), 9, 100),
    ):
        with pytest.raises(InputError) as error:
            listed()
        assert str(error.value) == f"broken: {sentence}"


def test_refuses_imperfect_recall() -> None:
    again = (0, "forgets", {"l": 0.0, "r": 1.0})
    text = refusal((0, "x", {"up": (1, "y", {"c": again}), "down": again}))
    assert "player 0 has imperfect recall" in text
    assert "'forgets' is reached by different own actions, after 'up c' and after 'down'" in text


def test_refuses_absent_mindedness() -> None:
    text = refusal((1, "exit", {"out": 0.0, "on": (1, "exit", {"out": 4.0, "on": 1.0})}))
    assert "player 1 has imperfect recall" in text
    assert "'exit' occurs twice on one path, at the start and after 'on'" in text


@pytest.mark.parametrize("other", [{"a": 0.0}, {"a": 0.0, "c": 0.0}, {"b": 0.0, "a": 0.0}])
def test_refuses_infosets_with_different_actions(other: Any) -> None:
    second = (0, "x", other)
    text = refusal(("chance", {"h": (0.5, (0, "x", {"a": 0.0, "b": 0.0})), "t": (0.5, second)}))
    assert "the infoset 'x' of player 0 has the actions 'a', 'b' after 'h', but '" in text
    assert text.endswith("after 't'")


def test_actions_are_compared_by_name() -> None:
    class Named(Nested):
        def action_name(self, state: Any, action: Any) -> str:
            return f"move {abs(action)}"

    tree = ("chance", {1: (0.5, (0, "x", {1: 0.0, 2: 0.0})), 2: (0.5, (0, "x", {-1: 0.0, -2: 0.0}))})
    assert len(enumerate_histories(Named(tree), 0, 100)) == 7
    tree[1][2][1][2][-3] = tree[1][2][1][2].pop(-2)
    with pytest.raises(InputError, match="'move 1', 'move 3' after 'move 2'"):
        enumerate_histories(Named(tree), 0, 100)


def test_refuses_two_actions_of_one_name() -> None:
    tree = (0, "top", {"a": (1, "x", {1: 0.0, "1": 1.0}), "b": 0.0})
    assert refusal(tree) == "nested: two actions at the infoset 'x' are named '1'"


def test_refuses_payoffs_that_are_taken_for_rounding() -> None:
    """Minimisers would stay at uniform play; payoffs that are all equal are a game."""
    with pytest.raises(InputError, match="nested: the utilities differ by 1e-12 at most"):
        cp.load(Nested((0, "top", {"a": 1e-12, "b": 0.0})))
    for small in (0.0, 1e-9):
        assert cp.load(Nested((0, "top", {"a": small, "b": 0.0}))).span == small


def test_refuses_what_is_no_game() -> None:
    assert "there are 0 actions after 'a'" in refusal((0, "x", {"a": (1, "y", {})}))
    assert "there are 0 actions at the start" in refusal(("chance", {}))
    assert "the utility after 'b' is nan" in refusal((0, "x", {"a": 0.0, "b": float("nan")}))
    assert "the utility at the start is inf" in refusal(float("inf"))
    assert "the player after 'a' is 7, not 0, 1, chance or terminal" in refusal((0, "x", {"a": (7, "y", {"b": 0.0})}))
    assert "must be named by texts, not by None" in refusal((0, None, {"a": 0.0}))


def test_refuses_names_that_no_file_can_hold() -> None:
    """Halves of surrogate pairs, which have no UTF-8: strategies were computed and could not be saved."""
    assert r"an infoset of player 0 is named '\ud800x', which cannot be written as UTF-8" in refusal(
        (0, "\ud800x", {"a": 0.0})
    )
    assert r"an action at the infoset 'x' is named '\udc80', which cannot be written as UTF-8" in refusal(
        (0, "x", {"a": 0.0, "\udc80": 1.0})
    )
    assert len(enumerate_histories(Nested((0, "hé😀", {"ä": 0.0, "♠": 1.0})), 0, 100)) == 3


def test_refuses_too_many_histories() -> None:
    tree = (0, "x", {"a": 0.0, "b": 0.0})
    assert len(enumerate_histories(Nested(tree), 0, 3)) == 3
    assert "more than 2 histories" in refusal(tree, limit=2)
