"""Commands on a cluster and in several processes: the results of one process, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay.learning.learn_value import BorderValues
from counterplay.learning.recipe import stage
from counterplay.learning.settings import ValueSettings
from counterplay.work.cluster import Cluster
from counterplay.work.processes import Processes
from counterplay.work.run_work import run_work
from tests.support.commands import Runner
from tests.support.local_scheduler import LocalScheduler

GAME = "holdem:deck=12,stack=6bb,bets=fcpa,last=turn,buckets=lossless"


def _sweep(run: Runner, name: str, *words: str) -> bytes:
    """The file of a blueprint of two shares."""
    run("blueprint", GAME, "--iterations", "60", *words, "-o", name, "--json")
    return Path(name).read_bytes()


_SPOT = ("--pot", "60", "--stack", "100", "--oop", "AA,KK,QJs", "--ip", "QQ,JJ,T9s", "--bets", "50%, a")
_TIMES = ("seconds",)
COMMANDS = {
    "respond on flops": ("respond", GAME, "--to", "bias:fold=0.2:uniform", "--method", "br", "--flops", "4"),
    "evaluate": ("evaluate", GAME, "uniform", "--against", "passive", "--boards", "300"),
    "frontier": ("frontier", "kuhn", "--to", "uniform", "--methods", "rnr,mix,br", "--points", "4"),
    "compare": ("frontier", "kuhn", "goofspiel:3", "--to", "uniform", "--methods", "mix,br", "--points", "3"),
    "resolve": ("resolve", "leduc", "--blueprint", "cfr:10", "--at", "round"),
    "report": ("report", *_SPOT, "--flops", "Qs Jh 2h, 8d 5c 3c"),
    "reproduce": ("reproduce", "ses-matrix", "--quick"),
}


def _without_times(found: Any) -> Any:
    """What a command printed, but for the time that it took."""
    if isinstance(found, dict):
        return {name: _without_times(one) for name, one in found.items() if name not in _TIMES}
    return [_without_times(one) for one in found] if isinstance(found, list) else found


def _answers(run: Runner, names: Sequence[str], *words: str) -> dict[str, Any]:
    """What commands print, and of a reproduction its table too."""
    answers: dict[str, Any] = {}
    for name in names:
        kept = ("-o", f"out{len(words) and words[-1][0]}") if name == "reproduce" else ()
        done = run(*COMMANDS[name], *kept, *words, "--json")
        assert done.code == 0, done.err
        answers[name] = _without_times(done.json)
        if kept:
            answers["table"] = Path(kept[1], f"{COMMANDS[name][1]}.csv").read_bytes()
    return answers


@pytest.mark.slow
def test_a_reproduction_in_processes_is_that_of_one_process(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _answers(run, ["reproduce"]) == _answers(run, ["reproduce"], "--workers", "2")


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalScheduler]:
    found = LocalScheduler(tmp_path)
    found.wait()
    yield found
    found.end()


@pytest.mark.slow
def test_every_command_with_pieces_gives_the_results_of_one_process(
    run: Runner, local: LocalScheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = _answers(run, [*COMMANDS])
    for words in (("--workers", "2"), ("--cluster", local.address)):
        assert _answers(run, [*COMMANDS], *words) == alone
    assert alone["respond on flops"]["upper"] >= alone["respond on flops"]["lower"]


@pytest.mark.slow
def test_processes_and_a_cluster_sweep_the_blueprint_of_two_shares(
    run: Runner, local: LocalScheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    others = (("--workers", "2"), ("--cluster", local.address))
    files = [_sweep(run, f"{k}.cpb", *words) for k, words in enumerate((("--split", "2"), *others))]
    assert files[0] == files[1] == files[2]


@pytest.mark.slow
def test_samples_that_a_network_learns_from_are_those_of_one_process(local: LocalScheduler) -> None:
    work = stage(BorderValues(ValueSettings("kuhn", "1", 12_000, 0, "cfr+:20")))
    found = [run_work(work, executor=executor).results for executor in (None, Processes(2), Cluster(local.address))]
    assert len(found[0]) > 1
    for others in found[1:]:
        assert list(others) == list(found[0])
        for key, samples in found[0].items():
            for part, array in samples.items():
                np.testing.assert_array_equal(others[key][part], array, strict=True)
