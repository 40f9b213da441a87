"""What a user may do wrong, or a machine may lack, beyond the ordinary: each once went wrong."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

import counterplay as cp
from counterplay import InputError, Spot
from counterplay.about import PAPERS
from counterplay.commands.parsing.program import program
from counterplay.files import write_whole
from counterplay.lookahead.tremble import prior_of
from counterplay.page.requests import reproductions
from counterplay.solvers.equilibrium import solve_by, usual_payoff
from counterplay.solvers.lp import LPError, check_exact
from counterplay.treeplex.restriction import Restriction
from tests.support.commands import Runner
from tests.support.interrupts import interrupted
from tests.support.seats import seats_in_turn


@pytest.mark.parametrize("spec", ["leduc:merged=true,cap=1", pytest.param("leduc:merged=true", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("share", "seat"), seats_in_turn([(0.0,), (4e-6,), (2e-3,)]))
def test_the_gap_of_a_safe_response_by_cfr_is_a_bound(spec: str, share: float, seat: int) -> None:
    """However small the allowed exploitability: within it, and no further from the exact best than the gap says."""
    game = cp.load(spec)
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


_WRITER = """
import sys
import time
from pathlib import Path
from counterplay.commands.parsing.program import program
from counterplay.about import PAPERS
from counterplay.errors import InputError
from counterplay.files import write_whole
content = sys.argv[2].encode() * 50_000
for _ in range(200):
    write_whole(Path(sys.argv[1]), content)
"""


def test_two_writers_of_one_path_lose_nothing_and_refuse_nothing(tmp_path: Path) -> None:
    """Every save succeeds, and every read in between finds the whole file of one writer."""
    path = tmp_path / "shared.json"
    write_whole(path, b"a" * 50_000)
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, path, letter]) for letter in "ab"]
    read = 0
    while read == 0 or any(writer.poll() is None for writer in writers):
        assert path.read_bytes() in (b"a" * 50_000, b"b" * 50_000)
        read += 1
        time.sleep(0.001)  # the processor is the writers'
    assert [writer.wait() for writer in writers] == [0, 0]
    assert read > 100
    assert os.listdir(tmp_path) == ["shared.json"]


def test_nobodys_files_are_touched(tmp_path: Path) -> None:
    others = [tmp_path / name for name in ("x.json.partial", "x.json.tmp", "x.json~")]
    for other in others:
        other.write_text("mine")
    write_whole(tmp_path / "x.json", b"new")
    assert [other.read_text() for other in others] == ["mine"] * 3
    assert len(os.listdir(tmp_path)) == 4


def test_permissions_are_those_of_the_file_or_of_any_new_one(tmp_path: Path) -> None:
    plain, ours, old = tmp_path / "plain", tmp_path / "ours", tmp_path / "old"
    before = os.umask(0o027)
    try:
        plain.write_bytes(b"")
        write_whole(ours, b"")
        old.write_bytes(b"")
        old.chmod(0o604)
        write_whole(old, b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode) == 0o640
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


def test_what_a_writer_fails_at_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_whole(path, b"old")

    def torn(stream: BinaryIO) -> None:
        stream.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, torn)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_the_second_kill_ends_a_command_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    """Even where the first is not heard, and in the middle of writing."""
    code = """
import os, signal, sys, time
from pathlib import Path
from counterplay.commands.parsing.process import heed_termination
from counterplay.commands.parsing.program import program
from counterplay.about import PAPERS
from counterplay.errors import InputError
from counterplay.files import write_whole
heed_termination()
def slow(stream):
    for _ in range(2):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        except KeyboardInterrupt:
            print("heard", flush=True)
write_whole(Path("x"), slow)
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stdout) == (130, "heard\n"), ran.stderr
    assert os.listdir(tmp_path) == []


