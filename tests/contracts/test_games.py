"""The built-in games: their sizes, their contract, and their agreement with OpenSpiel and with the papers' numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from counterplay.errors import InputError
from counterplay.games import CHANCE, GAMES, TERMINAL, Game, action_name, make_game
from counterplay.games.explicit_tree import ChanceNode, DecisionNode, TreeGame
from counterplay.games.kernel_rules import FastGame
from counterplay.games.matrix import matrix_game
from counterplay.gametree.build.generate import generate
from counterplay.gametree.table.histories import Histories
from tests.contracts.test_suites import MORE_GAMES
from tests.support.suites import Node, walk

# histories, terminals, infosets of player 0 and of player 1
SIZES = {
    "kuhn": (58, 30, 6, 6),
    "leduc": (9457, 5520, 468, 468),
    "leduc:bets=1/2": (9457, 5520, 468, 468),
    "leduc:merged=true": (1939, 1116, 144, 144),
    "goofspiel:4": (1077, 576, 81, 81),
    "goofspiel:5": (26931, 14400, 1062, 1062),
    "goofspiel:6": (969523, 518400, 17241, 17241),
    "liars_dice:1,4": (8181, 4080, 512, 512),
    "liars_dice:1,4,top=end": (6133, 4080, 256, 256),
    "liars_dice:1,4,wild=false": (8181, 4080, 512, 512),
    "liars_dice:1,5": (51181, 25575, 2560, 2560),
    "liars_dice:1,6": (294883, 147420, 12288, 12288),
    "battleships:2,2,1x1": (4453, 2224, 917, 397),
    "tictactoe": (549946, 255168, 180361, 114417),
    "rps:2": (121, 81, 10, 10),
    "matching_pennies": (7, 4, 1, 1),
    "ses_matrix": (16, 12, 1, 1),
    "cdrnr_fig2": (15, 8, 1, 3),
    "cdrnr_fig3": (15, 8, 1, 2),
    "cdrnr_fig10": (9, 5, 1, 2),
    "ggse_fig1": (9, 6, 1, 1),
    "ggse_fig5": (22, 12, 2, 2),
    "ggse_fig8": (13, 9, 1, 1),
    "ggse_fig11": (22, 12, 2, 2),
}
SPECS = [entry.example for entry in GAMES.values()] + MORE_GAMES
FAST = [spec for spec in SPECS if isinstance(make_game(spec), FastGame)]


def infosets(histories: Histories, player: int) -> int:
    return len(np.unique(histories.info[player][histories.player == player]))


@pytest.mark.parametrize("spec", SIZES)
def test_sizes(spec: str) -> None:
    game = make_game(spec)
    if isinstance(game, FastGame):
        histories = generate(game, 1000, 10**9)
        found = (len(histories), int((histories.player == TERMINAL).sum()), *(infosets(histories, i) for i in (0, 1)))
    else:
        nodes = list(walk(game))
        labels = [{game.infoset(node.state, i) for node in nodes if node.player == i} for i in (0, 1)]
        found = (len(nodes), sum(node.player == TERMINAL for node in nodes), *map(len, labels))
    assert found == SIZES[spec]


@pytest.mark.parametrize("spec", FAST)
def test_the_protocol_walks_the_generated_tree(spec: str) -> None:
    game = make_game(spec)
    assert isinstance(game, FastGame)
    histories = generate(game, 1000, 10**9)
    whole = len(histories) <= 30_000
    nodes = enumerate(walk(game)) if whole else _some(game, histories, random.Random(1))
    names: dict[tuple[int, str], int] = {}
    numbers: dict[tuple[int, int], str] = {}
    last = -1
    for h, node in nodes:
        last = h
        row = (histories.parent[h], histories.action[h], histories.player[h])
        assert row == (node.parent, node.action, node.player)
        assert histories.reach[h] == pytest.approx(node.reach, rel=1e-12)
        if node.player == TERMINAL:
            assert histories.utility[h] == game.utility(node.state)
            continue
        for i in (0, 1):  # labels are one to one with augmented infosets
            number, name = int(histories.info[i][h]), game.infoset(node.state, i)
            assert names.setdefault((i, name), number) == number
            assert numbers.setdefault((i, number), name) == name
    assert last == len(histories) - 1 or not whole


def _some(game: Game, histories: Histories, rng: random.Random) -> Iterator[tuple[int, Node]]:
    """Histories picked at random, replayed through the protocol."""
    for h in rng.sample(range(len(histories)), 3000):
        state, reach = game.root(), 1.0
        for k in histories.path(h):
            reach *= game.chance(state)[k] if game.player(state) == CHANCE else 1.0
            state = game.child(state, game.actions(state)[k])
        yield h, Node(state, int(histories.parent[h]), int(histories.action[h]), game.player(state), reach)


@pytest.mark.parametrize("spec", SPECS)
def test_the_name_is_a_spec_of_the_same_game(spec: str) -> None:
    game = make_game(spec)
    again = make_game(game.name)
    assert again.name == game.name
    nodes = zip(walk(game), walk(again), strict=True)
    for _, (one, other) in zip(range(2000), nodes, strict=False):
        assert one[1:] == other[1:]
        if one.player == TERMINAL:
            assert game.utility(one.state) == again.utility(other.state)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("chess", "no game 'chess'"),
        ("leduc:bets=x", "bets"),
        ("leduc:bets=2", "bets"),
        ("leduc:bets=0/4", "bets"),
        ("leduc:1", "ranks"),
        ("leduc:2,1", "suits"),
        ("leduc:cap=0", "cap"),
        ("leduc:merged=perhaps", "merged"),
        ("liars_dice:0", "dice"),
        ("liars_dice:1,1", "sides"),
        ("liars_dice:9,9", "too many"),
        ("liars_dice:top=up", "top"),
        ("battleships:1,1,2x2", "does not fit"),
        ("battleships:2,2,1x1/1x1/1x1/1x1/1x1", "does not fit"),
        ("battleships:2,2,two", "2x2/1x3"),
        ("battleships:12,12", "120 cells"),
        ("battleships:0,2", "board"),
        ("battleships:7,8,1x2/1x3/1x3/1x4,placing=fleet", "placements"),
        ("battleships:10,10,9x9/2x2", "does not fit"),
        ("battleships:placing=none", "auto, fleet or ships"),
        ("battleships:shots=-1", "shots"),
        ("rps:0", "rounds"),
        ("rps:2,nan", "bias"),
        ("matrix:1 2/3", "equally long"),
        ("matrix:1 a/3 4", "numbers"),
        ("matrix:/", "table"),
        ("matrix:inf", "finite"),
        ("matching_pennies:inf", "finite"),
        ("ses_matrix:nan", "finite"),
        ("tictactoe:3", "one parameter too many"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(spec: str, word: str) -> None:
    with pytest.raises(InputError, match=word) as caught:
        make_game(spec)
    assert "\n" not in str(caught.value)


# OpenSpiel's name, what our utility is of its, and whether the labels of the players' infosets are the same texts.
TWINS = {
    "kuhn": ("kuhn_poker", 1.0, True),
    "leduc": ("leduc_poker", 1.0, False),
    "goofspiel:4": (
        "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=point_difference)",
        2.0,
        False,
    ),
    "goofspiel:4,utility=win": (
        "goofspiel(imp_info=True,num_cards=4,points_order=descending,returns_type=win_loss)",
        1.0,
        False,
    ),
    "liars_dice:1,4": ("liars_dice(numdice=1,dice_sides=4)", 1.0, True),
    "battleships:2,2,1x1": (
        "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=4,allow_repeated_shots=False)",
        1.0,
        False,
    ),
}


def _open_spiel(text: str) -> Any:
    return pytest.importorskip("pyspiel").load_game_as_turn_based(text).new_initial_state()


@pytest.mark.parametrize("spec", TWINS)
def test_the_tree_is_openspiels(spec: str) -> None:
    text, scale, same_labels = TWINS[spec]
    game = make_game(spec)
    names: dict[tuple[int, str], str] = {}
    texts: dict[tuple[int, str], str] = {}
    stack = [(game.root(), _open_spiel(text))]
    while stack:
        ours, theirs = stack.pop()
        who = game.player(ours)
        if theirs.is_terminal():
            assert who == TERMINAL
            assert game.utility(ours) == pytest.approx(scale * theirs.player_return(0), abs=1e-12)
            continue
        assert who == (CHANCE if theirs.is_chance_node() else theirs.current_player())
        actions, twins = list(game.actions(ours)), theirs.legal_actions()
        assert len(actions) == len(twins)
        if who == CHANCE:
            assert game.chance(ours) == pytest.approx([odds for _, odds in theirs.chance_outcomes()])
        else:
            name, twin = game.infoset(ours, who), theirs.information_state_string(who)
            assert names.setdefault((who, name), twin) == twin
            assert texts.setdefault((who, twin), name) == name
            assert name == twin or not same_labels
            if spec.startswith(("kuhn", "leduc", "liars")):
                words = [action_name(game, ours, action) for action in actions]
                assert words == [theirs.action_to_string(who, action) for action in twins]
        for action, twin_action in zip(actions, twins, strict=True):
            stack.append((game.child(ours, action), theirs.child(twin_action)))


def test_tictactoe_plays_like_openspiels() -> None:
    rng = random.Random(3)
    game = make_game("tictactoe")
    for _ in range(300):
        ours, theirs = game.root(), _open_spiel("tic_tac_toe")
        while game.player(ours) != TERMINAL:
            assert game.player(ours) == theirs.current_player()
            assert game.actions(ours) == theirs.legal_actions()
            action = rng.choice(theirs.legal_actions())
            ours = game.child(ours, action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert game.utility(ours) == theirs.player_return(0)


def test_leduc_labels_and_stakes() -> None:
    game = make_game("leduc:bets=1/2")
    state = _play(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise")
    assert [game.infoset(state, i) for i in (0, 1)] == ["Js crc Jh r", "Qh crc Jh r"]
    assert game.utility(_play(game, "Deal:Js Deal:Qh Call Raise Fold")) == -1.0
    assert game.utility(_play(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise Fold")) == 2.0
    assert game.utility(_play(game, "Deal:Js Deal:Qh Call Raise Call Deal:Jh Raise Call")) == 4.0
    merged = make_game("leduc:merged=true")
    assert merged.chance(_play(merged, "Deal:J")) == pytest.approx([0.2, 0.4, 0.4])
    assert merged.infoset(_play(merged, "Deal:J Deal:J Call Call Deal:K"), 1) == "J cc K"


def test_liars_dice_deals_multisets_and_counts_wild_faces() -> None:
    game = make_game("liars_dice:2,3")
    root = game.root()
    assert [game.action_name(root, a) for a in game.actions(root)] == [  # type: ignore[attr-defined]
        f"Roll:{roll}" for roll in ("11", "12", "22", "13", "23", "33")
    ]
    assert game.chance(root) == pytest.approx([1 / 9, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9])
    assert game.infoset(_play(game, "Roll:13 Roll:22 2-1 3-2"), 0) == "13 2-1 3-2"
    assert game.utility(_play(game, "Roll:13 Roll:22 3-2 Liar")) == 1.0
    assert game.utility(_play(game, "Roll:13 Roll:22 3-1 Liar")) == -1.0
    plain = make_game("liars_dice:2,3,wild=no")
    assert plain.utility(_play(plain, "Roll:13 Roll:22 3-2 Liar")) == -1.0
    short = make_game("liars_dice:1,2,top=end")
    assert short.utility(_play(short, "Roll:2 Roll:2 1-1 2-2")) == -1.0


def test_battleships_fleets_and_shots() -> None:
    def placements(spec: str) -> list[str]:
        game = make_game(spec)
        return [action_name(game, game.root(), action) for action in game.actions(game.root())]

    assert placements("battleships:2,2,1x2") == ["A1+A2", "A1+B1", "A2+B2", "B1+B2"]
    assert len(placements("battleships:5,5,2x2/2x2")) == 78
    assert placements("battleships:2,2,1x2/1x2") == ["A1+A2+B1+B2"]  # both ways to cover the board are one
    game = make_game("battleships:2,3,1x2,shots=2")
    state = _play(game, "A1+A2 B1+B2 B1 A3 B2")
    assert game.utility(state) == 1.0
    state = _play(game, "A1+A2 B1+B2 B1 A2 A1")
    assert game.infoset(state, 0) == "A1+A2: >B1x <A2x >A1-"
    assert game.infoset(state, 1) == "B1+B2: <B1x >A2x <A1-"
    assert game.utility(game.child(state, 5)) == 0.0  # two shots each, nothing sunk


def test_large_battleships_can_be_played() -> None:
    rng = random.Random(5)
    game = make_game("battleships:5,5,2x2/2x2")
    for _ in range(20):
        state, cells = game.root(), 0
        while game.player(state) != TERMINAL:
            assert game.infoset(state, game.player(state))
            state = game.child(state, rng.choice(list(game.actions(state))))
            cells += 1
        assert 2 + 15 <= cells <= 52
        assert game.utility(state) in (-1.0, 1.0)


def _play(game: Game, words: str) -> Any:
    state = game.root()
    for word in words.split():
        state = game.child(state, next(a for a in game.actions(state) if action_name(game, state, a) == word))
    return state


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
    found = linprog(
        np.r_[np.zeros(n), -1.0],
        np.c_[-payoffs.T, np.ones(m)],
        np.zeros(m),
        np.r_[np.ones(n), 0.0][None],
        [1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    return float(-found.fun)


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
        0.5 * game.utility(_play(game, f"{color} {coin} P"))
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
    state = _play(game, "Rock Paper Scissors")
    assert [game.infoset(state, i) for i in (0, 1)] == ["RP S", "PR"]
    assert game.utility(_play(game, "Rock Paper Scissors Paper")) == -1.0
    assert worst_case_mixed(normal_form(make_game("rps:1")), [0.25, 0.25, 0.5]) == pytest.approx(0.0)


def worst_case_mixed(payoffs: Any, row: list[float]) -> float:
    return float((np.array(row) @ payoffs).min())


def test_matrix_games_from_python() -> None:
    game = matrix_game([[1, 0], [0, 2]], rows=["up", "down"], columns=["left", "right"], name="corner")
    assert game.name == "corner"
    assert game.utility(_play(game, "down right")) == 2.0
    assert game.infoset(game.root(), 0) == "rows"
    assert matrix_game([[1.5, -1]]).name == "matrix:1.5 -1"
    for payoffs, rows in (([[1, 2], [3]], None), ([1, 2], None), ([[1], [2]], ["a"]), ([[1], [2]], ["a", "a"])):
        with pytest.raises(InputError, match="matrix"):
            matrix_game(payoffs, rows)


def test_trees_are_checked() -> None:
    bad = [
        ChanceNode({"a": (0.5, 1.0), "b": (0.4, 0.0)}),
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


def test_battleships_are_drawn() -> None:
    """Own shots to the left, the own fleet to the right: what the infoset's text says, as two boards."""
    game: Any = make_game("battleships:2,3,1x2")
    state = game.root()
    for name in ("A1+A2", "B1+B2", "B1", "A3", "A1", "A1"):
        state = game.child(state, next(a for a in game.actions(state) if game.action_name(state, a) == name))
    assert game.picture(state, 0).splitlines() == [
        "your shots     your fleet",
        "  1 2 3          1 2 3",
        "A o . .        A x # o",
        "B x . .        B . . .",
        "x hit   o miss   # ship   . water",
    ]
    assert "." not in game.picture(state, 1).splitlines()[2].split("   ")[0][2:4]


