"""Commands on a cluster and in several processes: the results of one process, to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Runner
from tests.support.local_scheduler import LocalScheduler

GAME = "holdem:deck=12,stack=6bb,bets=fcpa,last=turn,buckets=lossless"


def _sweep(run: Runner, name: str, *words: str) -> bytes:
    """The file of a blueprint of two shares."""
    run("blueprint", GAME, "--iterations", "60", *words, "-o", name, "--json")
    return Path(name).read_bytes()


def _respond(run: Runner, *words: str) -> Any:
    """What a best response wins on drawn flops; without the time that it took."""
    asked = ("respond", GAME, "--to", "bias:fold=0.2:uniform", "--method", "br", "--flops", "4")
    return {**run(*asked, *words, "--json").json, "seconds": None}


@pytest.mark.slow
def test_processes_and_a_cluster_give_the_results_of_one_process(run: Runner, tmp_path: Path) -> None:
    local = LocalScheduler(tmp_path)
    try:
        local.wait()
        others = (("--workers", "2"), ("--cluster", local.address))
        files = [_sweep(run, f"{k}.cpb", *words) for k, words in enumerate((("--split", "2"), *others))]
        answers = [_respond(run, *words) for words in ((), *others)]
    finally:
        local.end()
    assert files[0] == files[1] == files[2]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["upper"] >= answers[0]["lower"]
