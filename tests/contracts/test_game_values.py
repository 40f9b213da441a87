"""Values of small games by a normal form that is built from the rules alone; the games of papers' figures."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from counterplay import CHANCE, TERMINAL, Game, InputError
from counterplay.games import action_name, make_game
from counterplay.games.examples import ChanceNode, DecisionNode, TreeGame
from counterplay.games.matrix import matrix_game
from tests.support.games import state_after
from tests.support.linear_program import INF, minimise
from tests.support.suites import walk

Strategy = dict[str, dict[str, float]]


def value(game: Game, strategies: tuple[Strategy, Strategy], state: Any = None) -> float:
    """Expected utility of player 0."""
    state = game.root() if state is None else state
    who = game.player(state)
    if who == TERMINAL:
        return game.utility(state)
    actions = list(game.actions(state))
    if who == CHANCE:
        odds = list(game.chance(state))
    else:
        here = strategies[who][game.infoset(state, who)]
        odds = [here.get(action_name(game, state, action), 0.0) for action in actions]
    return sum(p * value(game, strategies, game.child(state, a)) for p, a in zip(odds, actions, strict=True) if p)


def pure_strategies(game: Game, player: int) -> list[Strategy]:
    menus = {
        game.infoset(node.state, player): [action_name(game, node.state, a) for a in game.actions(node.state)]
        for node in walk(game)
        if node.player == player
    }
    return [
        {infoset: {word: 1.0} for infoset, word in zip(menus, pick, strict=True)} for pick in product(*menus.values())
    ]


def normal_form(game: Game) -> Any:
    rows, columns = (pure_strategies(game, i) for i in (0, 1))
    return np.array([[value(game, (row, column)) for column in columns] for row in rows])


def game_value(payoffs: Any) -> float:
    n, m = payoffs.shape
    cost, low = np.r_[np.zeros(n), -1.0], np.r_[np.zeros(n), -INF]
    return -minimise(cost, np.c_[-payoffs.T, np.ones(m)], np.zeros(m), np.r_[np.ones(n), 0.0][None], [1.0], low)[0]


def worst_case(game: Game, strategy: Strategy) -> float:
    return min(value(game, (strategy, reply)) for reply in pure_strategies(game, 1))


@pytest.mark.parametrize(
    ("spec", "worth"),
    [
        ("cdrnr_fig2", -4 / 3),
        ("cdrnr_fig3", 0.0),
        ("cdrnr_fig10", 1 / 2),
        ("ggse_fig1", 1 / 2),
        ("ggse_fig5", 7 / 9),
        ("ggse_fig8", 0.0),
        ("ggse_fig11", 5 / 6),
        ("ses_matrix", -1 / 2),
        ("matching_pennies", 0.0),
        ("matching_pennies:2,1,0", 2 / 3),
        ("matrix:3 1/0 2", 3 / 2),
        ("rps:1", 0.0),
    ],
)
def test_values_of_small_games(spec: str, worth: float) -> None:
    assert game_value(normal_form(make_game(spec))) == pytest.approx(worth, abs=1e-9)


def test_cdrnr_figure_2() -> None:
    game = make_game("cdrnr_fig2")

    def heads(x: float) -> Strategy:
        return {"pick a side": {"H": x, "T": 1 - x}}

    def branches(x: float) -> tuple[float, float]:
        """What the opponent gets in p and in q, playing on perfectly."""
        best = {"p": -9.0, "q": -9.0}
        for reply in pure_strategies(game, 1):
            name = next(iter(reply["pick a game"]))
            best[name] = max(best[name], -value(game, (heads(x), reply)))
        return best["p"], best["q"]

    assert worst_case(game, heads(2 / 3)) == pytest.approx(-4 / 3)
    assert worst_case(game, heads(0.6)) < -4 / 3 - 0.05
    assert worst_case(game, heads(0.7)) < -4 / 3 - 0.05
    # Unsafe resolving fixes p at 1/3: every x in [1/3, 3/4] is optimal then, and nothing else is.
    unsafe = {x: np.dot((1 / 3, 2 / 3), branches(x)) for x in (0.0, 0.32, 1 / 3, 0.5, 3 / 4, 0.76, 1.0)}
    assert [x for x, cost in unsafe.items() if cost < 4 / 3 + 1e-9] == [1 / 3, 0.5, 3 / 4]
    # The trunk's first iteration: at (1/2, 1/2) the value function answers 1/3, worth 2/3 in p and 5/3 in q.
    assert min((x / 300 for x in range(301)), key=lambda x: sum(branches(x))) == pytest.approx(1 / 3)
    assert branches(1 / 3) == pytest.approx((2 / 3, 5 / 3))


def test_cdrnr_figure_3() -> None:
    game = make_game("cdrnr_fig3")
    play: Strategy = {"play or quit": {"P": 1.0}}
    assert worst_case(game, play) == -3.0
    assert value(game, (play, {"red": {"RH": 1.0}, "green": {"GH": 1.0}})) == -3.0
    # Chance's half is kept in the gadgets, as the paper draws them.
    reached = [
        0.5 * game.utility(state_after(game, f"{color} {coin} P"))
        for color, coin in (("red", "RH"), ("red", "RT"), ("green", "GH"), ("green", "GT"))
    ]
    assert sum(min(0.0, worth) for worth in reached) == -3.5
    assert min(reached) == -2.0
    assert [worth < 0 for worth in reached] == [True, True, True, False]
    assert value(game, (play, {"red": {"RH": 1.0}, "green": {"GT": 1.0}})) > 0


def test_cdrnr_figure_10() -> None:
    game = make_game("cdrnr_fig10")
    model: Strategy = {"guess": {"h": 2 / 3, "t": 1 / 3}, "after tails": {"x": 1.0}}
    for heads, worth in ((0.5, 2.0), (0.0, 10 / 3), (1.0, 2 / 3)):
        assert value(game, ({"pick a side": {"H": heads, "T": 1 - heads}}, model)) == pytest.approx(worth)


def test_ggse_figures() -> None:
    fig1 = make_game("ggse_fig1")
    assert 0.5 - worst_case(fig1, {"guess": {"F": 0.5, "H": 0.5}}) == pytest.approx(1.0)
    assert worst_case(fig1, {"guess": {"H": 0.75, "T": 0.25}}) == pytest.approx(0.25)

    def plays(x: float, y: float) -> Strategy:
        return {"state 1": {"H": x, "T": 1 - x}, "state 2 or 3": {"H": y, "T": 1 - y}}

    fig5, fig11 = make_game("ggse_fig5"), make_game("ggse_fig11")
    assert worst_case(fig5, plays(2 / 3, 1 / 2)) == pytest.approx(7 / 9)
    assert worst_case(fig5, plays(0.0, 1 / 2)) == pytest.approx(7 / 9 - 4 / 9)
    assert worst_case(fig11, plays(1.0, 1 / 4)) == pytest.approx(5 / 6)
    assert worst_case(make_game("ggse_fig8"), {"reply": {"R": 1.0}}) == -1.0


def test_ses_matrix() -> None:
    payoffs = -normal_form(make_game("ses_matrix")).T  # player 1's, its actions as rows, as printed
    assert payoffs.tolist() == [[3, -2, 4], [-2, 3, 9], [3, -2, 9], [-100, -100, 10]]
    for pair in ((0, 1), (1, 2)):  # both equilibria guarantee 1/2
        assert payoffs[list(pair)].mean(axis=0).min() == 0.5
    assert int(payoffs[:, 2].argmax()) == 3  # and F is the best response to R


def test_rps_is_the_biased_matrix() -> None:
    assert normal_form(make_game("rps:1")).tolist() == [[0, -2, 1], [2, 0, -1], [-1, 1, 0]]
    game = make_game("rps")
    state = state_after(game, "Rock Paper Scissors")
    assert [game.infoset(state, i) for i in (0, 1)] == ["RP S", "PR"]
    assert game.utility(state_after(game, "Rock Paper Scissors Paper")) == -1.0
    assert worst_case_mixed(normal_form(make_game("rps:1")), [0.25, 0.25, 0.5]) == pytest.approx(0.0)


def worst_case_mixed(payoffs: Any, row: list[float]) -> float:
    return float((np.array(row) @ payoffs).min())


def test_matrix_games_from_python() -> None:
    game = matrix_game([[1, 0], [0, 2]], rows=["up", "down"], columns=["left", "right"], name="corner")
    assert game.name == "corner"
    assert game.utility(state_after(game, "down right")) == 2.0
    assert game.infoset(game.root(), 0) == "rows"
    assert matrix_game([[1.5, -1]]).name == "matrix:1.5 -1"
    for payoffs, rows in (([[1, 2], [3]], None), ([1, 2], None), ([[1], [2]], ["a"]), ([[1], [2]], ["a", "a"])):
        with pytest.raises(InputError, match="matrix"):
            matrix_game(payoffs, rows)


def test_trees_are_checked() -> None:
    bad = [
        ChanceNode({"a": (0.5, 1.0), "b": (0.4, 0.0)}),
        ChanceNode({"a": (1.5, 1.0), "b": (-0.5, 0.0)}),
        ChanceNode({"a": (float("nan"), 1.0), "b": (0.5, 0.0)}),
        ChanceNode({}),
        DecisionNode(0, "i", {}),
        DecisionNode(2, "i", {"a": 1.0}),
        DecisionNode(0, "i", {"a": DecisionNode(1, "j", {"x": 0.0}), "b": DecisionNode(1, "j", {"y": 0.0})}),
    ]
    for tree in bad:
        with pytest.raises(InputError, match="bad"):
            TreeGame("bad", tree)
    game = TreeGame("fine", DecisionNode(0, "i", {"a": DecisionNode(1, "j", {"x": 1.0}, other="told"), "b": 0.0}))
    state = game.child(game.root(), "a")
    assert [game.infoset(state, i) for i in (0, 1)] == ["told", "j"]
    assert [game.infoset(game.root(), i) for i in (0, 1)] == ["i", "start"]
