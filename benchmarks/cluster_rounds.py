"""What rounds of sweeps by two workers send, and what they take: processes, and a cluster that shares memory or does not.

    python benchmarks/cluster_rounds.py          # 1,000 boards of heads-up no-limit at the quick size; minutes
    python benchmarks/cluster_rounds.py 4000

A cluster on the loopback address shares the memory of its client; *apart* it is made to do as if its workers were on other
machines. Bytes are those that the connections of each process have received, as the system counts them.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.poker.whole_game.blueprints.blueprint import blueprint
from counterplay.poker.whole_game.blueprints.board_split import BoardSplit, RoundProgress
from counterplay.poker.whole_game.rules import read_holdem
from counterplay.work import cluster
from counterplay.work.processes import Processes
from counterplay.work.run_work import Executor
from loopback_cluster import LoopbackCluster, received

GAME = "holdem:stack=200bb,bets=fcpa,buckets=quick"
BOARDS = 1000


def main() -> None:
    """Print the table."""
    os.environ.setdefault("COUNTERPLAY_THREADS", "1")
    boards = next((int(word) for word in sys.argv[1:] if word.isdecimal()), BOARDS)
    print(
        f"{boards:,} boards, two shares      rounds   CPU s  of the client   "
        "MB received a round: client, scheduler, each worker"
    )
    with TemporaryDirectory() as name, LoopbackCluster(Path(name)) as here:
        _sweep(8, Processes(2), None)  # compiles
        _line("two processes", boards, Processes(2), None)
        for what, is_here in (("cluster, shared memory", cluster.is_here), ("cluster, apart", lambda _: False)):
            cluster.is_here = is_here
            _sweep(8, cluster.Cluster(here.address), here)
            _line(what, boards, cluster.Cluster(here.address), here)


def _line(what: str, boards: int, executor: Executor, here: LoopbackCluster | None) -> None:
    own = time.process_time()
    rounds, seconds, received = _sweep(boards, executor, here)
    own = time.process_time() - own
    told = ", ".join(f"{one / 1e6:.2f}" for one in received)
    print(f"{what:<31}{rounds:>8}{seconds:>8.1f}{own:>15.1f}   {told}", flush=True)


def _sweep(boards: int, executor: Executor, here: LoopbackCluster | None) -> tuple[int, float, list[float]]:
    """Rounds, processor seconds of all processes, and bytes received a round: client, scheduler, the mean worker."""
    game, begin, told = read_holdem(GAME), _seconds(here), list[list[float]]()

    def look(progress: RoundProgress) -> None:
        if not progress.done:
            told.append(received(executor._held) if isinstance(executor, cluster.Cluster) else [])

    buckets, split = make_buckets(game.game.boards, game.buckets), BoardSplit(2)
    blueprint(
        game.game,
        buckets,
        method="public",
        iterations=boards,
        threads=1,
        split=split,
        executor=executor,
        watch_round=look,
    )
    rounds = max(1, len(told) - 1)
    a_round = [(last - first) / rounds for first, last in zip(told[0], told[-1], strict=True)]
    return len(told), _seconds(here) - begin, a_round


def _seconds(here: LoopbackCluster | None) -> float:
    own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own + (here.processor_seconds() if here else 0.0)


if __name__ == "__main__":
    main()
