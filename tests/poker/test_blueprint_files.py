"""Files of blueprints of several streets: old ones, and those that name the tables of their buckets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterplay as cp
from counterplay import InputError
from counterplay.archive import archive_bytes, write
from counterplay.cache_folder import FOLDER
from counterplay.card_abstraction.emd import EMD
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.betting.rules import holdem
from counterplay.poker.cards.deck import Deck
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.blueprint_file import (
    KIND,
    STEPS,
    contents,
    digest_blueprint,
    load,
    pack,
    rows_of,
    save,
    unpack,
)
from counterplay.poker.whole_game.holdem import holdem_game
from tests.support.split_games import game as small
from tests.support.split_games import made
from tests.support.whole_games import assert_same_tables

OLD = Path(__file__).parents[1] / "files"


def test_a_file_of_the_first_format_is_read_and_written_anew(tmp_path: Path) -> None:
    game, made = load(OLD / "toy.cpb")
    assert (made.method, made.iterations, len(game.deck.cards)) == ("public", 20, 12)
    save(tmp_path / "new.cpb", game, made)
    _, again = load(tmp_path / "new.cpb")
    assert_same_tables(made.play, again.play)


def test_equal_blueprints_have_equal_files_and_older_ones_keep_their_seconds(tmp_path: Path) -> None:
    found = [made(iterations=8) for _ in range(2)]
    save(tmp_path / "a.cpb", small(), found[0])
    save(tmp_path / "b.cpb", small(), replace(found[1], seconds=1e6))
    assert (tmp_path / "a.cpb").read_bytes() == (tmp_path / "b.cpb").read_bytes()
    assert load(tmp_path / "a.cpb")[1].seconds is None
    facts, arrays = contents(small(), found[0])
    write(tmp_path / "older.cpb", KIND, {**facts, "seconds": 12.5}, arrays)
    assert load(tmp_path / "older.cpb")[1].seconds == 12.5
    assert digest_blueprint(tmp_path / "older.cpb") == digest_blueprint(tmp_path / "a.cpb")
    write(tmp_path / "damaged.cpb", KIND, {**facts, "seconds": "long"}, arrays)
    with pytest.raises(InputError, match="is damaged"):
        load(tmp_path / "damaged.cpb")


def test_a_file_that_names_its_tables_keeps_probabilities_in_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setattr("counterplay.poker.whole_game.blueprints.blueprint_file._LARGE", 0)
    game = holdem_game(holdem(4, blinds=(1, 2)), "a", deck=Deck.from_rank("J"))
    made = blueprint(game, make_buckets(game.boards, EMD((5, 4, 3))), method="public", iterations=30)
    save(tmp_path / "a.cpb", game, made)
    again, read = load(tmp_path / "a.cpb")
    assert str(read.play.buckets) == str(made.play.buckets)
    for street in range(3):
        for player, side in enumerate(game.sides):
            one, two = (found.play.tables[street][player][0] for found in (made, read))
            for _, _, first, count in side.decisions[street + 1]:
                assert np.abs(one[first : first + count] - two[first : first + count]).max() <= 1 / STEPS
    assert again.deck == game.deck
    monkeypatch.setattr("counterplay.card_abstraction.make_tables.VERSION", 0)
    with pytest.raises(InputError, match="are not made in this version"):
        load(tmp_path / "a.cpb")


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_packed_probabilities_are_off_by_at_most_a_step_and_sum_to_one(counts: list[int], seed: int) -> None:
    ends = np.cumsum([1, *counts])
    decisions = np.array([(k, 0, end - n, n) for k, (end, n) in enumerate(zip(ends[1:], counts, strict=True))])
    random, table = np.random.default_rng(seed), np.zeros((int(ends[-1]), 5))
    for _, _, first, count in decisions:
        table[first : first + count] = random.dirichlet(np.full(count, 0.3), 5).T
    found = unpack(pack(table, decisions), decisions, len(table), np.float64)
    assert np.abs(found - table)[1:].max() <= 1 / STEPS + 1e-12
    for _, _, first, count in decisions:
        np.testing.assert_allclose(found[first : first + count].sum(axis=0), 1.0, atol=1e-12)


def test_a_file_takes_at_most_a_byte_for_each_free_probability() -> None:
    """Of random tables, which cannot be compressed. At `default` the game of pots and all-ins has 26.4 million of them; in a
    trained file they take six tenths of that."""
    random = np.random.default_rng(1)
    decisions = np.array([[node, 0, 1 + 3 * node, 3] for node in range(200)])
    table = np.zeros((601, 500))
    for _, _, first, count in decisions:
        table[first : first + count] = random.dirichlet(np.ones(count), 500).T
    free = rows_of(decisions) * 500
    assert len(archive_bytes(KIND, {}, {"packed0_1": pack(table, decisions)})) < 1.001 * free + 2000
    game = cp.load("holdem:stack=200bb,bets=fcpa").game
    lanes = zip((20_000, 20_000, 10_000), zip(*(side.decisions[1:] for side in game.sides), strict=True), strict=True)
    assert sum(n * rows_of(rows) for n, pair in lanes for rows in pair) == 26_440_000