@pytest.mark.parametrize("spec", ["battleships:3,3,1x2/1x1", "battleships:10,10,1x5/1x4/1x3/1x3/1x2"])
def test_ships_one_after_the_other_always_fit(spec: str) -> None:
    """Whatever is placed first, the rest fits; and a shot at a cell beyond the first word counts like any other."""
    game: Any = make_game(f"{spec},placing=ships")
    for seed in range(20):
        stream, state, moves = random.Random(seed), game.root(), 0
        while game.player(state) != TERMINAL:
            actions = game.actions(state)
            assert actions
            state, moves = game.child(state, stream.choice(actions)), moves + 1
        assert game.utility(state) in (-1.0, 1.0)
        assert moves <= game.rules.depth


def test_a_dense_fleet_goes_back_when_it_gets_stuck() -> None:
    """On 2x3 three dominoes fit in three ways; one in the middle of a row would leave single cells."""
    game: Any = make_game("battleships:2,3,1x2/1x2/1x2,placing=ships")
    names = {game.action_name(game.root(), action) for action in game.actions(game.root())}
    assert names == {"A1+A2", "A2+A3", "B1+B2", "B2+B3", "A1+B1", "A2+B2", "A3+B3"}
    state = game.child(game.root(), game.actions(game.root())[0])
    assert game.infoset(state, 0) == "A1+A2"
    assert {game.action_name(state, action) for action in game.actions(state)} == {"B1+B2", "A3+B3"}


