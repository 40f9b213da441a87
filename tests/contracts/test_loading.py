"""Loading: specs, objects and classes of one's own, the estimate of size and the memory limit, and what is refused."""

# ruff: noqa: ARG001, ARG005 - methods of a game have fixed signatures

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import counterplay as cp
from counterplay.games import GAMES
from counterplay.games.formats.efg import write_efg
from counterplay.games.kuhn import make as make_kuhn
from counterplay.games.spec_text import called
from counterplay.gametree.build import generate as generator
from counterplay.gametree.build import size_estimate
from counterplay.gametree.build.size_estimate import estimate_size
from tests.support import witness
from tests.support.random_games import MatchUp, Wrapped, games, match_ups

MODULE = '''
    """A game of one's own: player 1 guesses which hand player 0 closed."""

    from counterplay import TERMINAL


    class Hands:
        name = "hands"

        def root(self):
            return ""

        def player(self, state):
            return TERMINAL if len(state) == 2 else len(state)

        def actions(self, state):
            return "LR"

        def chance(self, state):
            return ()

        def child(self, state, action):
            return state + action

        def infoset(self, state, player):
            return ("close", "guess")[player]

        def utility(self, state):
            return {"LL": -1.0, "RR": -3.0}.get(state, 1.0)


    class Sized(Hands):
        def __init__(self, size):
            self.size = size


    ready = Hands()
    broken = 5


    class Nameless(Hands):
        @property
        def name(self):
            raise AttributeError("not yet")


    class Unlucky(Hands):
        @property
        def name(self):
            return 1 / 0


    class Numbered(Hands):
        name = 5
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with games in the current directory; its name."""
    monkeypatch.chdir(tmp_path)
    name = f"handgame_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(MODULE))
    return name


# --- where games come from --------------------------------------------------------------------------------------------


def test_a_class_of_ones_own(module: str) -> None:
    """Value by hand: close left with q so that -q + (1-q) = q - 3(1-q), q = 2/3, worth -1/3."""
    for spec in (f"{module}:Hands", f"{module}:ready"):
        game = cp.load(spec)
        assert game.name == spec
        solution = cp.solve(game)
        assert solution.value == pytest.approx(-1 / 3)
        assert solution.strategies[0].probabilities("close") == pytest.approx({"L": 2 / 3, "R": 1 / 3})
    loaded = cp.load(game.rules)
    assert loaded.name == "hands"
    assert cp.respond(loaded, cp.opponent(loaded, "uniform")).gain == pytest.approx(1 / 3)


def test_modules_that_do_not_give_a_game(module: str) -> None:
    for spec, culprit in {
        f"{module}:absent": "'absent'",
        f"{module}:broken": "not a game",
        f"{module}:Sized": "Sized",
        "nomodule:Game": "nomodule",
        "no module:Game": "no module",
        "kuhn2": "no game 'kuhn2'",
        "": "no game ''",
        "kuhn:three": "three",
        "kuhn:3,4": "one parameter too many",
        "kuhn:cards=3": "'cards'",
        "absent.efg": "absent.efg",
    }.items():
        with pytest.raises(cp.InputError) as caught:
            cp.load(spec)
        assert culprit in str(caught.value), spec
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [5, None, ["kuhn"], make_kuhn, object()])
def test_other_things_are_no_games(source: Any) -> None:
    with pytest.raises(cp.InputError, match="Game protocol"):
        cp.load(source)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("Nameless", " is not a game: it lacks the member 'name' of the Game protocol"),
        ("Unlucky", ": the rules failed with ZeroDivisionError: division by zero"),
        ("Numbered", ": the name of a game must be a text, not int"),
    ],
)
def test_a_name_is_checked_as_the_rules_are(module: str, kind: str, sentence: str) -> None:
    """In one sentence, and the same from Python as by its text."""
    made = called(f"{module}:{kind}", "game")
    for source, culprit in ((f"{module}:{kind}", f"'{module}:{kind}'"), (made, kind)):
        with pytest.raises(cp.InputError) as caught:
            cp.load(source)
        assert str(caught.value) == culprit + sentence


def test_a_game_whose_name_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    """A file's name may be any bytes, and a strategy's file names its game in UTF-8."""
    path = tmp_path / "\udc80.efg"
    write_efg(make_kuhn(), path)
    named = type("Named", (Lopsided,), {"name": "\ud800"})(3)
    for source in (path, str(path), named):
        with pytest.raises(cp.InputError, match=r"the game is named '.*\\ud.*', which cannot be written as UTF-8"):
            cp.load(source)


@given(games())
def test_the_table_holds_the_game(rules: Any) -> None:
    """Histories, players, chance's reach and utilities as a plain recursion finds them, in preorder."""
    game, found = cp.load(rules), []

    def visit(state: Any, reach: float, parent: int) -> None:
        number, who = len(found), rules.player(state)
        found.append((parent, who, reach, rules.utility(state) if who == cp.TERMINAL else 0.0))
        odds = rules.chance(state) if who == cp.CHANCE else None
        for i, action in enumerate(rules.actions(state)):
            visit(rules.child(state, action), reach * odds[i] if odds else reach, number)

    visit(rules.root(), 1.0, -1)
    table = game.histories
    columns = zip(*found, strict=True)
    for column, expected in zip((table.parent, table.player, table.reach, table.utility), columns, strict=True):
        assert column.tolist() == pytest.approx(list(expected))
    assert game.terminals == sum(who == cp.TERMINAL for _, who, _, _ in found)
    for player in (0, 1):
        tree, known = game.trees[player], witness.infosets(rules, player)
        labels = tree.labels
        assert {text: list(names) for text, names in zip(labels.infosets, labels.actions, strict=True)} == known
        choices = [names for names in known.values() if len(names) > 1]
        assert tree.infosets == len(choices)
        assert tree.sequences == 1 + sum(map(len, choices))


@given(match_ups())
def test_the_payoff_matrix_is_the_recursion(match: MatchUp) -> None:
    """The bilinear form of two plans is the expected value, and every state is found again by replay."""
    game = match.game
    other = cp.opponent(game, "random:8", player=match.seat)
    plans, tables = [match.model.plan, other.plan], [match.table, other.table()]
    first, second = (1, 0) if match.seat == 0 else (0, 1)
    value = witness.expected(match.rules, tables[first], tables[second])
    assert game.payoff.value(plans[first], plans[second]) == pytest.approx(value, abs=1e-9 * max(game.span, 1.0))
    for history in range(0, len(game.histories), 7):
        state = game.state(history)
        assert match.rules.player(state) == game.histories.player[history]


def test_the_smallest_games() -> None:
    """A game without moves, and one in which no player has a choice."""

    class Over(Wrapped):
        def player(self, state: Any) -> int:
            return cp.TERMINAL

        def utility(self, state: Any) -> float:
            return 2.5

    game = cp.load(Over(make_kuhn()))
    assert (len(game.histories), game.terminals, game.public_states) == (1, 1, 0)
    for method in ("lp", "cfr+", "pcfr+"):
        assert cp.solve(game, solver=method).value == 2.5
    answer = cp.respond(game, cp.opponent(game, "uniform"))
    assert (answer.value_against_model, answer.gain, answer.exploitability) == (2.5, 0.0, 0.0)

    class OneWay(Wrapped):
        def actions(self, state: Any) -> Any:
            return self.game.actions(state)[:1]

        def chance(self, state: Any) -> Any:
            return [1.0]

    game = cp.load(OneWay(make_kuhn()))
    assert [tree.infosets for tree in game.trees] == [0, 0]
    assert cp.solve(game).value == witness.value(OneWay(make_kuhn()))
    assert cp.opponent(game, "random:1", player=0).table() == {"0": {"Pass": 1.0}}


# --- size -------------------------------------------------------------------------------------------------------------


def refuse_small(spec: str, memory: float) -> tuple[str, list[str]]:
    said: list[str] = []
    with pytest.raises(cp.InputError) as caught:
        cp.load(spec, memory=memory, say=said.append)
    return str(caught.value), said


def test_what_does_not_fit_is_refused_before_it_is_built() -> None:
    for spec in ("leduc", "goofspiel:6", "tictactoe"):
        text, _ = refuse_small(spec, 1e-6)
        assert spec.split(":")[0] in text
        assert "memory limit" in text
    text, said = refuse_small("goofspiel:9", 0.5)
    assert "0.5 GiB" in text
    assert said
    assert "histories" in said[-1]
    text, _ = refuse_small("battleships:5,5,2x2/2x2", 0.5)
    assert "battleships" in text


def test_a_python_game_that_does_not_fit(module: str) -> None:
    text, _ = refuse_small(f"{module}:Hands", 1e-9)
    assert "memory limit" in text


def test_the_estimate_is_printed_for_large_games_only() -> None:
    said: list[str] = []
    cp.load("leduc", say=said.append)
    assert not [line for line in said if "histories" in line]
    cp.load("goofspiel:6", say=said.append)
    lines = [line for line in said if "histories" in line]
    assert len(lines) == 1
    assert lines[0].startswith("goofspiel:6: about ")
    assert "GiB" in lines[0]


def test_the_estimate_goes_to_stderr_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(cp.InputError):
        cp.load("goofspiel:8", memory=0.01)
    out, err = capsys.readouterr()
    assert out == ""
    assert "goofspiel:8: about" in err


@pytest.mark.parametrize("memory", [0.0, -1.0, float("nan"), float("inf")])
def test_limits_that_make_no_sense(memory: float) -> None:
    with pytest.raises(cp.InputError, match="memory limit"):
        cp.load("kuhn", memory=memory)


@pytest.mark.parametrize(("spec", "histories"), [("kuhn", 58), ("leduc", 9457), ("goofspiel:5", 26931)])
def test_knuths_estimate_is_unbiased(spec: str, histories: int) -> None:
    size = estimate_size(cp.load(spec).rules, 1e6, walks=3000)
    assert abs(size.histories - histories) <= 4.0 * size.error + 1e-9
    assert size.error <= 0.1 * histories
    assert size.memory == pytest.approx(75.0 * size.histories)
    assert size.seconds == pytest.approx(size.histories / 1e6)


class Lopsided:
    """Who moves first among three ways into ever smaller games: random descents say little of its size."""

    name = "lopsided"

    def __init__(self, size: int) -> None:
        self.size = size

    def root(self) -> tuple[int, ...]:
        return (self.size,)

    def player(self, state: tuple[int, ...]) -> int:
        return cp.TERMINAL if state[-1] <= 0 else len(state) % 2

    def actions(self, state: tuple[int, ...]) -> str:
        return "abc"

    def chance(self, state: tuple[int, ...]) -> tuple[float, ...]:
        return ()

    def child(self, state: tuple[int, ...], action: str) -> tuple[int, ...]:
        return (*state, state[-1] - 1 - 3 * "abc".index(action))

    def infoset(self, state: tuple[int, ...], player: int) -> str:
        return str(state)

    def utility(self, state: tuple[int, ...]) -> float:
        return float(sum(state) % 3)


def test_an_estimate_two_errors_above_the_limit_is_refused_before_anything_is_listed() -> None:
    """The estimate is 440 times the limit and three errors wide: a game that was begun, and never done."""
    limit = 10_000
    size = estimate_size(Lopsided(40), 1e6)
    assert size.histories - 3.0 * size.error < limit < size.histories - 2.0 * size.error
    listed: list[int] = []
    with pytest.raises(cp.InputError, match=r"has about [\d,]+ histories .* more than the memory limit of 0.00373 GiB"):
        cp.load(Lopsided(40), memory=400 * limit / 2**30, say=lambda _: None, watch=lambda n, _: listed.append(n))
    assert not listed


def test_an_estimate_that_cannot_tell_walks_on() -> None:
    limit = 1e7
    first, more = estimate_size(Lopsided(50), 1e6), estimate_size(Lopsided(50), 1e6, limit=limit)
    assert first.histories > limit > first.least
    assert more.least > limit
    assert estimate_size(Lopsided(50), 1e6, limit=1e12) == first  # it fits in any case


@pytest.mark.parametrize("source", [Lopsided(25), "goofspiel:5"])
def test_loading_says_how_far_it_is_and_hears_ctrl_c(source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "_BATCH", 5000)
    told: list[tuple[int, float]] = []

    def at_the_third(histories: int, expected: float) -> None:
        told.append((histories, expected))
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cp.load(source, say=lambda _: None, watch=at_the_third)
    assert 0 < told[0][0] < told[1][0] < told[2][0] < 26931


@pytest.mark.parametrize("source", [Lopsided(25), "goofspiel:5"])
def test_what_takes_more_memory_than_estimated_is_refused_on_the_way(
    source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown = iter(range(0, 10**12, 10**9))
    monkeypatch.setattr(size_estimate, "resident", lambda: float(next(grown)))
    monkeypatch.setattr(generator, "_BATCH", 1000)
    with pytest.raises(cp.InputError, match=r"histories already take [\d.]+ GiB, more than the memory limit of 4 GiB"):
        cp.load(source, memory=4.0)


def test_a_large_efg_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.efg"
    path.write_text("no game at all " * 1000)
    with pytest.raises(cp.InputError, match=r"large\.efg has .* of text, too much for the memory limit"):
        cp.load(path, memory=1e-5)
    with pytest.raises(cp.InputError, match="'EFG'"):
        cp.load(path)


def test_a_slow_game_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_estimate, "_PATIENCE", 0.0)
    said: list[str] = []
    cp.load(Lopsided(25), say=said.append)
    assert [line for line in said if "histories listed so far" in line] == said[-1:]


# --- rules that are broken --------------------------------------------------------------------------------------------


def broken(**methods: Any) -> Any:
    """Kuhn poker with some of its methods replaced."""
    return type("Broken", (Wrapped,), methods)(make_kuhn())


def refusal(game: Any) -> str:
    with pytest.raises(cp.InputError) as caught:
        cp.load(game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_imperfect_recall_is_refused_naming_the_infoset() -> None:
    """Player 0 forgets the card and the moves."""
    text = refusal(broken(infoset=lambda self, state, player: "lost" if player == 0 else self.game.infoset(state, 1)))
    assert "'lost'" in text
    assert "recall" in text
    assert "player 0" in text


def test_forgetting_ones_own_move_is_refused() -> None:
    """Player 0 knows the card, but not whether the own first move was made."""
    text = refusal(broken(infoset=lambda self, state, player: self.game.infoset(state, player)[:1]))
    assert "recall" in text


@pytest.mark.parametrize(
    ("odds", "wrong"),
    [
        ([0.5, 0.4, 0.2], "are [0.5, 0.4, 0.2] and do not sum to 1"),
        ([0.5, 0.5], "are [0.5, 0.5] for 3 actions"),
        ([], "are [] for 3 actions"),
        ([1.2, -0.1, -0.1], "are [1.2, -0.1, -0.1], and -0.1 is negative"),
        ([float("nan"), 0.5, 0.5], "are [nan, 0.5, 0.5], and nan is no number"),
    ],
)
def test_bad_chance_is_refused_naming_the_history(odds: list[float], wrong: str) -> None:
    text = refusal(broken(chance=lambda self, state: odds if len(self.actions(state)) == 3 else [0.5, 0.5]))
    assert f"the chance probabilities at the start {wrong}" in text


def test_bad_utilities_and_menus_are_refused() -> None:
    assert "nan" in refusal(broken(utility=lambda self, state: float("nan")))
    assert "inf" in refusal(broken(utility=lambda self, state: float("inf")))

    def fewer(self: Any, state: Any) -> list[int]:  # player 0 may not bet with card 1 against card 2
        return self.game.actions(state)[: 1 if list(state[:3]) == [1, 2, 0] else None]

    text = refusal(broken(actions=fewer))
    assert "'0'" in text
    assert "actions" in text
    assert "is 7, not 0, 1, chance or terminal" in refusal(
        broken(player=lambda self, state: self.game.player(state) or 7)
    )


@pytest.mark.parametrize("who", [5, -7, None, 0.5, "0"])
def test_a_player_who_is_none_is_refused_where_no_random_game_ends(who: Any) -> None:
    """The estimate of the size walks until the game ends; the listing says what is wrong."""
    text = refusal(broken(player=lambda self, state: 0 if len(self.actions(state)) == 2 else who))
    assert f"the player at the start is {who!r}, not 0, 1, chance or terminal" in text


def test_rules_that_fail_are_named() -> None:
    def fails(self: Any, state: Any) -> float:
        raise ZeroDivisionError("no chips")

    text = refusal(broken(utility=fails))
    assert "ZeroDivisionError" in text
    assert "no chips" in text


def test_general_sum_files_are_refused(tmp_path: Path) -> None:
    lines = ['EFG 2 R "dilemma" { "A" "B" }', 'p "" 1 1 "" { "c" "d" } 0']
    lines += ['t "" 1 "" { 1, 1 }', 't "" 2 "" { 3, 0 }']
    path = tmp_path / "dilemma.efg"
    path.write_text("\n".join(lines))
    with pytest.raises(cp.InputError, match=r"zero-sum"):
        cp.load(str(path))


def test_general_sum_games_of_openspiel_are_refused() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    for source in ("openspiel:matrix_pd", "openspiel:bargaining", pyspiel.load_game("matrix_pd")):
        with pytest.raises(cp.InputError, match="zero-sum"):
            cp.load(source)


# --- the catalogue ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [entry.example for entry in GAMES.values() if entry.example != "tictactoe"])
def test_every_catalogue_game_loads_again_by_its_own_name(game_of: Any, spec: str) -> None:
    game = game_of(spec)
    again = cp.load(game.rules.name)
    assert len(again.histories) == len(game.histories)
    assert np.array_equal(again.histories.utility, game.histories.utility)
    assert again.rules.name == game.rules.name


@pytest.mark.slow
def test_games_compiled_in_two_processes_live_together_in_a_third(tmp_path: Path) -> None:
    """Machine code on disk is told apart by the names of types: games with as many parameters must not share theirs."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for some in (["leduc"], ["liars_dice:1,4"], ["leduc", "liars_dice:1,4", "goofspiel:4"]):
        code = f"import counterplay as cp; print([cp.load(game).terminals for game in {some!r}])"
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, (some, ran.returncode, ran.stderr)
