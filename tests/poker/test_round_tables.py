"""Tables that grow round by round are the same wherever a share reads them, and by whichever way they have come there."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay.poker.betting.rules import holdem
from counterplay.poker.whole_game.blueprints import round_tables
from counterplay.poker.whole_game.blueprints.round_tables import (
    LINE,
    Changes,
    FollowedTables,
    GrowingTables,
    SharedShareTables,
    add_all_changes,
    add_changes,
    take_changes,
)
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.values.line_bundles import LineBundles
from counterplay.work.carried_files import Reach, UnseenTablesError, pack, unpack
from tests.support.flop_holdem import toy
from tests.support.split_games import EIGHT, game

LIKE: dict[str, Any] = {"one": np.zeros((7, 5)), "two": np.zeros(200, np.float32)}


def _end_round(
    tables: GrowingTables, shares: int, random: np.random.Generator, swept: Sequence[dict[str, Changes]]
) -> None:
    """Add what some shares have changed, and other shares that change some lines."""
    found = list(swept)
    for _ in range(shares):
        own = {name: table.copy() for name, table in tables.items()}
        for table in own.values():
            table[...] += random.normal(size=table.shape) * (random.random(table.shape) < 0.05)
        found.append({name: take_changes(table, tables[name]) for name, table in own.items()})
    for share in found:
        for name, change in share.items():
            add_changes(tables[name], change)
    tables.end_round(found)


def _assert_equal(found: Any, tables: GrowingTables) -> None:
    assert list(found) == list(tables)
    for name, table in tables.items():
        np.testing.assert_array_equal(found[name], table, strict=True)


@given(reaches=st.lists(st.sampled_from([*Reach, None]), max_size=6), shares=st.integers(1, 3), seed=st.integers(0, 99))
def test_a_worker_has_the_same_numbers_by_every_way(reaches: list[Reach | None], shares: int, seed: int) -> None:
    """None: it does not take part in a round, after which the lines that have changed are not enough."""
    tables, own = GrowingTables(LIKE), {name: table.copy() for name, table in LIKE.items()}
    followed, random = FollowedTables(own), np.random.default_rng(seed)
    round_tables._kept.clear()
    for reach in reaches:
        swept = list[dict[str, Changes]]()
        if reach is not None:
            try:
                found = unpack(pack(tables, reach=reach)[0])
            except UnseenTablesError:
                found = unpack(pack(tables, reach=reach.less())[0])
            _assert_equal(found, tables)
            for _ in range(random.integers(1, 3)):  # one share or two
                followed.follow(found)
                _assert_equal({name: own[name] for name in tables}, tables)
                for table in own.values():
                    table.reshape(-1)[random.integers(0, table.size, 3)] += 1.0
                mine = {name: take_changes(own[name], tables[name]) for name in tables}
                followed.have_changed({name: change.places for name, change in mine.items()})
                swept.append(mine)
        _end_round(tables, shares, random, swept)


def test_only_new_lines_travel_to_who_has_the_others() -> None:
    tables, random = GrowingTables({"large": np.zeros(400_000, np.float32)}), np.random.default_rng(1)
    tables["large"][...] = 1.0
    first, _ = pack(tables, reach=Reach.KEPT)
    unpack(first)
    table = tables["large"].copy()
    table[:: 64 * LINE] = random.normal(size=len(table[:: 64 * LINE]))
    changes = {"large": take_changes(table, tables["large"])}
    add_changes(tables["large"], changes["large"])
    tables.end_round([changes])
    sizes = {
        reach: sum(len(pickle.PickleBuffer(part).raw()) for part in pack(tables, reach=reach)[0]) for reach in Reach
    }
    assert sizes[Reach.MEMORY] < 1000
    assert sizes[Reach.KEPT] < sizes[Reach.NOTHING] / 40
    assert sizes[Reach.NOTHING] > 1_600_000
    _assert_equal(unpack(pack(tables, reach=Reach.KEPT)[0]), tables)
    tables.end_round([changes])
    tables.end_round([changes])
    with pytest.raises(UnseenTablesError, match="the round before"):
        unpack(pack(tables, reach=Reach.KEPT)[0])


@given(shares=st.integers(1, 3), threads=st.integers(1, 3), seed=st.integers(0, 99))
def test_merged_rooms_are_what_their_changes_add_up_to(shares: int, threads: int, seed: int) -> None:
    """To the last bit, in tables that do not end with a line; then shares have the regrets, and averages from 0 on."""
    random, rooms = np.random.default_rng(seed), SharedShareTables(LIKE, shares)
    merged = {name: random.normal(size=table.shape).astype(table.dtype) for name, table in LIKE.items()}
    added = {name: table.copy() for name, table in merged.items()}
    followed = [name for name in LIKE if name == "one" or random.random() < 0.5]
    for _ in range(2):
        changes, counts = list[dict[str, Changes]](), list[dict[str, int]]()
        for room in rooms.each:
            tables = room.tables()
            for name, table in tables.items():
                before = merged[name] if name in followed else np.zeros_like(table)
                if room.is_stale:
                    table[...] = before
                np.testing.assert_array_equal(table, before, strict=True)
                table += (random.normal(size=table.shape) * (random.random(table.shape) < 0.05)).astype(table.dtype)
            room.begin()
            found = {
                name: take_changes(table.copy(), merged[name] if name in followed else None)
                for name, table in tables.items()
            }
            changes.append(found)
            counts.append({name: room.note(name, change.places) for name, change in found.items()})
        add_all_changes(added, changes, threads)
        rooms.merge(merged, followed, counts, threads)
        for name, table in merged.items():
            np.testing.assert_array_equal(table, added[name], strict=True)
    assert not any(room.is_stale for room in rooms.each)


def test_rooms_are_seen_by_our_own_processes_and_nobody_else() -> None:
    room = SharedShareTables(LIKE, 2).each[1]
    there = pickle.loads(pickle.dumps(room))
    if there is not None:  # the system has memory that processes share
        there.tables()["two"][199] = 2.0
        there.begin()
        assert room.tables()["two"][199] == 2.0
        assert room.noted("two", there.note("two", None)).tolist() == [*range(13)]
    for reach in Reach:
        assert unpack(pack(room, reach=reach)[0]) is None


@cache
def _single() -> HoldemGame:
    """In single precision, where a position is a whole line."""
    return holdem_game(holdem(9, blinds=(1, 2), last="turn"), "50%, a", deck=EIGHT, dtype=np.float32)


@given(lanes=st.integers(1, 9), some=st.sets(st.integers(0, 8)), data=st.data())
def test_lines_of_lanes_are_those_that_hold_their_numbers(lanes: int, some: set[int], data: st.DataObject) -> None:
    here = data.draw(st.sampled_from([game(), _single(), toy("3 ranks, 3 suits", 1)]))
    bundles, player = LineBundles(here, here.last, None), data.draw(st.sampled_from([0, 1]))
    chosen = np.array(sorted(lane for lane in some if lane < lanes), np.int64)
    every = list(bundles.places(player, lanes).values())
    numbers = {number for place in every for number in np.arange(place.start, place.stop, place.step)[chosen].tolist()}
    found = bundles.lines_of_lanes(player, lanes, chosen, LINE)
    assert found.dtype == np.int32
    assert found.tolist() == sorted(set(found.tolist()))
    assert {number // LINE for number in numbers} <= set(found.tolist())
    most = bundles.positions(player) * bundles.width * len(chosen)
    assert len(found) <= most // LINE + 2 * len(bundles.bundles) * len(chosen)
