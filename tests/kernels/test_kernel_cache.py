"""Kernels: what is compiled once, what is kept on disk and how it survives damage, and what is said meanwhile."""

from __future__ import annotations

import ast
import errno
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from counterplay import InputError, jit
from counterplay.jit import cache, clock, dispatcher, kernel, kernel_folder, notice
from counterplay.jit.dispatcher import FORBID
from counterplay.jit.stamp import PACKAGE, code_of, stamped
from tests.support.package_kernels import package_kernel

_KERNEL = re.compile(r"^\s*@(kernel|rule)\b|^(from|import) (numba|llvmlite)\b", re.MULTILINE)


def _thrice(number: int) -> int:
    return 3 * number


def _fourfold(number: int) -> int:
    return 4 * number


def _twelvefold(number: int) -> int:
    return int(thrice(number) + thrice(3 * number))


def _shared_out(whole: int, parts: int) -> int:
    return whole // parts


def _shares(whole: int, parts: int) -> int:
    return int(shared_out(whole, parts))


thrice, shared_out = package_kernel(_thrice, inner=True), package_kernel(_shared_out, inner=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for kernels, nothing said and nothing given up so far."""
    monkeypatch.setattr(kernel_folder, "folders", lambda: (tmp_path,))
    monkeypatch.setattr(kernel_folder, "_given_up", False)
    monkeypatch.setattr(notice, "_work", notice._Work())
    kernel_folder._first_writable.cache_clear()
    yield tmp_path
    kernel_folder._first_writable.cache_clear()


def _compiled_by(call: Callable[[], Any]) -> int:
    before = len(notice.compiled())
    call()
    return len(notice.compiled()) - before


def test_the_stamp_covers_every_file_with_kernels_and_what_they_import() -> None:
    with_kernels = {path for path in PACKAGE.rglob("*.py") if _KERNEL.search(path.read_text())}
    assert len(with_kernels) > 40
    assert with_kernels <= set(stamped())
    assert PACKAGE / "treeplex" / "treeplex.py" in stamped()
    assert PACKAGE / "poker" / "showdown" / "terminals.py" in stamped()  # no kernel, but constants that are compiled in


def _without_docstrings(source: bytes) -> str:
    """The syntax tree of a file, in which every string that stands alone is empty."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = ""
    return ast.dump(tree)


def test_the_stamp_leaves_out_prose_and_nothing_else() -> None:
    """What is left of every file is the same program; no sentence of it is left."""
    for path in stamped():
        content = path.read_bytes()
        code = code_of(content)
        assert ast.dump(ast.parse(code)) == _without_docstrings(content), path
        assert code_of(code) == code


def test_an_edit_of_prose_keeps_the_stamp_and_an_edit_of_code_does_not() -> None:
    file = (
        b'"""A file."""\n\nONE = 1  # a constant\n\n\ndef f() -> int:\n    """Prose."""\n    # Why.\n    return ONE\n'
    )
    edited = b'"""The\n\nfile."""\n\nONE = 1\n\n\ndef f() -> int:\n    """More\n    # prose.\n    """\n    return ONE\n'
    assert code_of(edited) == code_of(file)
    for old, new in ((b"ONE = 1", b"ONE = 2"), (b"return ONE", b"return 1"), (b"def f()", b"def g()")):
        assert code_of(file.replace(old, new)) != code_of(file)


def test_a_kernel_is_compiled_once_and_then_loaded(folder: Path) -> None:
    assert _compiled_by(lambda: kernel(_thrice)(7)) == 1
    assert len(list(folder.glob("*.nbc"))) == 1
    assert _compiled_by(lambda: kernel(_thrice)(7)) == 0


def test_processes_that_begin_together_compile_a_kernel_once(folder: Path) -> None:
    """Each of three reports how many it compiled; the kernel is new, and a lock of its file does not stay."""
    made, (reading, writing) = kernel(_thrice), os.pipe()
    children = []
    for _ in range(3):
        child = os.fork()
        if not child:
            try:
                os.write(writing, bytes([_compiled_by(lambda: made(7))]))
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert sorted(os.read(reading, 10)) == [0, 0, 1]
    assert [path.suffix for path in folder.iterdir()] == [".nbc"]
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("harm", ["empty", "half", "flipped", "longer", "foreign"])
def test_a_damaged_kernel_is_compiled_again_with_one_line(folder: Path, harm: str, caplog: Any) -> None:
    kernel(_thrice)(7)
    path = next(folder.glob("*.nbc"))
    whole = path.read_bytes()
    flipped = whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :]
    damaged = {"empty": b"", "half": whole[: len(whole) // 2], "flipped": flipped, "longer": whole + b"x"}
    path.write_bytes(damaged.get(harm, b"cos\nsystem\n(S'exit 3'\ntR."))
    caplog.clear()
    assert _compiled_by(lambda: kernel(_thrice)(7)) == 1
    assert kernel(_thrice)(7) == 21
    assert [record.getMessage() for record in caplog.records if "damaged" in record.getMessage()] == [
        f"the compiled kernel {path} is damaged: it is compiled again"
    ]
    assert cache.is_sound(path)


def test_a_full_disk_costs_one_line_that_names_the_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache, "_write", full)
    assert kernel(_thrice)(7) == kernel(lambda x: 7 * x)(3) == 21
    lines = [record.getMessage() for record in caplog.records if "cannot be kept" in record.getMessage()]
    assert len(lines) == 1
    assert "No space left on device" in lines[0]
    assert "NUMBA_CACHE_DIR" in lines[0]
    assert not list(folder.iterdir())


def test_without_a_folder_kernels_are_compiled_in_memory_and_one_line_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr(kernel_folder, "folders", lambda: (folder / "nobody.txt" / "below",))
    (folder / "nobody.txt").write_text("a file, not a folder")
    assert kernel(_thrice)(7) == kernel(_thrice)(7) == 21
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert "NUMBA_CACHE_DIR" in lines[0]


@pytest.mark.usefixtures("folder")
def test_kernels_are_found_in_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel(_thrice)(7)
    monkeypatch.setattr(kernel_folder, "writable", lambda: None)
    assert _compiled_by(lambda: kernel(_thrice)(7)) == 0


def test_the_first_kernel_is_announced_and_the_lines_can_be_turned_off(folder: Path, caplog: Any) -> None:
    kernel(_thrice)(7)
    kernel(_thrice)(7.0)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert str(folder) in lines[0]
    notice._work.said.clear()
    with caplog.at_level(logging.ERROR, "counterplay.kernels"):
        kernel(_thrice)(7 + 0j)
    assert len(caplog.records) == 1


@pytest.mark.usefixtures("folder")
def test_compiling_can_be_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FORBID, "no")
    with pytest.raises(InputError, match="_thrice is not compiled"):
        kernel(_thrice)(7)


