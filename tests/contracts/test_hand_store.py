"""The store of parsed hands gives back equal records or none: whatever file it finds, the hands are those of the text."""

from __future__ import annotations

import ast
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.opponents.histories import REGISTRY, hand_store, read_hands
from counterplay.opponents.histories.hand_record import FileLine, GameHand, HandStep, HoldemHand, LeftOut, TableHand
from counterplay.opponents.histories.hand_store import empty_store, key_of, opened_store, reader_sources
from counterplay.opponents.histories.read_hands import Hands
from counterplay.opponents.histories.record_columns import RECORDS, ColumnError, pack_records, unpack_records
from counterplay.poker.betting.rules import BettingRules
from counterplay.poker.cards.deck import SIX_PLUS
from tests.support.commands import Runner
from tests.support.histories import SLUMBOT, random_hand, random_rules
from tests.support.sources import parsed

PHHS = REGISTRY["phh"]


def _sample(kind: type, rng: random.Random, line: int) -> Any:
    """A record of a kind, whose fields all differ from their defaults now and then."""
    place = FileLine("f.phhs", line)
    if kind is HoldemHand:
        deck = {"deck": SIX_PLUS} if rng.random() < 0.3 else {}
        hand = random_hand(rng, random_rules(rng), hidden=True)
        return replace(hand, place=place, currency=rng.choice(["", "$", "€"]), **deck)
    if kind is GameHand:
        moves = tuple((rng.randrange(3), rng.choice([None, "", "bet 100", "Ä\ud800"])) for _ in range(rng.randrange(5)))
        spot = rng.choice(["", "00ff"])
        return GameHand("leduc", ("a", "b\n"), moves, rng.choice([None, -0.1, 1e300]), "k", place, spot)
    if kind is TableHand:
        seats = rng.randint(3, 10)
        chips = [tuple(rng.randrange(10**6) for _ in range(seats)) for _ in range(5)]
        holes = tuple(rng.choice([(), (rng.randrange(52), 3)]) for _ in range(seats))
        steps = tuple(HandStep(rng.randrange(-1, seats), rng.choice("fcrd"), rng.randrange(99)) for _ in range(7))
        names = tuple(f"{number}: calls" for number in range(seats))
        rest = rng.randrange(9), rng.randrange(9), rng.choice([1.0, 0.01]), "€", "key", place
        return TableHand(names, chips[0], (2, 1), *chips[1:3], seats - 1, steps, holes, (1, 2, 3), *chips[3:], *rest)
    assert kind is LeftOut, f"{kind} needs a sample here"
    return LeftOut(place, "cards", "a card is dealt twice")


@given(seed=st.integers(0, 2**32), count=st.integers(0, 12))
def test_every_kind_of_record_comes_back_equal_with_its_place(seed: int, count: int) -> None:
    rng = random.Random(seed)
    records = [_sample(rng.choice(RECORDS), rng, 3 + 2 * number) for number in range(count)]
    found = unpack_records(pack_records(records), "moved.phhs")
    moved = [replace(one, place=FileLine("moved.phhs", one.place.line)) for one in records]
    assert found == moved
    assert (list(map(repr, found)), list(map(hash, found))) == (list(map(repr, moved)), list(map(hash, moved)))


def test_a_record_that_columns_cannot_hold_is_refused_and_never_rounded() -> None:
    hand = random_hand(random.Random(1))
    for rules in (replace(hand.rules, pot=2**70), replace(hand.rules, pot=2.5)):  # type: ignore[arg-type]
        with pytest.raises(ColumnError):
            pack_records([replace(hand, rules=rules)])


