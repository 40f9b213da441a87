"""The built-in games: their sizes, their contract, and what their parameters and states are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import CHANCE, TERMINAL, Game, GameSpec, InputError
from counterplay.games import GAMES, make_game
from counterplay.games.kernel_rules import FastGame
from counterplay.gametree.build.generate import generate
from counterplay.gametree.build.histories import Histories
from tests.support.games import MORE_GAMES
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
_PYTHON = ("holdem", "fhp")  # their rules are Python's, and making them takes a second
FAST = [spec for spec in SPECS if not spec.startswith(_PYTHON) and isinstance(make_game(spec), FastGame)]


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


@pytest.mark.parametrize("most", [1_500, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spec", FAST)
def test_the_protocol_walks_the_generated_tree(spec: str, most: int) -> None:
    """All of its histories, or some of a larger game."""
    game = make_game(spec)
    assert isinstance(game, FastGame)
    histories = generate(game, 1000, 10**9)
    whole = len(histories) <= most
    nodes = enumerate(walk(game)) if whole else _some(game, histories, random.Random(1), most // 3)
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


def _some(game: Game, histories: Histories, rng: random.Random, count: int) -> Iterator[tuple[int, Node]]:
    """Histories picked at random, replayed through the protocol."""
    for h in rng.sample(range(len(histories)), count):
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


@st.composite
def specs(draw: st.DrawFn) -> GameSpec:
    """A game of the catalogue with any of its parameters, whether the game takes these numbers or not."""
    name = draw(st.sampled_from(sorted(GAMES)))
    kinds = {
        bool: st.booleans(), int: st.integers(0, 99), float: st.floats(-9, 9), str: st.text("ab1/x, []", max_size=5),
    }  # fmt: skip
    usual = GameSpec(name).values
    given = {key: draw(kinds[type(value)]) for key, value in usual.items() if draw(st.booleans())}
    return GameSpec(name, {key: value for key, value in given.items() if not _is_torn(value)})


def _is_torn(value: object) -> bool:
    """Whether a text has brackets that do not match, or is empty: no game takes such a parameter."""
    return isinstance(value, str) and (not value or "[" in value or "]" in value)


@given(specs())
def test_a_game_s_record_is_read_back_from_its_text(spec: GameSpec) -> None:
    assert GameSpec.from_text(str(spec)) == spec


def test_a_game_s_record_its_text_and_its_rules_are_one_game() -> None:
    record = GameSpec("leduc", {"ranks": 4, "cap": 3})
    assert str(record) == "leduc:4,cap=3"
    assert GameSpec.from_text("leduc:ranks=4,cap=3,suits=2") == GameSpec.from_text("leduc:ranks=4,2,cap=3") == record
    assert cp.load(record).name == cp.load("leduc:4,cap=3").name == record.make().name
    with pytest.raises(InputError, match="no parameter 'rank'; did you mean 'ranks'"):
        GameSpec("leduc", {"rank": 4})
    with pytest.raises(InputError, match="no game 'ledduc'; did you mean 'leduc'"):
        GameSpec("ledduc")


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