_HARD = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
import highspy, numpy as np
from counterplay.commands.parsing.process import leave
from counterplay.solvers import lp
size, draw = 1500, np.random.default_rng(0)
program = highspy.HighsLp()
program.num_col_, program.num_row_ = size, size // 2
program.col_cost_, program.col_lower_, program.col_upper_ = draw.normal(size=size), np.zeros(size), np.ones(size)
program.row_lower_, program.row_upper_ = np.full(size // 2, -1e30), np.full(size // 2, 0.1)
program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
program.a_matrix_.start_ = np.arange(0, size * size // 2 + 1, size // 2)
program.a_matrix_.index_ = np.tile(np.arange(size // 2), size)
program.a_matrix_.value_ = draw.normal(size=size * size // 2)
model = highspy.Highs()
model.setOptionValue("output_flag", False)
model.setOptionValue("presolve", "off")
model.passModel(program)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    lp._run_interruptibly(model)
except KeyboardInterrupt:
    print("result", lp.is_running())
if sys.argv[1] == "leave":
    leave(0)
"""


@pytest.mark.parametrize("how", ["leave", "end"])
def test_nothing_aborts_after_ctrl_c_in_a_linear_program(how: str) -> None:
    """The result is printed while HiGHS still runs; the command leaves at once, and a script once HiGHS has stopped."""
    ran = subprocess.run([sys.executable, "-c", _HARD, how], capture_output=True, text=True, timeout=100)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "result True\n", "")


_KILLED_LATE = """
import atexit, os, sys
from counterplay.cli import main
class Killer:
    def __del__(self, kill=os.kill, me=os.getpid(), number=int(sys.argv[1])):
        kill(me, number)
if sys.argv[2] == "leaving":
    atexit.register(lambda: Killer())  # it goes at once
else:
    killer = Killer()  # it goes when the interpreter takes its modules down
sys.argv = ["counterplay", "games"]
main()
"""


@pytest.mark.parametrize(("number", "when"), [(15, "leaving"), (15, "gone"), (2, "gone")])
def test_a_signal_after_the_result_changes_nothing(number: int, when: str) -> None:
    command = [sys.executable, "-c", _KILLED_LATE, str(number), when]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "kuhn" in ran.stdout


def test_a_plugin_does_not_end_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Runner) -> None:
    (tmp_path / "quitter.py").write_text("def model(infoset, actions):\n    raise SystemExit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    ran = run("evaluate", "kuhn", "uniform", "--against", "quitter:model")
    assert ran.code == 2
    assert "quitter" in ran.err
    assert len([line for line in ran.err.splitlines() if not line.startswith("compil")]) == 1  # kernels may be new


def test_a_plugin_that_ends_when_it_is_imported_does_not_end_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    (tmp_path / "quits_at_once.py").write_text("import sys\nsys.exit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    assert "quits_at_once" in refused("evaluate", "kuhn", "uniform", "--against", "quits_at_once:model")


def test_deep_json_is_refused_at_once(tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    for text in ("[" * 200_000, '{"a":' * 500 + "1" + "}" * 500):
        deep.write_text(text)
        for read in (lambda: prior_of(str(deep)), lambda: cp.opponent(cp.load("kuhn"), deep)):
            with pytest.raises(cp.InputError, match=r"deep.json: this is not JSON \(.* nested") as caught:
                read()
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", [".json", ".cps"])
def test_a_strategy_is_no_spot(tmp_path: Path, ending: str) -> None:
    with pytest.raises(cp.InputError, match=r"is a strategy file; a solved spot ends in \.spot"):
        Spot.from_file(tmp_path / f"answer{ending}")


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
    with pytest.raises(cp.InputError, match="duplicate name '0p'"):
        cp.opponent(game, path)


@pytest.mark.parametrize("words", [{"exploitability": float("nan")}, {"iterations": -1}, {"seconds": -0.5}])
def test_stops_must_be_numbers(words: dict) -> None:
    with pytest.raises(cp.InputError, match="limit"):
        cp.Stop(**words)


@pytest.mark.parametrize("method", ["dcfr:1000,0,2", "dcfr:1,0,2000", "dcfr:1,-99,2"])
def test_exponents_that_overflow_are_refused(method: str) -> None:
    with pytest.raises(cp.InputError, match="at most"):
        cp.solve(cp.load("kuhn"), solver=method, stop=cp.Stop(iterations=3))


def test_full_trust_is_nothing_to_iterate() -> None:
    game = cp.load("kuhn")
    bound = Restriction.of_plan(game.trees[1], game.trees[1].uniform(), 1.0)
    with pytest.raises(cp.InputError, match="best response"):
        solve_by(game.subgame.restricted(1, bound), "cfr+", cp.Stop(iterations=5))
    exact = solve_by(game.subgame.restricted(1, bound), "lp", cp.Stop()).value
    assert exact == pytest.approx(cp.respond(game, cp.opponent(game, "uniform")).value_against_model, abs=1e-9)


def test_an_inexact_program_says_so() -> None:
    game = cp.load("kuhn")
    usual = usual_payoff(game.subgame, solve_by(game.subgame, "lp", cp.Stop()).plans)
    assert 1.0 < usual < 2.0  # antes of 1, bets of 1
    check_exact(1e-12, usual)
    with pytest.raises(LPError, match="off by"):
        check_exact(0.01, usual)


def test_utilities_whose_differences_drown_in_their_size_are_refused() -> None:
    assert cp.solve(cp.load("matrix:10000001 9999999/9999999 10000001")).value == pytest.approx(1e7, abs=1e-6)
    with pytest.raises(cp.InputError, match="between 99999999 and 100000001, where"):
        cp.load("matrix:100000001 99999999/99999999 100000001")


def test_methods_with_parameters_make_opponents() -> None:
    game = cp.load("kuhn")
    plain, same = (cp.opponent(game, text) for text in ("dcfr:20", "dcfr:1.5,0,2:20"))
    assert (plain.behaviour == same.behaviour).all()


def test_models_say_what_they_are(tmp_path: Path) -> None:
    game = cp.load("kuhn")
    cp.opponent(game, "cfr+:10").save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert (document["game"], document["seat"], document["method"]) == ("kuhn", 1, "cfr+:10")


@pytest.mark.parametrize("by", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_ctrl_c_and_kill_keep_the_best_so_far(tmp_path: Path, by: signal.Signals) -> None:
    words = ["solve", "leduc", "--solver", "cfr+"]
    cp.solve(cp.load(words[1]), solver=words[3], stop=cp.Stop(iterations=1))  # what is compiled is compiled now
    ended = interrupted([*words, "--exploitability", "0", "-o", "best.cps"], 3.0, tmp_path, by)
    assert ended.code == 0, ended.err
    assert "exploitability" in ended.out
    assert "best so far" in ended.err
    assert ended.seconds < 10.0
    assert os.listdir(tmp_path) == ["best.cps"]


@pytest.mark.parametrize(
    ("words", "by"),
    [
        (["solve", "goofspiel:6", "--solver", "lp"], signal.SIGINT),
        (["respond", "leduc", "--to", "cfr+:9999999999"], signal.SIGTERM),
    ],
    ids=["lp", "checkpoint"],
)
def test_ctrl_c_and_kill_end_what_has_nothing_to_show(words: list[str], by: signal.Signals, tmp_path: Path) -> None:
    ended = interrupted(words, 1.6, tmp_path, by)
    assert ended.code == 130, ended.err
    assert ended.out == ""
    assert "interrupted" in ended.err
    assert "Traceback" not in ended.err
    assert ended.seconds < 10.0
    assert list(tmp_path.iterdir()) == []


_BARE = """
import contextlib, io, json, sys
sys.modules |= {"matplotlib": None, "pyspiel": None}
from counterplay.cli import main
ends = []
for words in json.loads(sys.argv[1]):
    sys.argv, err = ["counterplay", *words], io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        ends.append([end.code, err.getvalue(), "counterplay.poker.spots.spot" in sys.modules])
print(json.dumps(ends))
"""


def test_optional_packages_may_be_missing(tmp_path: Path) -> None:
    """Everything else works without them; what needs one says which to install. A game of the catalogue is solved without
    spots, which take a quarter of a second to import."""
    plot = ["frontier", "kuhn", "--to", "uniform", "--points", "2", "--plot", "f.png"]
    pictures = [plot, ["demo", "--plot", "f.png"], ["reproduce", "ses-matrix"]]
    lines = [["solve", "kuhn"], *pictures, ["solve", "openspiel:kuhn_poker"]]
    command = [sys.executable, "-c", _BARE, json.dumps(lines)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    ends = json.loads(ran.stdout)
    assert [code for code, _, _ in ends] == [0, 2, 2, 2, 2]
    assert not ends[0][2]
    for code, err, _ in ends:
        assert "Traceback" not in err
        assert ("pip install" in err) == (code == 2), err


def test_without_the_papers_one_sentence_says_what_to_install(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """The help of all commands still lists the command."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())
    program.cache_clear()
    for words in (["rps", "--quick"], ["--all", "-o", "out"], []):
        ended = run("reproduce", *words)
        assert ended.code == 2
        assert ended.err == f"counterplay: {PAPERS}\n"
    assert "counterplay[papers]" in run("reproduce", "--help").out
    assert "reproduce" in run("--help").out
    with pytest.raises(InputError, match=r"counterplay\[papers\]"):
        reproductions()
    program.cache_clear()


@pytest.mark.parametrize(
    ("words", "computes"),
    [
        (["demo", "--plot", "f.png"], "counterplay.measure.demo.run_demo"),
        (["reproduce", "ses-matrix"], "counterplay_papers.runner.run"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused_before_the_work(
    words: list[str], computes: str, monkeypatch: pytest.MonkeyPatch, run: Runner
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(computes, lambda *_, **__: pytest.fail("it was computed"))
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "counterplay: pictures need matplotlib: pip install 'counterplay[plot]'\n"
