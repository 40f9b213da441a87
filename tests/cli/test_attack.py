"""The attack finds nothing, and would find what it looks for: a judge that cannot fail is no judge."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import attack.__main__ as attack_run
import counterplay as cp
from attack import pool, truth
from attack.damage import damaged
from attack.formats import FORMATS, same
from attack.grammar import commands, line_of, texts_of
from attack.judge import problems_of
from attack.lines import LINES
from attack.part import Outcome
from attack.parts import PARTS
from attack.program import Ran
from attack.words import TEXTS
from attack.writers import _is_whole
from counterplay.about import version
from counterplay.commands.parsing.program import program
from counterplay.files import read_json_file
from counterplay.measure.frontier import check_points
from counterplay.treeplex.strategy import save
from counterplay_papers import runner

ROOT = Path(__file__).parent.parent.parent


def test_the_small_attack_finds_nothing(tmp_path: Path) -> None:
    """A fixed part of `make attack`: the same command lines, damaged files, kills, races, full disks and agents."""
    ran = subprocess.run(
        [sys.executable, "-m", "attack", "--small", "--log", str(tmp_path / "log")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def ran(code: int, out: str = "", err: str = "", words: str = "solve kuhn", **more: Any) -> Ran:
    return Ran(tuple(words.split()), code, out, err, 0.1, **{"interrupted": False, "raised": "", **more})


@pytest.mark.parametrize(
    ("one", "culprit"),
    [
        (ran(1, raised="KeyError at x.py:1"), "traceback"),
        (ran(0, err="Traceback (most recent call last)\nValueError: x"), "traceback"),
        (ran(1), "exit code 1"),
        (ran(130), "exit code 130"),
        (ran(2), "0 lines of error"),
        (ran(2, err="counterplay: one\ntwo\n"), "several lines"),
        (ran(2, err="Usage: counterplay solve [OPTIONS]\n\nError: No such option: -x\n"), "0 lines of error"),
        (ran(2, err=f"counterplay: {'x' * 2000}\n"), "2013 characters"),
        (ran(2, err="counterplay: \x1b[31mred\n"), "control characters"),
        (ran(2, out="value 3\n", err="counterplay: no\n"), "on stdout"),
        (ran(2, out="{", err="counterplay: no\n", words="solve kuhn --json"), "on stdout"),
        (ran(0, out="value  nan\n"), "nan on stdout"),
        (ran(0, out="value  1\n", words="respond kuhn --p nan"), "was taken"),
        (ran(0, out="value  -inf\n"), "inf on stdout"),
        (ran(0, out='{"a": NaN}', words="solve kuhn --json"), "no JSON"),
        (ran(0, out="{} and more", words="solve kuhn --json"), "no JSON"),
        (ran(0, err="RuntimeWarning: invalid value\n"), "on stderr"),
    ],
)
def test_the_judge_notices(one: Ran, culprit: str) -> None:
    assert any(culprit in problem for problem in problems_of(one)), problems_of(one)


@pytest.mark.parametrize(
    "one",
    [
        ran(0, out="value  1\n"),
        ran(0, out='{"a": null}', words="solve kuhn --json", err="compiling, once\n"),
        ran(2, err="compiling, once\ncounterplay: there is no game 'x'\n"),
        ran(2, out="12 nodes, 0.1 GiB\n", err="counterplay: too large\n"),
        ran(130, err="interrupted\n", interrupted=True),
    ],
)
def test_the_judge_lets_good_manners_pass(one: Ran) -> None:
    assert problems_of(one) == []


def test_a_false_number_is_a_lie(kuhn: Any, tmp_path: Path) -> None:
    solution = cp.solve(kuhn)
    path = tmp_path / "a.json"
    save(solution.strategies, path)
    facts = solution.facts
    assert truth.lies("solve", "kuhn", facts, path) == []
    for name in ("value", "nash_conv", "exploitability"):
        assert truth.lies("solve", "kuhn", {**facts, name: facts[name] + 1e-3}, path)
    answer = cp.respond(kuhn, cp.opponent(kuhn, "uniform"), method="br")
    answer.strategy.save(path)
    assert truth.lies("respond", "kuhn", answer.facts, path) == []
    assert truth.lies("respond", "kuhn", {**answer.facts, "exploitability": 0.0}, path)


def test_every_command_of_the_program_is_attacked() -> None:
    """Commands and options are read from the program; a line in `LINES` and `TEXTS` is for one that there is."""
    known = commands()
    assert set(LINES) <= set(known)
    assert {"solve", "respond", "spot", "blueprint", "match"} <= set(known)
    names = {one.name for parameters in known.values() for one in parameters}
    for key in TEXTS:
        command, _, name = key.rpartition(".")
        assert name in names, key
        assert not command or command in known, key
    for command, parameters in known.items():
        assert all(texts_of(command, one).good for one in parameters if not one.flag)
    drawn = {word for number in range(3000) for word in line_of(random.Random(number))[:1]}
    assert set(known) <= drawn


@pytest.mark.parametrize("name", ["cps", "spot"])
def test_damage_is_done_and_repeated(name: str, tmp_path: Path) -> None:
    content = FORMATS[name].original(tmp_path).read_bytes()
    worse = [damaged(content, random.Random(number)) for number in range(60)]
    assert worse == [damaged(content, random.Random(number)) for number in range(60)]
    assert sum(bad != content for _, bad in worse) > 50
    assert len({way for way, _ in worse}) > 5
    path = tmp_path / f"again{FORMATS[name].ending}"
    path.write_bytes(content)
    assert same(FORMATS[name].read(path), FORMATS[name].read(path))


def test_torn_contents_are_told_from_whole_ones(tmp_path: Path) -> None:
    whole = FORMATS["cps"].original(tmp_path).read_bytes()
    assert _is_whole(whole)
    assert _is_whole(b'{"a": 1}')
    assert _is_whole(b"aaaa")
    for torn in (whole[:-10], whole[:50] + bytes(60) + whole[110:], b'{"a": ', b"aabb", b""):
        assert not _is_whole(torn)


class Fatal:
    """Case 2 dies, case 4 hangs."""

    about, cases, few, cpu = "", 6, 6, 1.0

    def prepare(self, folder: Path) -> None: ...

    def enter(self, folder: Path) -> None: ...

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        while number == 4:
            pass
        return Outcome(kind="well")


def test_a_case_that_dies_or_hangs_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LONG", 0.3)
    until = time.monotonic() + 100.0
    found = {
        number: outcome.kind for number, outcome, _ in pool.attacked(Fatal(), "x", [*range(6)], 0, tmp_path, 2, until)
    }
    assert found == {0: "well", 1: "well", 2: "died", 3: "well", 4: "hung", 5: "well"}


class Busy(Fatal):
    """Each case takes a tenth of a processor second."""

    def attempt(self, number: int, draw: random.Random) -> Outcome:
        begin = time.process_time()
        while time.process_time() < begin + 0.1:
            pass
        return Outcome(kind="busy")


def test_a_limit_of_processor_time_ends_a_part(tmp_path: Path) -> None:
    until = time.monotonic() + 100.0
    done = list(pool.attacked(Busy(), "x", [*range(1000)], 0, tmp_path, 2, until, 1.0))
    assert 8 <= len(done) <= 14
    numbers = [number for number, *_ in done]
    assert len(set(numbers)) == len(numbers)
    assert max(numbers) < len(numbers) + 2  # the first ones; each of two workers may hold one that did not end


def test_parts_share_a_limit_as_in_a_whole_run() -> None:
    """What one leaves, the next ones have."""
    names, begin = list(PARTS), time.monotonic()
    limits = attack_run._Limits(begin + 1000.0, 600.0)
    for number, name in enumerate(names):
        one = limits.of_part(names[number:])
        share = PARTS[name].cpu / sum(PARTS[other].cpu for other in names[number:])
        assert one.cpu == pytest.approx(share * limits.cpu)
        assert one.until == pytest.approx(begin + share * 1000.0, abs=1.0)
        limits.cpu -= 0.5 * one.cpu
    assert one.cpu == pytest.approx(2.0 * limits.cpu)


def test_parts_that_time_leaves_out_are_named() -> None:
    nothing = _attack("--only", "peers,cli,files", "--minutes", "0")
    assert nothing.returncode == 1
    assert nothing.stdout.count("not run") == 3


def _attack(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "attack", *words], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_cut_off_tells_what_was_done(tmp_path: Path, number: int) -> None:
    words = ["--only", "peers,cli,files", "--cases", "2", "--log", str(tmp_path / "log")]
    command = [sys.executable, "-m", "attack", *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline().startswith("attack")
        assert run.stdout.readline().startswith("peers")  # told before the others end
        run.send_signal(number)
        rest = run.stdout.read()
    assert run.returncode == 130
    assert "interrupted in " in rest
    assert "not run: " in rest


def test_the_attack_is_large_enough() -> None:
    """What the project promises of `make attack`."""
    assert PARTS["cli"].cases >= 20_000
    assert PARTS["files"].cases >= 10_000
    assert PARTS["kills"].cases >= 200
    assert {"cli", "files", "kills", "writers", "disk", "agents"} <= set(PARTS)


# What it found


def test_a_small_json_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    tracemalloc.start()
    assert read_json_file(path) == {"a": 1}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20


@pytest.mark.parametrize("number", ["1" * 400, "NaN", "Infinity"])
def test_a_record_with_impossible_numbers_is_made_anew(number: str, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(f'{{"version": "{version()}", "numbers": {{"a | b": {number}}}}}')
    assert runner._read(path) == {}


def test_a_deeply_nested_spot_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text("board = " + "[" * 20_000)
    with pytest.raises(cp.InputError, match="nests too deeply"):
        cp.Spot.from_file(path)


def test_a_promise_without_a_number_is_said_in_words() -> None:
    """At alpha 0 the theorem promises no reward at all; that is not a number."""
    words = "resolve kuhn --blueprint uniform --at moves:1 --to random:1 --solver lp --bounds"
    shown = CliRunner().invoke(program(), words.split()).output
    assert re.search(r"safety reward +no bound", shown)
    assert "inf" not in shown


@pytest.mark.parametrize("words", [["1" * 5000], ["solve", "kuhn", "x" * 5000], ["games", "\u202eabc\n"]])
def test_the_parser_echoes_few_words_and_no_control_characters(words: list[str]) -> None:
    refused = CliRunner().invoke(program(), words).exception
    assert isinstance(refused, cp.InputError)
    assert len(str(refused)) < 1300
    assert str(refused).isprintable()


@pytest.mark.parametrize("points", [1, 10_001, 10**20])
def test_a_frontier_of_too_many_points_is_refused(points: int) -> None:
    with pytest.raises(cp.InputError, match="points"):
        check_points(points)


@pytest.mark.parametrize("alpha", ["1e308", "1e10"])
def test_a_dirichlet_distribution_that_overflows_is_refused(kuhn: Any, alpha: str) -> None:
    with pytest.raises(cp.InputError, match="alpha must be at most"):
        cp.opponent(kuhn, f"random:1,{alpha}")