def test_another_release_of_numba_keeps_kernels_in_its_own_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    monkeypatch.setattr(jit, "TESTED_NUMBA", ("0.1",))
    assert kernel(_thrice)(7) == kernel(_fourfold, nogil=True)(7) - 7 == 21
    assert {path.suffix for path in folder.rglob("*.nb?")} == {".nbi", ".nbc"}
    assert os.environ.get("NUMBA_CACHE_DIR", "") == numba.config.CACHE_DIR
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"Numba {numba.__version__} is not among the tested releases (0.1)")
    typed = eval("lambda number: 3 * number")
    assert kernel(typed)(7) == 21


def test_inner_kernels_are_compiled_once_for_all_constants(folder: Path) -> None:
    inner = kernel(_thrice, inner=True)

    def outer(number: int) -> int:
        return int(inner(1) + inner(2) + inner(number))

    assert kernel(outer)(3) == 18
    assert len(inner.signatures) == 1
    assert len(list(folder.glob("*.nbc"))) == 0  # `outer` has a closure: its sources are not all known


@pytest.fixture
def fresh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:  # noqa: ARG001 - the empty folder
    """A function that makes the kernel of `_twelvefold` as a new process would, with `_thrice` shared."""

    def make() -> Any:
        monkeypatch.setattr(cache, "_shared", {})
        monkeypatch.setitem(globals(), "thrice", package_kernel(_thrice, inner=True).share())
        return package_kernel(_twelvefold)

    return make


def test_shared_functions_are_compiled_once_and_loaded_with_their_callers(
    folder: Path, fresh: Callable[[], Any]
) -> None:
    assert _compiled_by(lambda: fresh()(7)) == 2
    assert _compiled_by(lambda: fresh()(7)) == 0
    assert fresh()(7) == 84
    (caller,) = folder.glob("*_twelvefold*")
    caller.unlink()
    assert _compiled_by(lambda: fresh()(7)) == 1


@pytest.mark.parametrize(
    "harm", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:99])], ids=["no", "half"]
)
def test_without_its_shared_function_a_kernel_is_compiled_again(
    folder: Path, fresh: Callable[[], Any], harm: Callable[[Path], Any]
) -> None:
    fresh()(7)
    (shared,) = folder.glob("*_thrice*")
    harm(shared)
    again = fresh()
    assert _compiled_by(lambda: again(7)) == 2
    assert again(8) == 96
    assert all(cache.is_sound(path) for path in folder.glob("*.nbc"))
    assert _compiled_by(lambda: fresh()(7)) == 0


