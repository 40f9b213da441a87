"""Sweeps by shares of the boards: nothing is lost or counted twice, whoever sweeps them and whatever ends them."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterplay import InputError
from counterplay.about import version
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.card_abstraction.ochs import OCHS
from counterplay.poker.whole_game.blueprints.blueprint import split_of
from counterplay.poker.whole_game.blueprints.blueprint_file import load, save
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit, RoundProgress
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.round_tables import add_all_changes, take_changes
from counterplay.poker.whole_game.blueprints.split_sampling import BoardRound, SharedProblem, SplitSampling
from counterplay.poker.whole_game.values.measure import measure
from counterplay.work.carried_files import pack, packed_digest
from counterplay.work.cluster import Cluster, Content, compute_piece, stamp_here
from counterplay.work.processes import Processes
from counterplay.work.run_work import Begin, InProcess, Results, Work
from counterplay.work.worker import Failure
from tests.support.flop_holdem import toy
from tests.support.local_scheduler import LocalScheduler
from tests.support.split_games import SPLIT, buckets, game, made
from tests.support.whole_games import assert_same_tables

METHODS = ("public", "cfr-br")


class _Meddling:
    """Sweeps the shares here; calls `meddle` before a share of a round, and computes the shares backwards."""

    def __init__(self, share: int, meddle: Any) -> None:
        self.left, self._meddle = share, meddle

    def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
        for key in reversed(keys):
            if not self.left:
                self._meddle()
            self.left -= 1
            yield from InProcess().compute(work, [key], begin)

    def held(self) -> Any:
        return InProcess().held()

    def size(self) -> int:
        return 1


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("method", METHODS)
def test_a_round_adds_what_each_board_would_change_alone(method: str) -> None:
    _check_round(SamplingProblem(game(), buckets(), seed=2), method)


def test_a_game_that_ends_on_the_flop_splits_the_boards_of_cfr_br_alone() -> None:
    here = toy("3 ranks, 3 suits", 1)
    problem = SamplingProblem(here, make_buckets(here.boards, OCHS((4,))), seed=2)
    _check_round(problem, "cfr-br")
    work = BoardRound(SharedProblem(problem, "cfr-br"), 2, 0, 3, {})
    key = work.keys()[1]
    for name, change in pickle.loads(pickle.dumps(work)).compute(key).items():
        for what, numbers in work.compute(key)[name]._asdict().items():
            np.testing.assert_array_equal(getattr(change, what), numbers, err_msg=f"{name} {what}")
    with pytest.raises(
        InputError, match="public does not split boards of a game that ends on the flop: it floors regrets at 0"
    ):
        SplitSampling(problem, "public", SPLIT, InProcess())


def _check_round(problem: SamplingProblem, method: str) -> None:
    """The first round of a split against its boards, each swept alone."""
    split = SplitSampling(problem, method, SPLIT, InProcess())
    split.sample(1)
    alone = PublicSampling(problem, exact=method == "cfr-br")
    expected = {name: np.zeros_like(table) for name, table in alone.state().items()}
    for number in range(SPLIT.shares):
        for table in alone.state().values():
            table[...] = 0
        alone.iterations = number
        alone.sample(1)
        for name, table in alone.state().items():
            expected[name] += table
    assert split.iterations == SPLIT.shares
    for name, table in split.state().items():
        np.testing.assert_allclose(table, expected[name], rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("method", METHODS)
def test_interrupted_sweeps_go_on_as_if_nothing_had_come(tmp_path: Path, method: str) -> None:
    training, boards = tmp_path / "some.train", 60
    whole = made(method, boards, split=SPLIT)
    cut = made(method, boards, split=SPLIT, training=training, executor=_Meddling(10, _interrupt))
    assert cut.interrupted
    assert cut.iterations < boards <= whole.iterations
    assert split_of(training) == SPLIT
    rest = made(method, boards, split=SPLIT, training=training)
    assert (rest.iterations, rest.split) == (whole.iterations, SPLIT)
    assert_same_tables(rest.play, whole.play)
    for other in (None, BoardSplit(2, 4), BoardSplit(3, 5)):
        with pytest.raises(InputError, match="split of boards"):
            made(method, boards, split=other, training=training)


def test_threads_add_up_the_same_bits() -> None:
    random, found = np.random.default_rng(3), list[dict[str, Any]]()
    tables = {name: random.normal(size=size) for name, size in (("small", 20), ("large", 900), ("other", 77))}
    shares = [{name: take_changes(table * random.normal(), table) for name, table in tables.items()} for _ in range(3)]
    for threads in (1, 2, 5):
        found.append({name: table.copy() for name, table in tables.items()})
        add_all_changes(found[-1], shares, threads)
    for name, table in found[0].items():
        for others in found[1:]:
            np.testing.assert_array_equal(others[name], table, strict=True)
        assert (table != tables[name]).all()


def test_one_share_is_the_whole() -> None:
    assert_same_tables(made(split=BoardSplit(1)).play, made().play)


@pytest.mark.slow
def test_several_shares_come_as_near_as_one() -> None:
    near = [measure(game(), made("public", 3000, split=split).play).exploitability for split in (None, BoardSplit(4))]
    start = measure(game(), made("public", 30).play).exploitability
    assert max(near) < 0.5 * start  # the buckets cost the rest
    assert near[1] < 1.25 * near[0]


def test_rounds_grow_with_what_is_done() -> None:
    for shares, part in ((2, 32), (4, 64), (8, 128), (16, 128)):
        split, done, sizes = BoardSplit(shares, 20), 0, []
        while done < 50_000:
            sizes.append(split.next_round(done))
            assert shares * sizes[-1] <= max(shares, done / part)
            done += shares * sizes[-1]
        assert sizes == sorted(sizes)
        assert (sizes[0], sizes[-1]) == (1, 20)
    for bad in ((0, 1), (1, 0), (5000, 1)):
        with pytest.raises(InputError):
            BoardSplit(*bad)


def test_rounds_say_how_many_of_their_boards_are_done() -> None:
    told = list[RoundProgress]()
    found = made(iterations=300, split=SPLIT, watch_round=told.append)
    rounds = [told[k : k + SPLIT.shares + 1] for k in range(0, len(told), SPLIT.shares + 1)]
    before = 0
    for one in rounds:
        boards = SPLIT.shares * SPLIT.next_round(before)
        assert [progress.done for progress in one] == [boards * k // SPLIT.shares for k in range(SPLIT.shares + 1)]
        assert {progress.boards for progress in one} == {boards}
        assert [progress.iterations - progress.done for progress in one] == [before] * len(one)
        before += boards
    assert before == found.iterations


def test_the_split_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "some.cpb"
    save(path, game(), made(split=SPLIT))
    assert load(path)[1].split == SPLIT
    save(path, game(), made())
    assert load(path)[1].split is None


def test_methods_that_cannot_split_boards_say_so() -> None:
    with pytest.raises(InputError, match="dcfr does not split boards"):
        made("dcfr", 2, split=SPLIT)


def test_a_full_disk_ends_the_sweeps_and_keeps_the_last_state(tmp_path: Path) -> None:
    """The system refuses to let files grow, as a full disk does."""
    training = tmp_path / "some.train"
    first = made(iterations=40, split=SPLIT, training=training)
    content, usual = training.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) // 2, usual[1]))
    try:
        with pytest.raises(InputError, match=r"cannot write .*some\.train"):
            made(iterations=100, split=SPLIT, training=training)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, handler)
    assert training.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["some.train"]
    again = made(iterations=100, split=SPLIT, training=training)
    assert again.iterations > first.iterations
    assert_same_tables(again.play, made(split=SPLIT).play)


def test_a_worker_of_another_version_sweeps_no_share_and_says_so() -> None:
    problem = SamplingProblem(game(), buckets())
    work = BoardRound(SharedProblem(problem, "public"), 2, 0, 1, {})
    content = pack(work)[0]
    there = Content(content, packed_digest(content), (), frozenset())
    for asked, what in ((("0.0.0", stamp_here()[1]), f"version {version()}"), ((version(), "others"), "other kernels")):
        found = compute_piece(there, work.keys()[0], asked, [], [])
        assert isinstance(found, Failure)
        assert found.input
        assert found.text == f"a worker has {what} of counterplay, and not {asked[0]} with the kernels that are here"


@pytest.mark.parametrize("method", METHODS)
def test_shares_with_and_without_a_room_come_to_the_same(method: str) -> None:
    """Also in one round, and in turn."""

    class Moving(InProcess):
        rounds = 0

        def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
            assert isinstance(work, BoardRound)
            self.rounds += 1
            here = (self.rounds % 4, self.rounds % 4 - 1)
            rooms = tuple(None if number in here else room for number, room in enumerate(work.rooms))
            return super().compute(replace(work, rooms=rooms), keys, begin)

    boards = 30
    found = made(method, boards, split=SPLIT, executor=Moving())
    assert_same_tables(found.play, made(method, boards, split=SPLIT).play)


@pytest.mark.slow
def test_processes_sweep_the_same_also_when_one_is_killed() -> None:
    class Killing(Processes):
        killed = False

        def compute(self, work: Work, keys: Sequence[str], begin: Begin) -> Results:
            for number, found in enumerate(super().compute(work, keys, begin)):
                if number == 1 and not self.killed and " after 1" in found[0]:
                    self.killed = True
                    os.kill(self._crew[0]._process.pid, signal.SIGKILL)
                yield found

    executor = Killing(2)
    found = made(split=SPLIT, executor=executor)
    assert executor.killed
    assert_same_tables(found.play, made(split=SPLIT).play)


_CLIENT = """
import signal
import sys
from pathlib import Path
from counterplay.work.cluster import Cluster
from tests.support.split_games import SPLIT, made
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
found = made(iterations=100000, split=SPLIT, training=Path(sys.argv[2]), every=0.05, executor=Cluster(sys.argv[1]))
print(found.iterations, found.interrupted)
"""


@pytest.mark.slow
def test_a_cluster_sweeps_the_same_whatever_is_killed(tmp_path: Path) -> None:
    local = LocalScheduler(tmp_path)
    try:
        local.wait()
        assert Cluster(local.address).size() == 2
        whole, training = made(iterations=400, split=SPLIT), tmp_path / "some.train"

        def kill_worker(done: int, _: float) -> None:
            if done > 50 and local.workers[0].poll() is None:
                local.workers[0].send_signal(signal.SIGKILL)
                local.workers[0].wait()

        assert_same_tables(
            made(iterations=400, split=SPLIT, executor=Cluster(local.address), watch=kill_worker).play, whole.play
        )
        for by in (signal.SIGKILL, signal.SIGINT):
            training.unlink(missing_ok=True)
            client = subprocess.Popen(
                [sys.executable, "-c", _CLIENT, local.address, str(training)], stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            while not training.exists():
                assert client.poll() is None
            client.send_signal(by)
            told, _ = client.communicate(timeout=60)
            assert split_of(training) == SPLIT
        kept = made(iterations=1, split=SPLIT, training=training)  # what Ctrl-C kept, and no more
        assert told.split() == [str(kept.iterations), "True"]
        assert_same_tables(kept.play, made(iterations=kept.iterations, split=SPLIT).play)

        def kill_scheduler(_: int, __: float) -> None:
            local.scheduler.send_signal(signal.SIGKILL)
            local.scheduler.wait()

        with pytest.raises(InputError, match=r"scheduler at .* is gone"):
            made(
                iterations=100000, split=SPLIT, training=training, executor=Cluster(local.address),
                watch=kill_scheduler, every=0.05,
            )  # fmt: skip
        rest = made(iterations=100, split=SPLIT, training=training)
        assert_same_tables(rest.play, made(iterations=rest.iterations, split=SPLIT).play)
    finally:
        local.end()
