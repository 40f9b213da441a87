"""What a user may do wrong, or a machine may lack, beyond the ordinary: each once went wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.files import write_whole
from counterplay.solvers.equilibrium import check_exact, solve_by
from counterplay.solvers.lp import LPError
from counterplay.treeplex.restriction import Restriction
from interrupting import interrupted


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("share", [0.0, 4e-6, 2e-3])
def test_the_gap_of_a_safe_response_by_cfr_is_a_bound(seat: int, share: float) -> None:
    """However small the allowed exploitability: within it, and no further from the exact best than the gap says."""
    game = cp.load("leduc:merged=true")
    model = cp.opponent(game, "uniform", player=1 - seat)
    allowed = share * game.span
    exact = cp.respond(game, model, max_exploitability=allowed)
    iterated = cp.respond(game, model, max_exploitability=allowed, solver="dcfr")
    assert iterated.exploitability <= allowed + 1e-8 * game.span
    assert -1e-6 <= exact.gain - iterated.gain <= iterated.gap + 1e-6


def test_links_are_followed_and_pipes_written_to(tmp_path: Path) -> None:
    real, link, pipe = tmp_path / "real.json", tmp_path / "link.json", tmp_path / "pipe"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_whole(pipe, b"through")
    assert reader.communicate(timeout=20)[0] == b"through"
    assert pipe.is_fifo()


class _Coin:
    """One guess of one coin; subclasses make it wrong."""

    name = "coin"

    def root(self) -> tuple:
        return ()

    def player(self, state: tuple) -> int:
        return 0 if not state else cp.TERMINAL

    def actions(self, state: tuple) -> list[int]:
        return [1, 2]

    def chance(self, state: tuple) -> list[float]:
        return []

    def child(self, state: tuple, action: int) -> tuple:
        return (action,)

    def infoset(self, state: tuple, player: int) -> str:
        return "me"

    def utility(self, state: tuple) -> float:
        return float(state[0])


def test_two_actions_of_one_name_are_refused() -> None:
    class Twins(_Coin):
        def action_name(self, state: tuple, action: int) -> str:
            return "x"

    with pytest.raises(cp.InputError, match="'x'"):
        _ = cp.load(Twins()).trees[0].labels


def test_a_game_without_end_is_refused() -> None:
    class Endless(_Coin):
        def player(self, state: tuple) -> int:
            return 0

    with pytest.raises(cp.InputError, match="does not end"):
        cp.load(Endless())


def test_rules_that_fail_are_named() -> None:
    class Broken(_Coin):
        def child(self, state: tuple, action: int) -> tuple:
            raise KeyError("the dog ate it")

    with pytest.raises(cp.InputError, match="KeyError"):
        cp.load(Broken())


def test_openspiel_games_beyond_counting_are_refused() -> None:
    pytest.importorskip("pyspiel")
    with pytest.raises(cp.InputError, match="memory limit"):
        cp.load("openspiel:chess", say=lambda _: None)


@pytest.mark.parametrize("payoffs", ["1e200 -1e200/-1e200 1e200", "1e-200 0/0 1e-200"])
def test_utilities_beyond_numbers_are_refused(payoffs: str) -> None:
    with pytest.raises(cp.InputError, match="utilities must lie"):
        cp.load(f"matrix:{payoffs}")


def test_a_name_that_stands_twice_in_a_file_is_refused(tmp_path: Path) -> None:
    game = cp.load("kuhn")
    path = tmp_path / "twice.json"
    cp.opponent(game, "uniform").save(path)
    path.write_text(path.read_text().replace('"strategy": {', '"strategy": {"0p": {"Pass": 1.0, "Bet": 0.0},', 1))
    with pytest.raises(cp.InputError, match="'0p' stands there twice"):
        cp.opponent(game, path)


@pytest.mark.parametrize("words", [{"exploitability": float("nan")}, {"iterations": -1}, {"seconds": -0.5}])
def test_stops_must_be_numbers(words: dict) -> None:
    with pytest.raises(cp.InputError, match="limit"):
        cp.Stop(**words)


@pytest.mark.parametrize("method", ["dcfr:1000,0,2", "dcfr:1,0,2000", "dcfr:1,-99,2"])
def test_exponents_that_overflow_are_refused(method: str) -> None:
    with pytest.raises(cp.InputError, match="at most"):
        cp.solve(cp.load("kuhn"), method=method, stop=cp.Stop(iterations=3))


def test_full_trust_is_nothing_to_iterate() -> None:
    game = cp.load("kuhn")
    bound = Restriction.of_plan(game.trees[1], game.trees[1].uniform(), 1.0)
    with pytest.raises(cp.InputError, match="best response"):
        solve_by(game.subgame.restricted(1, bound), "cfr+", cp.Stop(iterations=5))
    exact = solve_by(game.subgame.restricted(1, bound), "lp", cp.Stop()).value
    assert exact == pytest.approx(cp.respond(game, cp.opponent(game, "uniform")).value_against_model, abs=1e-9)


def test_an_inexact_program_says_so() -> None:
    game = cp.load("kuhn")
    check_exact(1e-12, game.subgame)
    with pytest.raises(LPError, match="off by"):
        check_exact(0.01, game.subgame)


def test_methods_with_parameters_make_opponents() -> None:
    game = cp.load("kuhn")
    plain, same = (cp.opponent(game, text) for text in ("dcfr:20", "dcfr:1.5,0,2:20"))
    assert (plain.behaviour == same.behaviour).all()


def test_models_say_what_they_are(tmp_path: Path) -> None:
    game = cp.load("kuhn")
    cp.opponent(game, "cfr+:10").save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert (document["game"], document["seat"], document["method"]) == ("kuhn", 1, "cfr+:10")


def test_ctrl_c_keeps_the_best_so_far(tmp_path: Path) -> None:
    words = ["solve", "goofspiel:6", "--method", "cfr+"]
    cp.solve(cp.load(words[1]), method=words[3], stop=cp.Stop(iterations=1))  # what is compiled is compiled now
    ended = interrupted([*words, "--exploitability", "0", "-o", "best.cps"], 5.0, tmp_path)
    assert ended.code == 0, ended.err
    assert "exploitability" in ended.out
    assert "best so far" in ended.err
    assert ended.seconds < 10.0
    assert (tmp_path / "best.cps").exists()


@pytest.mark.parametrize(
    "words",
    [["solve", "goofspiel:6", "--method", "lp"], ["respond", "leduc", "--to", "cfr+:9999999999"]],
    ids=["lp", "checkpoint"],
)
def test_ctrl_c_ends_what_has_nothing_to_show(words: list[str], tmp_path: Path) -> None:
    ended = interrupted(words, 5.0, tmp_path)
    assert ended.code == 130, ended.err
    assert ended.out == ""
    assert "interrupted" in ended.err
    assert "Traceback" not in ended.err
    assert ended.seconds < 10.0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["matplotlib", "pyspiel"])
def test_optional_packages_may_be_missing(missing: str, tmp_path: Path) -> None:
    """Everything else works; what needs the package says which to install."""
    code = (
        f"import sys; sys.modules['{missing}'] = None; sys.argv[0] = 'counterplay';"
        "from counterplay.cli import main; main()"
    )
    needs = {
        "matplotlib": ["frontier", "kuhn", "--to", "uniform", "--points", "2", "--plot", "f.png"],
        "pyspiel": ["solve", "openspiel:kuhn_poker"],
    }[missing]
    for words, expected in ((["solve", "kuhn"], 0), (needs, 2)):
        ran = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == expected, ran.stderr
        assert "Traceback" not in ran.stderr
    assert "pip install" in ran.stderr