@given(seed=st.integers(0, 2**32))
def test_changed_columns_are_refused_or_are_records(seed: int) -> None:
    """What a checksum does not catch: another program writes valid entries with wild content."""
    rng = random.Random(seed)
    content = bytearray(zlib.decompress(pack_records([_sample(kind, rng, 1) for kind in RECORDS for _ in range(3)])))
    for _ in range(rng.randint(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    with suppress(ColumnError):
        assert {type(one) for one in unpack_records(zlib.compress(bytes(content)), "x")} <= set(RECORDS)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x80\x05K\x01.", zlib.compress(b"{}\n"), zlib.compress(b"[" * 100_000), zlib.compress(b"9" * 5000),
     zlib.compress(json.dumps({"texts": [], "columns": [["<i8", 10**18]]}).encode() + b"\n"),
     zlib.compress(json.dumps({"texts": [1], "columns": [["O", 1]]}).encode() + b"\n12345678")],
)  # fmt: skip
def test_wild_columns_are_refused(content: bytes) -> None:
    with pytest.raises(ColumnError):
        unpack_records(content, "x")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that is used, and does not exist yet."""
    path = tmp_path / "cache" / "hands" / "hands.sqlite"
    monkeypatch.setattr(hand_store, "store_path", lambda: path)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with hands, one of them twice."""
    rng = random.Random(9)
    hands = [random_hand(rng, random_rules(rng), hidden=True) for _ in range(6)]
    path = tmp_path / "some.phhs"
    path.write_text(PHHS.write([*hands, hands[0]]))  # type: ignore[attr-defined]
    return path


def _read(*paths: Path, **options: Any) -> Hands:
    return read_hands.read_hands(paths, **options)


def _parsed(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> Hands:
    """The hands without a store."""
    with monkeypatch.context() as without:
        without.setattr(hand_store, "store_path", lambda: None)
        return _read(*paths)


def _asked(store: Path, query: str) -> list[tuple[Any, ...]]:
    """The answer of a database."""
    with closing(sqlite3.connect(store)) as base:
        return base.execute(query).fetchall()


def _rows(store: Path) -> int:
    return len(_asked(store, "SELECT key FROM hands"))


def _refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text is parsed from here on."""

    def refuse(*_: object) -> Iterator[Any]:
        raise AssertionError("a file was parsed again")

    monkeypatch.setattr(type(PHHS), "read", refuse)


def test_a_second_reading_parses_nothing_and_is_equal(
    store: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _read(file)
    assert len(first.hands) == 6
    assert [one.reason for one in first.left_out] == ["duplicate"]
    _refuse(monkeypatch)
    again = _read(file)
    assert again == first
    assert [one.place for one in again.hands] == [one.place for one in first.hands]
    moved = file.rename(tmp_path / "moved.phhs")  # its content is its name
    assert {one.place.file for one in _read(moved).hands} == {str(moved)}
    assert _rows(store) == 1


def test_another_content_ending_format_or_game_is_parsed(store: Path, tmp_path: Path) -> None:
    rules = BettingRules((20_000, 20_000), blinds=(100, 50), min_bet=100)
    log = tmp_path / "log.jsonl"
    log.write_text(SLUMBOT)
    seen = [_read(log), _read(log, rules=replace(rules, stacks=(30_000, 30_000))), _read(log, form="slumbot")]
    assert len(seen[0].hands) == len(seen[2].hands) > len(seen[1].hands)
    assert _rows(store) == 3
    log.write_text(SLUMBOT.partition("\n")[2])
    assert len(_read(log).hands) == len(seen[0].hands) - 1
    assert _rows(store) == 4


def test_another_reader_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest covers every file of the package that the readers import, but for compiled kernels."""
    package, names = Path(hand_store.__file__).parents[2], set[str]()
    waiting = [path.relative_to(package).as_posix() for path in Path(hand_store.__file__).parent.rglob("*.py")]
    while waiting:
        if (name := waiting.pop()) not in names and not name.startswith("jit/"):
            names.add(name)
            found = [node for node in ast.walk(parsed(package / name)) if isinstance(node, ast.ImportFrom)]
            modules = [f"{node.module}.{alias.name}".split(".") for node in found for alias in node.names]
            paths = ["/".join(words[1:n]) + ".py" for words in modules for n in (-1, None) if words[0] == "counterplay"]
            waiting += [path for path in paths if (package / path).is_file()]
    sources = reader_sources()
    assert names <= set(sources)
    assert {"poker/betting/state.py", "opponents/histories/replay.py"} <= set(sources)
    keys = {key_of(b"text", ".phh", None, None)}
    for name in sources:
        with monkeypatch.context() as changed:
            changed.setattr(hand_store, "reader_sources", lambda n=name: {**sources, n: b"# another reader"})
            hand_store.readers_digest.cache_clear()
            keys.add(key_of(b"text", ".phh", None, None))
    hand_store.readers_digest.cache_clear()
    assert len(keys) == 1 + len(sources)


def test_hands_of_a_format_of_another_package_are_parsed_every_time(
    store: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its source may change, and no digest covers it."""

    class Mine(type(PHHS)):  # type: ignore[misc]
        """Reads nothing from today on."""

        def read(self, *_: object) -> Iterator[Any]:
            return iter(())

    assert len(_read(file).hands) == 6
    monkeypatch.setitem(REGISTRY, "phh", Mine())
    assert not _read(file).hands
    assert _rows(store) == 1


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_store_is_survived(seed: int, store: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are changed, cut off or inserted anywhere; afterwards the store works again, at the third reading at last."""
    right, rng = _read(file), random.Random(seed)
    content = bytearray(store.read_bytes())
    at = rng.randrange(len(content)) if seed % 2 else rng.randrange(200)
    if seed % 4 < 2:
        content[at : at + 40] = rng.randbytes(40)
    elif seed % 4 == 2:
        del content[at:]
    else:
        content[at:at] = rng.randbytes(rng.randrange(1, 5000))
    store.write_bytes(content)
    for _ in range(3):
        assert _read(file) == right
    with suppress(AssertionError):  # damage that the database does not notice may cost the entry, not the hands
        with monkeypatch.context() as alone:
            _refuse(alone)
            assert _read(file) == right
        return
    assert _read(file) == right


def _entry(store: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the content of the only entry, with a checksum that fits."""
    base = sqlite3.connect(store)
    key, content = base.execute("SELECT key, content FROM hands").fetchone()
    wild = change(content)
    base.execute("UPDATE hands SET content = ?, checksum = ?", (wild, hand_store._checksum(key, wild)))
    base.commit()
    base.close()


@pytest.mark.parametrize("wild", [b"", b"wild", zlib.compress(b'{"texts": [], "columns": []}\n')])
def test_an_entry_with_wild_content_and_a_right_checksum_is_parsed_again(wild: bytes, store: Path, file: Path) -> None:
    right = _read(file)
    _entry(store, lambda _: wild)
    assert _read(file) == right
    _entry(store, lambda content: content if content != wild else b"not written again")
    assert _read(file) == right


def test_an_entry_of_another_file_does_not_pass_for_this_one(store: Path, file: Path, tmp_path: Path) -> None:
    """A checksum is of the key, too."""
    right = _read(file)
    other = tmp_path / "other.phhs"
    other.write_text(PHHS.write([random_hand(random.Random(77))]))  # type: ignore[attr-defined]
    _read(other)
    base = sqlite3.connect(store)
    rows = base.execute("SELECT checksum, content FROM hands").fetchall()
    keys = [key for (key,) in base.execute("SELECT key FROM hands")]
    for key, (checksum, content) in zip(keys, rows[::-1], strict=True):
        base.execute("UPDATE hands SET checksum = ?, content = ? WHERE key = ?", (checksum, content, key))
    base.commit()
    base.close()
    assert _read(file) == right


FOREIGN = {
    "locked": ["BEGIN EXCLUSIVE"],
    "a later schema": [f"PRAGMA user_version = {hand_store.SCHEMA + 1}"],
    "another program": ["PRAGMA application_id = 7"],
    "another table": ["ALTER TABLE hands ADD COLUMN more"],
    "a view": ["DROP TABLE hands", "CREATE VIEW hands AS SELECT 1 AS key, 1 AS used, 1 AS checksum, 1 AS content"],
    "a trigger": ["CREATE TRIGGER t AFTER INSERT ON hands BEGIN DELETE FROM hands; END"],
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_locked_later_or_foreign_store_is_left_alone(case: str, store: Path, file: Path) -> None:
    right = _read(file)
    base = sqlite3.connect(store, isolation_level=None)
    for statement in FOREIGN[case]:
        base.execute(statement)
    before = store.read_bytes()
    assert _read(file) == right
    if case != "locked":
        base.close()
    assert store.read_bytes() == before
    base.close()


def test_a_store_of_an_earlier_schema_begins_anew(store: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = _read(file)
    base = sqlite3.connect(store, isolation_level=None)
    base.execute("ALTER TABLE hands ADD COLUMN older")
    base.execute(f"PRAGMA user_version = {hand_store.SCHEMA - 1}")
    base.close()
    assert _read(file) == right
    _refuse(monkeypatch)
    assert _read(file) == right


def test_a_full_disk_and_a_read_only_store_are_survived(
    store: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, other = hand_store._opened, tmp_path / "other.phhs"
    other.write_text(PHHS.write([random_hand(random.Random(5))]))  # type: ignore[attr-defined]
    right, more = _parsed(monkeypatch, file), _parsed(monkeypatch, file, other)

    def full(path: Path) -> sqlite3.Connection | None:
        base = usual(path)
        assert base is not None
        base.execute("PRAGMA max_page_count = 3")
        return base

    def read_only(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)

    with monkeypatch.context() as broken:
        broken.setattr(hand_store, "_opened", full)
        assert (_read(file), _read(file)) == (right, right)
    assert _read(file) == right
    monkeypatch.setattr(hand_store, "_opened", read_only)
    monkeypatch.setattr(hand_store, "_FRESH", -1)  # a time of use would be written, too
    assert (_read(file, other), _rows(store)) == (more, 1)
    _refuse(monkeypatch)
    assert _read(file) == right


def test_a_store_that_vanishes_between_two_files_is_survived(store: Path, file: Path) -> None:
    with opened_store() as opened:
        store.unlink()
        opened.write(b"key", [])
        assert opened.read(b"key", "f") in (None, [])
    assert len(_read(file).hands) == 6


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_the_store_is_its_users_alone(store: Path, file: Path) -> None:
    before = os.umask(0)
    try:
        right = _read(file)
    finally:
        os.umask(before)
    assert (store.parent.stat().st_mode & 0o777, store.stat().st_mode & 0o777) == (0o700, 0o600)
    for place, mode in ((store.parent, 0o777), (store, 0o666)):
        kept = place.stat().st_mode & 0o777
        place.chmod(mode)
        _entry(store, lambda _: b"written by another user")
        seen = store.read_bytes()
        assert (_read(file), store.read_bytes()) == (right, seen)
        place.chmod(kept)


def test_what_was_not_used_for_longest_goes_first(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, rng = [tmp_path / f"{number}.phhs" for number in range(5)], random.Random(4)
    for number, one in enumerate(files):
        one.write_text(PHHS.write([random_hand(rng) for _ in range(3)]))  # type: ignore[attr-defined]
        monkeypatch.setattr(hand_store.time, "time", lambda now=1e6 * number: now)
        _read(one)
    monkeypatch.setattr(hand_store.time, "time", lambda: 1e7)
    _read(files[0])  # which is used again
    sizes = _asked(store, "SELECT size FROM hands ORDER BY used")
    monkeypatch.setattr(hand_store, "MOST_BYTES", sum(size for (size,) in sizes[2:]) + 1)
    with opened_store() as opened:
        opened.write(b"small", [])
    monkeypatch.setattr(hand_store, "MOST_BYTES", 1 << 30)
    read = list[str]()
    usual = type(PHHS).read
    monkeypatch.setattr(type(PHHS), "read", lambda *parts: read.append(Path(parts[2]).name) or usual(*parts))
    for one in files:
        _read(one)
    assert read[:2] == ["1.phhs", "2.phhs"]
    assert len(read) <= 3  # the entry that was written needs some bytes itself


def test_one_command_empties_the_store(store: Path, file: Path, run: Runner) -> None:
    assert run("hands", "--empty-store").out.startswith("removed the hands of 0 files, 0 bytes, from ")
    _read(file)
    ((kept,),) = _asked(store, "SELECT content FROM hands")
    assert kept[:60] in store.read_bytes()
    said = run("hands", "--empty-store", "--json").json
    assert (said["files"], said["bytes"] > 0, said["store"]) == (1, True, str(store))
    assert (_rows(store), kept[:60] in store.read_bytes()) == (0, False)
    assert len(_read(file).hands) == 6
    store.write_bytes(b"no database" * 500)
    assert empty_store() is not None
    assert not store.exists()
    for words in (["--empty-store", str(file)], ["--empty-store", "-o", "x.phhs"], []):
        done = run("hands", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    _read(file)
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    done = run("hands", "--empty-store")
    assert (done.code, "locked" in done.err) == (2, True)
    other.execute("ROLLBACK")
    other.execute("PRAGMA application_id = 5")
    done = run("hands", "--empty-store")
    assert (done.code, "no store of hands" in done.err, _rows(store)) == (2, True, 1)
    other.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", os.mkdir)])
def test_a_store_that_is_no_file_is_left_alone(
    make: Callable[[Path], None], store: Path, file: Path, run: Runner
) -> None:
    """A named pipe is not waited for."""
    right = _read(file)
    store.unlink()
    make(store)
    assert _read(file) == right
    done = run("hands", "--empty-store")
    assert (done.code, done.out, str(store) in done.err) == (2, "", True)
    assert store.exists()


def test_a_process_that_is_killed_while_it_writes_harms_no_entry(store: Path, tmp_path: Path) -> None:
    rng = random.Random(9)
    paths = [tmp_path / f"{number}.phhs" for number in range(30)]
    for path in paths:
        path.write_text(PHHS.write([random_hand(rng) for _ in range(3)]))  # type: ignore[attr-defined]
    code = (
        "import sys; from counterplay.opponents.histories.read_hands import read_hands; print(flush=True);"
        "read_hands(sys.argv[1:])"
    )
    env = os.environ | {"COUNTERPLAY_CACHE": str(store.parents[1])}
    for seconds in (0.02, 0.1):
        command = [sys.executable, "-c", code, *map(str, paths)]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(seconds)
            process.kill()
        assert _read(*paths) == _read(*paths)
        assert _rows(store) == len(paths)
        store.unlink()


def test_processes_share_a_store_and_an_empty_variable_switches_it_off(tmp_path: Path) -> None:
    """Real processes, with the environment that users set."""
    rng = random.Random(8)
    for number in range(6):
        (tmp_path / f"{number}.phhs").write_text(PHHS.write([random_hand(rng) for _ in range(20)]))  # type: ignore[attr-defined]
    code = (
        "import sys; from counterplay.opponents.histories.read_hands import read_hands;"
        "print(*[hash(repr(read_hands(sys.argv[1:]))) for _ in range(2)])"
    )
    paths = [str(tmp_path / f"{number}.phhs") for number in range(6)]
    command = [sys.executable, "-c", code]
    base = os.environ | {"PYTHONHASHSEED": "0"}
    cache, off = tmp_path / "cache", base | {"COUNTERPLAY_CACHE": ""}
    on = base | {"COUNTERPLAY_CACHE": str(cache)}
    running = [
        subprocess.Popen([*command, *order], env=env, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for order, env in ((paths, on), (paths, on), (paths, off))
    ]
    first, second, without = (one.communicate()[0].split() for one in running)
    assert first == second == without
    assert _rows(cache / "hands" / "hands.sqlite") == 6
    assert {path.name for path in tmp_path.iterdir()} == {"cache", *(f"{n}.phhs" for n in range(6))}
