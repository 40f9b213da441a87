"""Archives: exchanged numbers, altered facts, false sizes and any damage end in one sentence, and in little memory."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterplay as cp
from counterplay.agents.agent_archive import KIND as AGENT
from counterplay.card_abstraction.ochs import load_buckets
from counterplay.games.identity import is_other_game
from counterplay.poker.spots.solution import KIND as SPOT
from counterplay.poker.spots.solution import load_spot
from counterplay.poker.whole_game.blueprints.blueprint_file import FLOP_KIND as BLUEPRINT
from counterplay.poker.whole_game.blueprints.blueprint_file import load as load_fhp
from counterplay.treeplex.strategy import KIND as STRATEGY
from tests.support.archives import OLD, changed, parts_of, sealed

KINDS = {".cps": STRATEGY, ".spot": SPOT, ".fhp": BLUEPRINT, ".cpa": AGENT}
OLD_FILES = {".cps": "kuhn.cps", ".spot": "river.spot", ".fhp": "toy.fhp", ".cpa": "kuhn.cpa"}
NUMBERS = {".cps": "probabilities1", ".spot": "probabilities0", ".fhp": "early0", ".cpa": "behaviour"}


def read(path: Path) -> Any:
    """Whatever is in a file."""
    kuhn = cp.load("kuhn")
    readers: dict[str, Callable[[], Any]] = {
        ".cps": lambda: cp.opponent(kuhn, path),
        ".spot": lambda: load_spot(path),
        ".fhp": lambda: load_fhp(path),
        ".cpa": lambda: cp.resume(path, game=kuhn),
    }
    return readers[path.suffix]()


def refused(path: Path) -> str:
    """The sentence with which a file is refused; it names the file."""
    with pytest.raises(cp.InputError) as caught:
        read(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind, as it is written now."""
    folder = tmp_path_factory.mktemp("files")
    made = {ending: folder / f"file{ending}" for ending in KINDS}
    for ending, old in OLD_FILES.items():
        found = read(OLD / old)
        if ending == ".fhp":  # which are read only
            made[ending].write_bytes((OLD / "toy-sealed.fhp").read_bytes())
        else:
            found.save(made[ending])
    return made


@pytest.mark.parametrize("ending", KINDS)
def test_files_without_a_checksum_are_still_read(
    files: dict[str, Path], ending: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """And hold the same numbers as those written of them now."""
    path = tmp_path / OLD_FILES[ending]
    path.write_bytes((OLD / OLD_FILES[ending]).read_bytes())
    read(path)
    assert "has no checksum" in capsys.readouterr().err
    read(path)
    read(files[ending])
    assert capsys.readouterr().err == ""
    with np.load(path) as old:
        new = parts_of(files[ending])[1]
        for name in new:
            np.testing.assert_allclose(old[name], new[name], rtol=1e-6)


def test_buckets_without_a_checksum_are_still_read() -> None:
    game, blueprint = load_fhp(OLD / "toy.fhp")
    found = load_buckets(OLD / "toy.npz", game.boards)
    for flop in game.flops:
        np.testing.assert_array_equal(found.lanes_on(flop)[1], blueprint.play.buckets.lanes_on(flop)[1])


@pytest.mark.parametrize("ending", KINDS)
def test_exchanged_probabilities_are_refused(files: dict[str, Path], tmp_path: Path, ending: str) -> None:
    """Valid probabilities in the order of another valid strategy: only the checksum detects it."""
    name, path = NUMBERS[ending], tmp_path / f"bad{ending}"
    numbers = parts_of(files[ending])[1][name]
    text = refused(changed(files[ending], path, **{name: numbers[::-1].copy()}))
    assert "checksum" in text


@pytest.mark.parametrize("ending", KINDS)
def test_altered_facts_are_refused(files: dict[str, Path], tmp_path: Path, ending: str) -> None:
    with np.load(files[ending]) as file:
        manifest = json.loads(file["manifest"].tobytes())
    manifest["facts"]["more"] = 1
    path = changed(
        files[ending], tmp_path / f"bad{ending}", manifest=np.frombuffer(json.dumps(manifest).encode(), np.uint8)
    )
    assert "checksum" in refused(path)


@pytest.mark.parametrize("ending", KINDS)
def test_files_of_another_kind_are_named(files: dict[str, Path], tmp_path: Path, ending: str) -> None:
    for other in KINDS:
        path = tmp_path / f"renamed{other}"
        path.write_bytes(files[ending].read_bytes())
        if other != ending:
            assert re.search("is not a |is needed", refused(path))


def _claiming(ending: str, files: dict[str, Path], path: Path, mebibytes: int) -> Path:
    """A file whose largest array claims so much, all zeros, packed as well as a zip can."""
    name = NUMBERS[ending]
    with np.load(files[ending]) as file:
        members = {key: file[key] for key in file.files if key != name}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for key, array in members.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"{key}.npy", buffer.getvalue())
        with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
            header = {"descr": "<f8", "fortran_order": False, "shape": (mebibytes * 2**17,)}
            np.lib.format.write_array_header_1_0(stream, header)
            for _ in range(mebibytes):
                stream.write(bytes(2**20))
    return path


