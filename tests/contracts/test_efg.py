"""Gambit's .efg files: read, written, and rejected with the number of the line."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, TERMINAL, InputError
from counterplay.games import make_game
from counterplay.games.examples import ChanceNode, TreeGame
from counterplay.games.formats.efg import EfgGame, EfgInfoset, EfgNode, read_efg, write_efg
from counterplay.games.game import action_name
from counterplay.gametree.build.enumerate_game import enumerate_histories
from tests.support.characters import CHARACTERS

HEAD = 'EFG 2 R "test" { "Ann" "Bob" }\n'
PENNIES = (
    HEAD
    + """"Bob does not see what Ann did."
p "" 1 1 "Ann" { "H" "T" } 0
p "" 2 1 "Bob" { "h" "t" } 0
t "" 1 "same" { 1, -1 }
t "" 2 "other" { -1, 1 }
p "" 2 1 0
t "" 2
t "" 1
"""
)


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(text: str) -> EfgGame:
        path = tmp_path / "game.efg"
        path.write_text(text, encoding="utf-8")
        return read_efg(path)

    return reader


def lines(game: Any) -> list[str]:
    """Every history in preorder, with all that the protocol says of it."""
    out, stack = [], [(game.root(), "")]
    while stack:
        state, history = stack.pop()
        who = game.player(state)
        if who == TERMINAL:
            out.append(f"{history} = {game.utility(state)}")
            continue
        names = [action_name(game, state, action) for action in game.actions(state)]
        what = list(game.chance(state)) if who == CHANCE else game.infoset(state, who)
        out.append(f"{history} {who} {what} {names}")
        children = [game.child(state, action) for action in game.actions(state)]
        stack += reversed([(child, f"{history}/{name}") for child, name in zip(children, names, strict=True)])
    return out


def test_reads_a_small_file(read: Any) -> None:
    assert lines(read(PENNIES)) == [
        " 0 Ann ['H', 'T']",
        "/H 1 Bob ['h', 't']",
        "/H/h = 1.0",
        "/H/t = -1.0",
        "/T 1 Bob ['h', 't']",
        "/T/h = -1.0",
        "/T/t = 1.0",
    ]


def test_layout_does_not_matter(read: Any) -> None:
    assert lines(read(PENNIES.replace("\n", " ").replace(",", " "))) == lines(read(PENNIES))
    assert lines(read(PENNIES.replace(" ", "\r\n\t").replace("{\r", "{"))) == lines(read(PENNIES))
    assert lines(read("\ufeff" + PENNIES.replace("{ ", "{").replace(" }", "}"))) == lines(read(PENNIES))


def test_older_files_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "old.efg"
    path.write_bytes(PENNIES.replace('"Bob" { "h"', '"B\u00f6b" { "h"').encode("latin-1"))
    assert lines(read_efg(path))[1] == "/H 1 B\u00f6b ['h', 't']"


@pytest.mark.parametrize(
    ("payoffs", "value"),
    [
        ("{ 1/3 -1/3 }", 1 / 3),
        ("{ 0.25, -.25 }", 0.25),
        ("{ 1.5e2 -150. }", 150.0),
        ("{ -1E-3, +0.001 }", -0.001),
        ("{ 1.5/2 -3/4 }", 0.75),
        ("{ 1e12 -1000000000000.1 }", 1e12),
    ],
)
def test_numbers(read: Any, payoffs: str, value: float) -> None:
    assert lines(read(HEAD + f't "" 1 "" {payoffs}')) == [f" = {value}"]


def test_outcomes_at_inner_nodes_add_up(read: Any) -> None:
    text = (
        HEAD
        + """
    c "" 1 "" { "a" 1/4 "b" 3/4 } 5 "ante" { 1 -1 }
    p "" 2 1 "" { "x" "y" } 6 "" { 10 -10 }
    t "" 5
    t "" 0
    p "" 2 1 "" { "x" "y" } 5
    t "" 7 { -2 2 }
    t "" 6
    """
    )
    assert lines(read(text)) == [
        " 2 [0.25, 0.75] ['a', 'b']",
        "/a 1 1 ['x', 'y']",
        "/a/x = 12.0",
        "/a/y = 11.0",
        "/b 1 1 ['x', 'y']",
        "/b/x = 0.0",
        "/b/y = 12.0",
    ]


def test_only_terminals_must_be_zero_sum(read: Any) -> None:
    assert lines(read(HEAD + 'p "" 1 1 { "a" } 1 { 5 0 } t "" 2 { 0 -5 }'))[1] == "/a = 5.0"
    with pytest.raises(InputError, match="line 4: not zero-sum: the payoffs after 'a c' are 3 and -2"):
        read(HEAD + 'p "" 1 1 { "a" "b" } 0\np "" 2 1 { "c" } 0\nt "" 2 { 3 -2 }\nt "" 0')


def test_constant_sums_are_refused(read: Any) -> None:
    with pytest.raises(InputError, match="the payoffs after 'H h' are 1 and 0"):
        read(PENNIES.replace("-1", "0"))


def test_infosets_are_told_apart_by_number(read: Any) -> None:
    texts = ["x", "", "x", "x 3", "x 1"]
    nodes = [f'p "" 1 {n} "{text}" {{ "a" }} 0\n' for n, text in enumerate(texts, 1)]
    table = lines(read(HEAD + "".join(nodes) + 't "" 0'))
    labels = [line.split(" 0 ")[1].removesuffix(" ['a']") for line in table[:-1]]
    assert labels == ["x 1 1", "2", "x 3 3", "x 3", "x 1"]


def test_actions_of_the_same_name_are_told_apart(read: Any) -> None:
    game = read(HEAD + 'p "" 1 1 "" { "a" "" "a" } 0 t "" 0 t "" 0 t "" 0')
    assert lines(game)[0].endswith("['a 1', '2', 'a 3']")


def test_escapes(read: Any, tmp_path: Path) -> None:
    game = read(HEAD + r'p "" 1 1 "say \"hi\" \\ \n" { "{a}, \"b\"" } 0 t "\"" 0')
    assert game.infoset(game.root(), 0) == 'say "hi" \\ \\n'
    assert game.action_name(game.root(), 0) == '{a}, "b"'
    write_efg(game, tmp_path / "again.efg")
    assert lines(read_efg(tmp_path / "again.efg")) == lines(game)


ERRORS = {
    "line 1: expected 'EFG', found 'NFG'": PENNIES.replace("EFG", "NFG"),
    "line 1: expected '2', found '3'": PENNIES.replace("EFG 2", "EFG 3"),
    "line 1: expected 'R' or 'D', found \"test\"": PENNIES.replace(" R ", " "),
    "line 1: the game has 3 players, and not 2": PENNIES.replace('"Ann" "Bob"', '"Ann" "Bob" "Cy"'),
    "line 3: expected the name of the node in quotes, found '1'": PENNIES.replace('p "" 1', "p 1"),
    "line 3: there is no player 3 in a game of 2 players": PENNIES.replace('p "" 1', 'p "" 3'),
    "line 3: expected the number of the player (a whole number, 1 or more), found '-1'": PENNIES.replace(
        'p "" 1', 'p "" -1'
    ),
    "line 3: expected the actions of the infoset 1, which is new, found '0'": PENNIES.replace('"Ann" { "H" "T" }', ""),
    "line 3: the infoset 1 has no actions": PENNIES.replace('"H" "T"', ""),
    "line 7: the infoset 1 has other actions here than before": PENNIES.replace("2 1 0", '2 1 "" { "h" "x" } 0'),
    "line 5: expected the payoff of player 1 (a number), found '1/0'": PENNIES.replace("{ 1,", "{ 1/0,"),
    "line 5: expected the payoff of player 2 (a number), found '}'": PENNIES.replace("{ 1,", "{"),
    "line 5: expected the payoff of player 1 (a number), found 'inf'": PENNIES.replace("{ 1,", "{ inf,"),
    "line 5: expected the payoff of player 1 (a number), found '1e999'": PENNIES.replace("{ 1,", "{ 1e999,"),
    "line 5: expected '}', found '7'": PENNIES.replace("1, -1", "1, -1, 7"),
    "line 9: expected the payoffs of the outcome 9, which is new, found 't'": PENNIES.replace('t "" 2\n', 't "" 9\n'),
    "line 8: the outcome 1 has other payoffs here than before": PENNIES.replace('t "" 2\n', 't "" 1 { 2 -2 }\n'),
    "line 8: the outcome 0 means that there is none, so it has no payoffs": PENNIES.replace(
        't "" 2\n', 't "" 0 { 2 -2 }'
    ),
    "line 10: expected 'c' or 'p' or 't', found the end of the file": PENNIES.removesuffix('t "" 1\n') + "\n",
    "line 10: expected the end of the file, found 't'": PENNIES + 't "" 1',
    "line 3: expected a closing quote, found the end of the file": PENNIES[: PENNIES.index('H"')],
    "line 2: the chance probabilities are [0.5, 0.25] and do not sum to 1": HEAD + 'c "" 1 "" { "a" 1/2 "b" .25 } 0',
    "line 2: the chance probabilities are [1.5, -0.5], and -0.5 is negative": HEAD + 'c "" 1 "" { "a" 3/2 "b" -0.5 } 0',
    'line 2: expected a probability (a number), found "b"': HEAD + 'c "" 1 "" { "a" "b" } 0',
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors_name_the_line(read: Any, tmp_path: Path, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(ERRORS[message])
    assert str(error.value) == f"{tmp_path / 'game.efg'}, {message}"


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.efg: No such file"):
        read_efg(tmp_path / "none.efg")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        read_efg(tmp_path)


def test_imperfect_recall_is_found_by_the_walk(read: Any) -> None:
    game = read(HEAD + 'p "" 1 1 "x" { "a" "b" } 0 p "" 1 2 "y" { "c" } 0 t "" 0 p "" 1 2 0 t "" 0')
    with pytest.raises(
        InputError, match="the infoset 'y' is reached by different own actions, after 'a' and after 'b'"
    ):
        enumerate_histories(game, 0, 100)


@pytest.mark.parametrize("spec", ["kuhn", "kuhn:4", "goofspiel:3", "goofspiel:4"])
def test_round_trip_of_games(spec: str, tmp_path: Path) -> None:
    game = make_game(spec)
    write_efg(game, tmp_path / "game.efg")
    again = read_efg(tmp_path / "game.efg")
    assert lines(again) == lines(game)
    ours, theirs = enumerate_histories(again, 0, 10**6), enumerate_histories(game, 0, 10**6)
    for who in (0, 1):
        acting = ours.player == who
        assert len(set(ours.info[who][acting].tolist())) == len(set(theirs.info[who][acting].tolist()))


def test_a_name_that_no_file_can_hold_leaves_no_file(tmp_path: Path) -> None:
    game = TreeGame("coin", ChanceNode({"\udc80": (0.5, 1.0), "tails": (0.5, -1.0)}))
    with pytest.raises(InputError, match=r"named '\\udc80', which cannot be written as UTF-8"):
        write_efg(game, tmp_path / "coin.efg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "infosets"), [("kuhn_poker", 6), ("leduc_poker", 468)])
def test_reads_the_export_of_openspiel(read: Any, name: str, infosets: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    gambit = pytest.importorskip("open_spiel.python.algorithms.gambit")
    from counterplay.games.formats.openspiel import from_openspiel

    ours = enumerate_histories(read(gambit.export_gambit(pyspiel.load_game(name))), 0, 10**6)
    theirs = enumerate_histories(from_openspiel(name), 0, 10**6)
    for column in ("parent", "action", "player", "reach", "utility"):
        assert np.allclose(getattr(ours, column), getattr(theirs, column), rtol=1e-12), column
    for who in (0, 1):
        acting = ours.player == who
        pairs = set(zip(ours.info[who][acting].tolist(), theirs.info[who][acting].tolist(), strict=True))
        assert len(pairs) == infosets


def test_reads_openspiels_samples_and_is_read_by_it(read: Any, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert len(lines(read(pyspiel.get_kuhn_poker_efg_data()))) == 58
    with pytest.raises(InputError, match="the payoffs after '1G 2g H h' are 10 and 2"):
        read(pyspiel.get_sample_efg_data())
    write_efg(make_game("kuhn"), tmp_path / "kuhn.efg")
    theirs = pyspiel.load_efg_game((tmp_path / "kuhn.efg").read_text())
    assert theirs.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM


NAMES = st.text(CHARACTERS, min_size=1, max_size=4)
UTILITIES = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)


@st.composite
def trees(draw: Any, depth: int = 3) -> EfgNode:
    """Random trees with an infoset for each node; names may hold quotes, braces, backslashes and line ends."""
    numbers = iter(range(1, 1000))

    def node(depth: int) -> EfgNode:
        player = draw(st.sampled_from([0, 1, CHANCE])) if depth else TERMINAL
        if player == TERMINAL:
            utility = draw(UTILITIES)
            return EfgNode(TERMINAL, None, (utility, -utility))
        names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
        weights = [draw(st.integers(1, 9)) for _ in names]
        odds = [w / sum(weights) for w in weights] if player == CHANCE else []
        number = next(numbers)
        children = [node(draw(st.integers(0, depth - 1))) for _ in names]
        return EfgNode(player, EfgInfoset(number, f"{number} {draw(NAMES)}", names, odds), (0.0, 0.0), children)

    return node(draw(st.integers(0, depth)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(root=trees())
def test_random_trees_survive_the_file(root: EfgNode, tmp_path: Path) -> None:
    game = EfgGame("random", root)
    write_efg(game, tmp_path / "game.efg")
    again = read_efg(tmp_path / "game.efg")
    assert lines(again) == lines(game)
    assert len(enumerate_histories(again, 0, 10**6)) == len(lines(game))


JUNK = st.one_of(st.sampled_from(list('"{}\\,/-.ecpt019 \n')), CHARACTERS, st.just(""))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(st.tuples(st.integers(0, len(PENNIES)), st.integers(0, 8), JUNK), min_size=1, max_size=4))
def test_corrupted_files_raise_nothing_else(edits: list[tuple[int, int, str]], tmp_path: Path) -> None:
    text = PENNIES
    for at, cut, junk in edits:
        text = text[:at] + junk + text[at + cut :]
    path = tmp_path / "game.efg"
    path.write_bytes(text.encode())
    with contextlib.suppress(InputError):
        enumerate_histories(read_efg(path), 0, 1000)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=60))
def test_arbitrary_bytes_raise_nothing_else(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    path.write_bytes(HEAD.encode() + raw)
    with pytest.raises(InputError):
        read_efg(path)
