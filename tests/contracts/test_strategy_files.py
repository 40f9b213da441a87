"""Strategy files: what is written is read again, and what is wrong with a file is said in one sentence."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import counterplay as cp
from tests.support.random_games import MatchUp, match_ups

ENDINGS = [".json", ".cps"]


@pytest.fixture
def model(kuhn: cp.GameTree) -> cp.Strategy:
    """A random strategy of seat 1."""
    return cp.opponent(kuhn, "random:3", player=1)


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def same(one: cp.Strategy, other: cp.Strategy) -> bool:
    """Equal up to the last digit, which scaling to a sum of 1 may change."""
    return np.allclose(one.behaviour, other.behaviour, rtol=0.0, atol=1e-15)


def refused(game: cp.GameTree, path: Path, player: int = 1) -> str:
    """The sentence with which a file is refused; it starts with the file's name."""
    with pytest.raises(cp.InputError) as caught:
        cp.opponent(game, path, player=player)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    return text


# --- there and back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("spec", ["kuhn", "leduc", "liars_dice:1,3", "ggse_fig5", "rps:2", "cdrnr_fig3"])
@pytest.mark.parametrize("player", [0, 1])
def test_round_trip(game_of: Any, tmp_path: Path, ending: str, spec: str, player: int) -> None:
    game = game_of(spec)
    strategy = cp.opponent(game, "random:7", player=player)
    path = tmp_path / f"strategy{ending}"
    strategy.save(path)
    for source in (path, str(path)):
        again = cp.opponent(game, source, player=player)
        assert same(again, strategy)
    assert os.listdir(tmp_path) == [path.name]


@given(match_ups())
def test_round_trip_of_random_strategies(tmp_path_factory: pytest.TempPathFactory, match: MatchUp) -> None:
    folder = tmp_path_factory.mktemp("files")
    for ending in ENDINGS:
        path = folder / f"strategy{ending}"
        match.model.save(path)
        again = cp.opponent(match.game, path, player=1 - match.seat).table()
        assert again.keys() == match.table.keys()
        for infoset, row in match.table.items():
            assert again[infoset] == pytest.approx(row, abs=1e-12)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_file_carries_what_is_known_of_a_response(kuhn: cp.GameTree, tmp_path: Path, ending: str, seat: int) -> None:
    answer = cp.respond(kuhn, cp.opponent(kuhn, "random:3", player=1 - seat), max_exploitability=0.02)
    path = tmp_path / f"counter{ending}"
    answer.strategy.save(path)
    again = cp.opponent(kuhn, path, player=seat)
    expected = {
        "game": "kuhn",
        "seat": seat,
        "method": "safe",
        "game_value": answer.game_value,
        "value_against_model": answer.value_against_model,
        "gain": answer.gain,
        "exploitability": answer.exploitability,
    }
    assert {name: again.facts[name] for name in expected} == expected
    assert cp.evaluate(kuhn, again).exploitability == pytest.approx(0.02, abs=1e-8)