@pytest.mark.parametrize(
    "spec", ["kuhn", "leduc", "goofspiel:5", "liars_dice:1,4", "tictactoe", "rps:2", "battleships:2,2,1x1"]
)
def test_the_numbers_of_a_state_have_names(spec: str) -> None:
    """For value functions; docs/extend.md says what they mean, with the same names."""
    rules: Any = make_game(spec)
    state = rules.root()
    assert len(rules.fields) == len(state) == len(set(rules.fields))
    page = (Path(__file__).parent.parent.parent / "docs" / "extend.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith(f"| `{spec.partition(':')[0]}` |"))
    assert all(name in row for name in rules.fields if not name.isdigit() and not name.endswith("high"))


def test_a_state_of_leduc_by_name() -> None:
    """The example of the page: J♠ against J♥, two calls, then Q♠ on the board."""
    rules: Any = make_game("leduc")
    state = rules.root()
    for action in (1, 2, 1, 1, 3):
        state = rules.child(state, action)
    named = dict(zip(rules.fields, state.tolist(), strict=True))
    assert named == {
        "card 0": 1, "card 1": 2, "board": 3, "phase": 1, "moves": 0, "raises 1": 0, "raises 2": 0, "past": 0b1010111,
    }  # fmt: skip
    assert rules.infoset(state, 0) == "Js cc Qs"
