"""What travels to a cluster in rounds of sweeps: what is new, from the client to the workers, not by the scheduler."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit, RoundProgress
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.work import cluster
from counterplay.work.cluster import Cluster
from tests.support.local_scheduler import ROOT, LocalScheduler
from tests.support.whole_games import assert_same_tables

GAME = "holdem:deck=12,stack=20bb,bets=fcpa,last=turn,buckets=lossless"
_LITTLE = 40_000
"""Bytes a round of keys, states and heartbeats."""


def _traffic() -> Any:
    """The module that counts bytes, which stands beside the benchmarks and in no package."""
    spec = importlib.util.spec_from_file_location("loopback_cluster", ROOT / "benchmarks" / "loopback_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules["loopback_cluster"] = found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system does not count the bytes of a connection")
def test_rounds_send_what_is_new_and_not_by_the_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, traffic = read_holdem(GAME), _traffic()
    game, buckets = rules.game, make_buckets(rules.game.boards, rules.buckets)
    options: Any = {"method": "public", "iterations": 60, "threads": 1, "split": BoardSplit(2)}
    alone = blueprint(game, buckets, **options)
    size = sum(table.nbytes for pair in alone.play.tables for player in pair for table in player)
    local = LocalScheduler(tmp_path)
    try:
        local.wait()
        sent = {}
        for here in (True, False):
            monkeypatch.setattr(cluster, "is_here", lambda _, here=here: here)
            executor, told = Cluster(local.address), list[Any]()

            def look(progress: RoundProgress, executor: Cluster = executor, told: list[Any] = told) -> None:
                if not progress.done:
                    told.append(traffic.received(executor._held))

            found = blueprint(game, buckets, **options, executor=executor, watch_round=look)
            assert_same_tables(found.play, alone.play)
            sent[here] = np.diff(np.array(told), axis=0)  # (rounds but the last, 3): client, scheduler, mean worker
    finally:
        local.end()
    for rounds in sent.values():
        assert rounds[:, 1].mean() < _LITTLE
    memory, apart = sent[True][:, 2], sent[False][:, 2]
    assert memory.mean() < _LITTLE
    assert apart[0] > size > 8 * apart[1:].max()  # the first round brings all, also what belongs to no action