@pytest.mark.parametrize("ending", KINDS)
def test_a_small_file_that_claims_to_be_large_takes_no_memory(
    files: dict[str, Path], tmp_path: Path, ending: str
) -> None:
    path = _claiming(ending, files, tmp_path / f"bomb{ending}", 48)
    assert path.stat().st_size < 2**20
    read(files[ending])
    tracemalloc.start()
    refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 2**20


HEADERS = [
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (12",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (12,), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000000000000000000,), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (-12,), }",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').getpid(),), }",
    b"(" * 400,
    b"  x\n y",
    b"\xff" * 100,
]


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_headers_of_arrays_are_read_strictly(files: dict[str, Path], tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "bad.cps"
    with zipfile.ZipFile(files[".cps"]) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("probabilities"):
                content = b"\x93NUMPY\1\0" + (len(header) + 1).to_bytes(2, "little") + header + b"\n" + bytes(96)
            new.writestr(name, content)
    refused(path)


def _flag(content: bytearray, at: int) -> None:
    content[at + 8] |= 1


def _method(content: bytearray, at: int) -> None:
    content[at + 10] = 14


def _larger(content: bytearray, at: int) -> None:
    content[at + 24 : at + 28] = (2**31).to_bytes(4, "little")


@pytest.mark.parametrize("harm", [_flag, _method, _larger], ids=["encrypted", "lzma", "longer"])
@pytest.mark.parametrize("ending", KINDS)
def test_a_directory_that_cannot_be_true_is_refused(
    files: dict[str, Path], tmp_path: Path, ending: str, harm: Callable[[bytearray, int], None]
) -> None:
    content = bytearray(files[ending].read_bytes())
    harm(content, content.index(b"PK\1\2"))
    path = tmp_path / f"bad{ending}"
    path.write_bytes(content)
    refused(path)


def test_names_that_stand_twice_and_strange_ones_are_refused(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "bad.cps"
    for name in ("probabilities1.npy", "../../evil.npy", "evil.npy", "checksum"):
        path.write_bytes(files[".cps"].read_bytes())
        with zipfile.ZipFile(path, "a") as archive, pytest.warns() if name[0] == "p" else nullcontext():
            archive.writestr(name, b"")
        refused(path)


def _sentence(path: Path) -> str:
    """The sentence with which a file is refused; none if it is not."""
    try:
        read(path)
    except cp.InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("ending", KINDS)
def test_damage_is_refused_or_does_no_harm(files: dict[str, Path], tmp_path: Path, ending: str) -> None:
    """Flipped bits, lost ends, torn pieces: rejected in one sentence; with a checksum, numbers never differ."""
    whole, rng, path = files[ending].read_bytes(), random.Random(5), tmp_path / f"bad{ending}"
    refusals = 0
    for trial in range(150):
        content = bytearray(whole)
        at = rng.randrange(len(whole))
        if trial % 5 == 0:
            del content[at:]
        elif trial % 5 == 1:
            del content[at : at + rng.randrange(1, 200)]
        else:
            content[at] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        if text := _sentence(path):
            refusals += 1
            assert str(path) in text
            assert "\n" not in text
    assert refusals > 100


@pytest.mark.parametrize(
    "facts",
    [b"[" * 100_000, b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff", b"", b'{"a": ' + b"9" * 9999 + b"}"],
    ids=["deep", "NaN", "twice", "no text", "empty", "long number"],
)
@pytest.mark.parametrize("ending", KINDS)
def test_facts_must_be_plain_json(files: dict[str, Path], tmp_path: Path, ending: str, facts: bytes) -> None:
    members = {"manifest": facts, "checksum": hashlib.sha256(facts).digest()}
    arrays = {name: np.frombuffer(content, np.uint8) for name, content in members.items()}
    refused(changed(files[ending], tmp_path / f"bad{ending}", **arrays))


def test_an_archive_may_be_read_by_numpy(files: dict[str, Path]) -> None:
    for path in files.values():
        with np.load(path, allow_pickle=False) as archive:
            assert all(archive[name].dtype.kind in "fuib" for name in archive.files)


def test_equal_contents_make_equal_files(files: dict[str, Path], tmp_path: Path) -> None:
    facts, arrays = parts_of(files[".cps"])
    again = sealed(tmp_path / "again.cps", STRATEGY, facts, arrays)
    assert again.read_bytes() == files[".cps"].read_bytes()


# --- which game a file is of ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "wanted", "other"),
    [
        ("leduc", "leduc", False),
        ("leduc", "leduc:bets=2/4", False),
        ("leduc:3,2", "leduc:cap=2", False),
        ("leduc:bets=02/4", "leduc", False),
        ("kuhn:3", "kuhn", False),
        ("goofspiel:5", "goofspiel", False),
        ("matrix:1 -1/-1 1", "matrix:1.0 -1/-1 1", False),
        ("leduc", "kuhn", True),
        ("leduc:bets=1/2", "leduc", True),
        ("kuhn:4", "kuhn", True),
        ("nonsense", "kuhn", True),
        ("kuhn:many", "kuhn", True),
        ("here/kuhn.efg", "there/kuhn.efg", False),
        ("kuhn.efg", "kuhn", False),
        ("mine:Kuhn", "kuhn", False),
        ("kuhn", "mine:Kuhn", False),
        ("one card", "one_card:OneCard", False),
        ("openspiel:kuhn_poker", "kuhn", False),
        ("openspiel:kuhn_poker", "openspiel:kuhn_poker(players=2)", False),
        ("openspiel:leduc_poker", "openspiel:kuhn_poker", True),
        ("river.toml", "spots/river.toml", False),
    ],
)
def test_whether_two_texts_name_one_game(named: str, wanted: str, other: bool) -> None:
    assert is_other_game(named, wanted) is other


@pytest.mark.parametrize("ending", [".json", ".cps"])
def test_a_strategy_that_says_it_is_of_another_game_is_refused(tmp_path: Path, ending: str) -> None:
    kuhn = cp.load("kuhn")
    model = cp.opponent(kuhn, "random:3")
    path = tmp_path / f"model{ending}"
    for named in ("leduc", "kuhn:4", "nonsense"):
        replace(model, facts={"game": named}).save(path)
        text = refused(path) if ending == ".cps" else _refused_json(kuhn, path)
        assert f"a strategy for {named}" in text
        assert "kuhn is needed" in text
    for named in ("kuhn", "kuhn:3", "a/kuhn.efg"):
        replace(model, facts={"game": named}).save(path)
        assert cp.opponent(kuhn, path).facts["game"] == named


def _refused_json(game: Any, path: Path) -> str:
    with pytest.raises(cp.InputError) as caught:
        cp.opponent(game, path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_old_files_of_another_game_are_refused_too(tmp_path: Path) -> None:
    with np.load(OLD / "kuhn.cps") as file:
        text = file["header1"].tobytes().replace(b'"kuhn"', b'"leduc"')
    path = changed(OLD / "kuhn.cps", tmp_path / "old.cps", header1=np.frombuffer(text, np.uint8))
    assert "a strategy for leduc, and one for kuhn is needed" in refused(path)