def test_json_is_as_documented(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert document["seat"] == 1
    assert set(document["strategy"]) == {"0p", "0b", "1p", "1b", "2p", "2b"}
    assert document["strategy"]["2b"] == model.probabilities("2b")
    # A bare table is read as well.
    write(tmp_path / "bare.json", document["strategy"])
    assert same(cp.opponent(kuhn, tmp_path / "bare.json"), model)


def test_binary_is_smaller_and_holds_no_pickle(leduc: cp.GameTree, tmp_path: Path) -> None:
    strategy = cp.opponent(leduc, "random:1")
    strategy.save(tmp_path / "a.json")
    strategy.save(tmp_path / "a.cps")
    assert 4 * (tmp_path / "a.cps").stat().st_size < (tmp_path / "a.json").stat().st_size
    with np.load(tmp_path / "a.cps", allow_pickle=False) as archive:
        assert all(archive[name].dtype.kind in "fu" for name in archive.files)


def test_infosets_with_one_action_may_be_left_out(game_of: Any, tmp_path: Path) -> None:
    game = game_of("liars_dice:1,2")
    strategy = cp.opponent(game, "random:5")
    table = strategy.table()
    forced = [text for text, row in table.items() if len(row) == 1]
    assert forced
    path = write(tmp_path / "short.json", {text: row for text, row in table.items() if len(row) > 1})
    assert same(cp.opponent(game, path), strategy)


def test_rounded_probabilities_are_scaled(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path) -> None:
    table = {text: {a: round(q, 7) for a, q in row.items()} for text, row in model.table().items()}
    table["0p"] = {"Pass": 0.3333333, "Bet": 0.6666666}
    read = cp.opponent(kuhn, write(tmp_path / "rounded.json", table))
    assert sum(read.probabilities("0p").values()) == pytest.approx(1.0, abs=1e-15)


# --- what is refused --------------------------------------------------------------------------------------------------


def _change(table: dict[str, Any], infoset: str, row: Any) -> dict[str, Any]:
    return {**table, infoset: row}


WRONG_ROWS = {
    "missing action": ({"Pass": 1.0}, "'Bet'"),
    "extra action": ({"Pass": 0.5, "Bet": 0.5, "Call": 0.0}, "'Call'"),
    "no action": ({}, "'Pass'"),
    "sum above 1": ({"Pass": 0.5, "Bet": 0.6}, "sum to 1.1"),
    "sum below 1": ({"Pass": 0.5, "Bet": 0.49999}, "sum to 0.99999"),
    "all 0": ({"Pass": 0, "Bet": 0}, "sum to 0"),
    "NaN": ({"Pass": float("nan"), "Bet": 0.5}, "numbers"),
    "infinite": ({"Pass": float("inf"), "Bet": 0.0}, "numbers"),
    "negative": ({"Pass": -0.1, "Bet": 1.1}, "0 to 1"),
    "word": ({"Pass": "half", "Bet": 0.5}, "'Pass'"),
    "number as text": ({"Pass": "0.5", "Bet": 0.5}, "'Pass'"),
    "null": ({"Pass": None, "Bet": 1.0}, "'Pass'"),
    "list": ({"Pass": [1.0], "Bet": 0.0}, "'Pass'"),
    "huge": ({"Pass": 10**400, "Bet": 0.0}, "'Pass'"),
    "no row": (0.5, "probabilities"),
    "row as list": ([0.5, 0.5], "probabilities"),
}


@pytest.mark.parametrize(("row", "culprit"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_a_wrong_row_is_named(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path, row: Any, culprit: str) -> None:
    path = write(tmp_path / "wrong.json", _change(model.table(), "1b", row))
    text = refused(kuhn, path)
    assert "'1b'" in text
    assert culprit in text
    assert "'1b'" in refused(kuhn, write(path, {"seat": 1, "strategy": _change(model.table(), "1b", row)}))


def test_missing_and_extra_infosets_are_named(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path) -> None:
    table = model.table()
    short = {text: row for text, row in table.items() if text != "2b"}
    assert "'2b'" in refused(kuhn, write(tmp_path / "short.json", short))
    assert "'3p'" in refused(kuhn, write(tmp_path / "long.json", {**table, "3p": {"Pass": 1.0, "Bet": 0.0}}))


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_other_seat_and_other_games(game_of: Any, tmp_path: Path, ending: str) -> None:
    kuhn, larger = game_of("kuhn"), game_of("kuhn:5")
    path = tmp_path / f"model{ending}"
    cp.opponent(kuhn, "uniform", player=1).save(path)
    assert "seat 1" in refused(kuhn, path, player=0)
    refused(larger, path)
    refused(game_of("leduc"), path)


@pytest.mark.parametrize(
    "content",
    ["", "{", "strategy", "\x00\x01", '{"0p": }', "[" * 100_000, '{"0p": ' + "1" * 5000 + "}"],
    ids=["empty", "torn", "word", "zeros", "hole", "deep", "long number"],
)
def test_what_is_no_json(kuhn: cp.GameTree, tmp_path: Path, content: str) -> None:
    assert "not JSON" in refused(kuhn, write(tmp_path / "broken.json", content))


@pytest.mark.parametrize("content", ["3", "null", "[]", '"text"', "true"])
def test_json_that_is_no_table(kuhn: cp.GameTree, tmp_path: Path, content: str) -> None:
    assert "object" in refused(kuhn, write(tmp_path / "other.json", content))


def test_text_in_another_encoding(kuhn: cp.GameTree, tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes('{"é": 1}'.encode("latin-1"))
    refused(kuhn, path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_files_and_folders(kuhn: cp.GameTree, tmp_path: Path, ending: str) -> None:
    assert "cannot read" in refused(kuhn, tmp_path / f"absent{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    assert "cannot read" in refused(kuhn, tmp_path / f"folder{ending}")
    with pytest.raises(cp.InputError, match="cannot read"):
        cp.opponent(kuhn, f"absent{ending}")


def test_a_damaged_binary_file_is_refused_or_still_right(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path) -> None:
    path = tmp_path / "model.cps"
    model.save(path)
    whole = path.read_bytes()
    rng = random.Random(1)
    refusals = 0
    for trial in range(400):
        damaged = bytearray(whole)
        if trial % 4 == 0:
            damaged = damaged[: rng.randrange(len(whole))]
        else:
            for _ in range(rng.choice((1, 1, 5))):
                damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            assert same(cp.opponent(kuhn, path), model)
        except cp.InputError:
            refusals += 1
    assert refusals > 200


def test_other_binary_files_are_refused(kuhn: cp.GameTree, tmp_path: Path) -> None:
    array = tmp_path / "array.npy"
    np.save(array, np.zeros(3))
    refused(kuhn, array.rename(tmp_path / "array.cps"))
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, header1=np.array([{"seat": 1}], object), probabilities1=np.zeros(12))
    refused(kuhn, pickled.rename(tmp_path / "pickled.cps"))
    for facts in ([], "text", None, {}, {"format": 99}, {"format": 1, "labels": "others"}):
        strange = tmp_path / "strange.npz"
        header = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        np.savez(strange, header1=header, probabilities1=np.zeros(12))
        refused(kuhn, strange.rename(tmp_path / "strange.cps"))


@pytest.mark.parametrize(
    "change",
    [lambda a: a[:-1], lambda a: a * np.nan, lambda a: -a, lambda a: a * 0.5, lambda a: a.astype(str)],
    ids=["short", "NaN", "negative", "half", "text"],
)
def test_wrong_numbers_in_a_binary_file(kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path, change: Any) -> None:
    path = tmp_path / "model.cps"
    model.save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    assert len(arrays["probabilities1"]) == 12
    arrays["probabilities1"] = change(arrays["probabilities1"])
    with path.open("wb") as file:
        np.savez(file, **arrays)
    refused(kuhn, path)


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failing_write_keeps_the_old_file(
    kuhn: cp.GameTree, model: cp.Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"model{ending}"
    model.save(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        assert len(os.listdir(tmp_path)) == 2
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(cp.InputError, match=r"cannot write .*No space left"):
        cp.opponent(kuhn, "uniform").save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


def test_an_interrupted_write_leaves_nothing(
    model: cp.Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", torn)
    with pytest.raises(KeyboardInterrupt):
        model.save(tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("place", ["no/such/folder/x.json", "file/x.json", "folder", ".", "/"])
def test_places_that_cannot_be_written(
    model: cp.Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(cp.InputError, match="cannot write"):
        model.save(place)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.parametrize("name", ["model.json", "model.cps"])
def test_files_keep_the_counts_of_a_model(kuhn: cp.GameTree, tmp_path: Path, name: str) -> None:
    model = cp.opponent(kuhn, "observed:30:nash", player=1)
    model.save(tmp_path / name)
    again = cp.opponent(kuhn, str(tmp_path / name), player=1)
    assert model.counts is not None
    np.testing.assert_array_equal(again.counts, model.counts)
    np.testing.assert_allclose(again.behaviour, model.behaviour)


def test_counts_that_are_none_are_refused(kuhn: cp.GameTree, tmp_path: Path) -> None:
    table, path = cp.Strategy.uniform(kuhn.trees[1]).table(), tmp_path / "model.json"
    for wrong in ({"0p": -1}, {"nowhere": 2}, {next(iter(table)): "many"}, [1]):
        path.write_text(json.dumps({"strategy": table, "counts": wrong}))
        with pytest.raises(cp.InputError, match="counts"):
            cp.opponent(kuhn, str(path), player=1)
