"""Partial game trees grow into the whole game, whatever the order; declared public states hold whole computed ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay import CHANCE, TERMINAL, GameTree, InputError
from counterplay.games import GAMES, goofspiel, leduc, make_game
from counterplay.games.game import LIMIT
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.histories import Histories, TooLargeError
from counterplay.gametree.build.partial_tree import grow, rollouts, seed, states_at
from counterplay.gametree.compile.compile import compile_histories
from counterplay.gametree.compile.levels import declared_states, history_levels

PLENTY = 10**7
GROWN = ["kuhn", "rps:2", "goofspiel:4", "leduc", "leduc:merged=true", "liars_dice:1,3", "battleships:2,2,1x1"]
SMALL = ["kuhn", "rps:2", "goofspiel:4", "leduc:merged=true", "liars_dice:1,3"]
FAST = {"kuhn", "goofspiel:4", "leduc", "leduc:merged=true"}
"""Dealt cards, simultaneous moves, two rounds: kernels of one more game take seconds to compile."""


def marked(specs: list[str]) -> list[Any]:
    """Some games in `make test`, all of them in `make test-slow`."""
    return [spec if spec in FAST else pytest.param(spec, marks=pytest.mark.slow) for spec in specs]


def fast(spec: str) -> FastGame:
    game = make_game(spec)
    assert isinstance(game, FastGame)
    return game


def limit(histories: Histories) -> np.ndarray:
    return np.flatnonzero(histories.player == LIMIT)


def in_steps(game: FastGame, levels: int) -> Histories:
    """Every history of the limit at once, until none is left."""
    table = seed(game)
    while len(limit(table)):
        table = grow(game, table, limit(table), levels, PLENTY)
    return table


def by_public_state(game: FastGame, rng: np.random.Generator) -> Histories:
    """One public state of the partial tree after the other, each by a random number of levels."""
    table = seed(game)
    while len(limit(table)):
        tree = compile_histories(game.name, game, table)
        state = tree.public[0][table.info[0][limit(table)]]
        which = limit(table)[state == rng.choice(state)]
        table = grow(game, table, which, int(rng.integers(1, 4)), PLENTY)
    return table


def by_history(game: FastGame, rng: np.random.Generator) -> Histories:
    """A few histories at a time, wherever they are, each by a random number of levels."""
    table = seed(game)
    while len(at := limit(table)):
        which = rng.choice(at, min(len(at), int(rng.integers(1, 9))), replace=False)
        table = grow(game, table, which, int(rng.integers(1, 4)), PLENTY)
    return table


def sizes(tree: GameTree) -> dict[str, Any]:
    return {
        "histories": len(tree.histories),
        "terminals": tree.terminals,
        "infosets": [one.infosets for one in tree.trees],
        "sequences": [one.sequences for one in tree.trees],
        "payoff": tree.payoff.entries,
        "public": tree.public_states,
        "labels": [set(one.labels.infosets) for one in tree.trees],
    }


def check_whole(game: FastGame, table: Histories, whole: GameTree) -> None:
    assert (table.parent < np.arange(len(table))).all()
    grown = compile_histories(game.name, game, table)
    assert sizes(grown) == sizes(whole)
    values = [cp.solve(tree, solver="lp").value for tree in (grown, whole)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


@pytest.mark.parametrize("spec", marked(GROWN))
@pytest.mark.parametrize("levels", [pytest.param(1, marks=pytest.mark.slow), 3, 10**6])
def test_level_by_level_the_whole_game_comes_out(spec: str, levels: int, game_of: Any) -> None:
    check_whole(fast(spec), in_steps(fast(spec), levels), game_of(spec))


@pytest.mark.parametrize("spec", marked(SMALL))
@pytest.mark.parametrize("by", [by_public_state, by_history])
@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2))])
def test_in_any_order_the_whole_game_comes_out(spec: str, by: Any, number: int, game_of: Any) -> None:
    game = fast(spec)
    check_whole(game, by(game, np.random.default_rng(number)), game_of(spec))


@pytest.mark.parametrize("spec", marked(GROWN))
def test_grown_at_once_the_table_is_the_generators(spec: str, game_of: Any) -> None:
    """Depth first from the root is preorder, and infosets are numbered in the same order."""
    ours, theirs = in_steps(fast(spec), 10**6), game_of(spec).histories
    for name in ("parent", "action", "player", "reach", "utility"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for i in (0, 1):
        np.testing.assert_array_equal(ours.info[i], theirs.info[i])


@pytest.mark.parametrize("spec", marked(GROWN))
@pytest.mark.parametrize("levels", [1, 2, 4])
def test_the_tree_stops_at_its_level(spec: str, levels: int, game_of: Any) -> None:
    game = fast(spec)
    table = grow(game, seed(game), np.array([0]), levels, PLENTY)
    tree = compile_histories(game.name, game, table)
    level = history_levels(tree)
    assert (level <= levels).all()
    assert ((table.player == LIMIT) == ((level == levels) & (table.player != TERMINAL))).all()
    assert (table.utility[limit(table)] == 0.0).all()
    assert all((info[limit(table)] >= 0).all() for info in table.info)
    whole = game_of(spec)
    counted = (history_levels(whole) < levels) | (history_levels(whole)[whole.histories.parent] < levels)
    assert len(table) == counted.sum()


def test_old_numbers_stay_and_the_old_table_is_left_alone() -> None:
    game = fast("leduc:merged=true")
    old = grow(game, seed(game), np.array([0]), 2, PLENTY)
    columns = ("parent", "action", "reach", "utility")
    before = {name: getattr(old, name).copy() for name in (*columns, "player")}
    which = limit(old)[::2]
    new = grow(game, old, which, 2, PLENTY)
    for name, column in before.items():
        np.testing.assert_array_equal(getattr(old, name), column)
    for name in columns:
        np.testing.assert_array_equal(getattr(new, name)[: len(old)], before[name])
    for i in (0, 1):
        np.testing.assert_array_equal(new.info[i][: len(old)], old.info[i])
    changed = np.flatnonzero(new.player[: len(old)] != old.player)
    np.testing.assert_array_equal(changed, which)
    assert set(new.player[which].tolist()) <= {0, 1, CHANCE}


@pytest.mark.parametrize("spec", ["goofspiel:1", "kuhn"])
def test_what_is_not_there_yet_does_not_stop_the_compiler(spec: str) -> None:
    game = fast(spec)
    table = seed(game)
    tree = compile_histories(game.name, game, table)
    over = spec == "goofspiel:1"
    assert (tree.terminals, tree.public_states, len(tree.histories)) == (int(over), int(not over), 1)
    assert [one.infosets for one in tree.trees] == [0, 0]
    assert tree.span == (0.0 if over else 1.0)
    assert grow(game, table, limit(table), 0, 1) is table


def test_states_are_those_of_a_replay(game_of: Any) -> None:
    tree = game_of("leduc:merged=true")
    which = np.random.default_rng(1).permutation(len(tree.histories))
    states = states_at(tree.rules, tree.histories, which)
    for history, state in zip(which[:200].tolist(), states, strict=False):
        np.testing.assert_array_equal(state, tree.state(history))


def test_room_is_kept() -> None:
    game = fast("goofspiel:4")
    assert len(grow(game, seed(game), np.array([0]), 10**6, 1077)) == 1077
    for room in (1, 2, 100, 1076):
        with pytest.raises(TooLargeError, match=f"goofspiel:4: .* more than {room:,} histories"):
            grow(game, seed(game), np.array([0]), 10**6, room)


@pytest.mark.parametrize(
    ("which", "word"), [([0], "history 0 is not at"), ([1, 1], "twice"), ([-1], "-1"), ([99], "99")]
)
def test_only_the_limit_is_expanded(which: list[int], word: str) -> None:
    game = fast("goofspiel:4")
    table = grow(game, seed(game), np.array([0]), 1, PLENTY)
    with pytest.raises(InputError, match=word):
        grow(game, table, np.array(which), 1, PLENTY)


@pytest.mark.parametrize("steps", [[10**6], [2, 1], [1, 1, 1]])
def test_chance_must_be_sound(steps: list[int]) -> None:
    """Two cards: none is left for the board."""
    game = FastGame("two cards", fast("leduc").rules._replace(ranks=2, suits=1))
    table = seed(game)
    for levels in steps[:-1]:
        table = grow(game, table, limit(table), levels, PLENTY)
    with pytest.raises(InputError, match="two cards: there are 0 actions after 'Deal:Qs Deal:Ks Call Call'"):
        grow(game, table, limit(table), steps[-1], PLENTY)


def expected(game: FastGame, state: Any) -> float:
    """The exact worth of uniformly random play."""
    who = game.player(state)
    if who == TERMINAL:
        return game.utility(state)
    legal = game.actions(state)
    odds = game.chance(state) if who == CHANCE else [1.0 / len(legal)] * len(legal)
    return sum(p * expected(game, game.child(state, action)) for p, action in zip(odds, legal, strict=True))


@pytest.mark.parametrize(
    "spec", marked(["kuhn", "leduc:merged=true", "goofspiel:4", "liars_dice:1,3", "battleships:2,2,1x1"])
)
def test_rollouts_estimate_the_worth_of_random_play(spec: str) -> None:
    game = fast(spec)
    table = grow(game, seed(game), np.array([0]), 3, PLENTY)
    which = np.flatnonzero(table.player != TERMINAL)[:60]
    states = states_at(game, table, which)
    mean, error = rollouts(game, states, 4000, seed=5)
    away = np.abs(mean - [expected(game, state) for state in states])
    assert (away <= 4.5 * error + 1e-12).all()
    assert (away[error > 0] / error[error > 0]).mean() == pytest.approx(0.8, abs=0.35)  # half a normal's mean


def test_rollouts_are_reproducible(game_of: Any) -> None:
    tree = game_of("leduc")
    states = states_at(tree.rules, tree.histories, np.arange(50))
    first, again, other = (rollouts(tree.rules, states, 20, seed)[0] for seed in (-3, -3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(rollouts(tree.rules, states[:10], 20, -3)[0], first[:10])
    assert np.isinf(rollouts(tree.rules, states[:2], 1, 0)[1]).all()
    ends = np.flatnonzero(tree.histories.player == TERMINAL)[:5]
    mean, error = rollouts(tree.rules, states_at(tree.rules, tree.histories, ends), 2, 0)
    np.testing.assert_array_equal(mean, tree.histories.utility[ends])
    assert (error == 0.0).all()
    with pytest.raises(InputError, match="at least one sample"):
        rollouts(tree.rules, states, 0, 0)


DECLARED = [*GROWN, "goofspiel:5", "liars_dice:1,3,top=end", "leduc:4,1,cap=3", "kuhn:4", "tictactoe"]


@pytest.mark.parametrize(
    "spec",
    [pytest.param(spec, marks=[pytest.mark.slow] * (spec == "tictactoe")) for spec in DECLARED],
)
def test_declared_public_states_hold_whole_computed_ones(spec: str, game_of: Any) -> None:
    tree = game_of(spec)
    table = tree.histories
    number = declared_states(tree)
    assert len(number) == tree.public_states
    assert set(number.tolist()) == set(range(number.max() + 1))
    inner = np.flatnonzero(table.info[0] >= 0)
    if len(inner) > 30_000:
        inner = np.random.default_rng(2).choice(inner, 30_000, replace=False)
    here = number[tree.public[0][table.info[0][inner]]]
    texts = [tree.rules.public(state) for state in states_at(tree.rules, table, inner)]
    assert len(set(zip(here.tolist(), texts, strict=True))) == len(set(texts)) == len(set(here.tolist()))


def test_every_game_of_rules_declares() -> None:
    of_rules = {spec for spec in (entry.example for entry in GAMES.values()) if isinstance(make_game(spec), FastGame)}
    assert {spec.partition(":")[0] for spec in of_rules} == {spec.partition(":")[0] for spec in DECLARED}


def test_goofspiel_declares_the_announcements(game_of: Any) -> None:
    tree = game_of("goofspiel:5")
    number, table = declared_states(tree), tree.histories
    first = np.flatnonzero(table.player == 0)
    turn = states_at(tree.rules, table, first)[:, goofspiel.TURN]
    states = number[tree.public[0][table.info[0][first]]]
    assert [len(set(states[turn == t].tolist())) for t in range(4)] == [1, 3, 9, 27]
    assert tree.rules.public(tree.rules.root()) == "start"


@pytest.mark.parametrize(("spec", "count"), [("leduc", 30), ("leduc:merged=true", 15)])
def test_leduc_declares_the_bets_and_the_board(spec: str, count: int, game_of: Any) -> None:
    tree = game_of(spec)
    number, table = declared_states(tree), tree.histories
    first = np.flatnonzero(table.player == 0)
    state = states_at(tree.rules, table, first)
    opens = first[(state[:, leduc.PHASE] == leduc.ROUND_2) & (state[:, leduc.MOVES] == 0)]
    assert len(set(number[tree.public[0][table.info[0][opens]]].tolist())) == count


@pytest.mark.parametrize(
    ("spec", "words", "text"),
    [
        ("kuhn", "Deal:0 Deal:2 Pass Bet", "pb"),
        ("kuhn", "Deal:0 Deal:2", "start"),
        ("leduc", "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise", "crc Jh r"),
        ("goofspiel:5", "5 4 1 1 3 5", "w d l"),
        ("goofspiel:5", "5 4 1", "w"),
        ("liars_dice:2,3", "Roll:13 Roll:22 2-1 3-2", "2-1 3-2"),
        ("rps:3", "Rock Paper Scissors Scissors Rock", "RP SS"),
        ("tictactoe", "A1 B2 C3", "X.. .O. ..X"),
        ("battleships:2,3,1x2", "A1+A2 B1+B2 B1 A3", ">B1x <A3-"),
    ],
)
def test_public_texts(spec: str, words: str, text: str) -> None:
    game = fast(spec)
    state = game.root()
    for word in words.split():
        state = game.child(state, next(a for a in game.actions(state) if game.action_name(state, a) == word))
    assert game.public(state) == text


class Silent:
    """Matching pennies, whose player 1 is told what is `told`; an ordinary class."""

    name = "silent"
    augmented = True

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (0, 1, TERMINAL)[len(state)]

    def actions(self, state: str) -> list[str]:
        return ["h", "t"]

    def chance(self, state: str) -> list[float]:
        return []

    def child(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str, player: int) -> str:
        return "own " + state[:1] if player == 0 else f"move {len(state)}"

    def utility(self, state: str) -> float:
        return 1.0 if state[0] == state[1] else -1.0


class Speaking(Silent):
    """The same, which says whose turn it is."""

    def public(self, state: str) -> str:
        return f"move {len(state)}"


def test_classes_may_declare_too() -> None:
    assert declared_states(cp.load(Speaking())).tolist() == [0, 1]
    with pytest.raises(InputError, match=r"silent declares no public states"):
        declared_states(cp.load(Silent()))