@pytest.mark.usefixtures("folder")
def test_a_shared_function_that_fails_fails_through_its_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "shared_out", package_kernel(_shared_out, inner=True).share())
    kernel_of_halves = package_kernel(_shares)
    assert kernel_of_halves(7, 2) == 3
    with pytest.raises(ZeroDivisionError):
        kernel_of_halves(7, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_for_the_kernel_that_is_compiled(
    folder: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes between two of its passes; the kernel is whole and kept nevertheless, and the interrupt is not lost."""
    usual = signal.signal(number, signal.default_int_handler)
    link = dispatcher.linking

    def interrupted(codegen: Any, **about: Any) -> Any:
        os.kill(os.getpid(), number)
        return link(codegen, **about)

    monkeypatch.setattr(dispatcher, "linking", interrupted)
    try:
        tripled = kernel(_thrice)
        with pytest.raises(KeyboardInterrupt):
            tripled(7)
        assert signal.getsignal(number) is signal.default_int_handler
        assert _compiled_by(lambda: tripled(7)) == 0
        assert len(list(folder.glob("*.nbc"))) == 1
    finally:
        signal.signal(number, usual)


def test_two_writers_of_one_kernel_leave_it_whole(tmp_path: Path) -> None:
    path, content = tmp_path / "one.nbc", b"x" * 50_000
    whole = cache._head(content) + content

    def write() -> None:
        for _ in range(50):
            cache._write(path, whole)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert not path.exists() or cache.is_sound(path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.nbc"]


@pytest.mark.usefixtures("folder")
def test_the_clock_of_solves_stands_still_while_kernels_are_compiled() -> None:
    begin, usual = clock.run_time(), time.perf_counter()
    kernel(_thrice)(7)
    took, by_clock = time.perf_counter() - usual, clock.run_time() - begin
    assert took > 0.01
    assert by_clock < 0.5 * took
    with clock.stopped(), clock.stopped():
        inside = clock.run_time()
        time.sleep(0.02)
        assert clock.run_time() == inside


def _counterplay(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment}
    code = "from counterplay.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], env=environment, capture_output=True, text=True)


_RESPOND = ("respond", "leduc", "--to", "cfr+:10", "--method", "cdrnr", "--p", "0.5", "--depth", "1")
_SPOT = ("spot", "--board", "Qs Jh 2h 8d 3c", "--oop", "QQ+,AK", "--ip", "JJ+,KQ", "--pot", "200", "--stack", "900")
_FLOP = ("blueprint", "holdem:flop,buckets=20", "--seconds", "1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "most"), [(_RESPOND, 17), (_SPOT, 10), (_FLOP, 16)], ids=["respond", "spot", "blueprint"]
)
def test_first_runs_compile_few_kernels(tmp_path: Path, words: tuple[str, ...], most: int) -> None:
    """Kernels, each once: two of one name differ in dtypes or kinds of records, never in layouts or lengths of tuples."""
    cold = _counterplay(tmp_path, *words)
    assert cold.returncode == 0
    assert "compiling for this machine" in cold.stderr
    names = [path.name.rsplit(".", 2)[0] for path in tmp_path.rglob("*.nbc")]
    shared = {"poker.showdown.showdown.evaluate_batches", "poker.public_tree.payoff_kernel.multiply"}
    assert len([name for name in names if name not in shared]) <= most
    again = {name for name in names if names.count(name) > 1}
    regrets = "poker.whole_game.blueprints.street_regrets"  # float64 before the flop, float32 on it
    assert again <= {f"{regrets}.advance", f"{regrets}.match"}
    warm = _counterplay(tmp_path, *words, COUNTERPLAY_COMPILE="no")
    assert warm.returncode == 0
    assert "compil" not in warm.stderr


@pytest.mark.slow
def test_after_warm_no_command_compiles(tmp_path: Path) -> None:
    first = _counterplay(tmp_path, "warm", "--json")
    assert first.returncode == 0
    facts = json.loads(first.stdout)
    assert facts["kernels"] == facts["compiled"] == len(list(tmp_path.rglob("*.nbc"))) > 50
    second = _counterplay(tmp_path, "warm")
    assert second.stdout.startswith("everything is there")
    commands = (
        _RESPOND,
        _SPOT,
        _FLOP,
        ("solve", "leduc"),
        ("solve", "goofspiel:4", "--solver", "dcfr", "--iterations", "50"),
        ("respond", "leduc", "--to", "uniform", "--max-exploitability", "0.05"),
        ("match", "leduc", "nash", "uniform", "--hands", "20"),
        ("spot", "--board", "Qs Jh 2h 8d", "--oop", "QQ+", "--ip", "JJ+", "--pot", "20", "--stack", "50"),
    )
    for words in commands:
        ran = _counterplay(tmp_path, *words, COUNTERPLAY_COMPILE="no")
        assert ran.returncode == 0, (words, ran.stderr)


@pytest.mark.parametrize(
    ("content", "found"),
    [('["a.nbc"]', ["a.nbc"]), ("5", None), ("[1]", None), ("[null]", None), ('{"a.nbc": 1}', None), ("[]", None),
     ('"a"', None), ('["b.nbc"]', None), ("[" * 100_000, None), ("no", None)],
)  # fmt: skip
def test_a_damaged_list_of_kernels_counts_as_none(content: str, found: list[str] | None, tmp_path: Path) -> None:
    from counterplay.commands.warm import _LIST, _listed

    (tmp_path / "a.nbc").write_bytes(cache._head(b"code") + b"code")
    (tmp_path / _LIST).write_text(content)
    assert _listed(tmp_path) == found


@pytest.mark.slow
def test_the_examples_of_warm_all_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.main import get_command

    from counterplay.commands import warm
    from counterplay.commands.parsing.program import program

    monkeypatch.chdir(tmp_path)
    warm.write_files()
    assert [(words, wrong) for words in warm.commands() if (wrong := warm.run(get_command(program()), words))] == []
