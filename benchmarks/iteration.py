"""Microseconds an iteration: ours with every method, against CFR+ of OpenSpiel's C++, LiteEFG and NoRegret, interleaved.

NoRegret needs its own libraries: it runs in a process of its own, in the environment that `install_peers.py` makes. Its
authors state times of theirs for three of the games.

One iteration updates both players once and keeps the linear average; one thread, float64, least time of many rounds.
Ratios are to our CFR+, whose rounds were run between those of the peer. The last column is the exploitability of a
profile, which solvers ask for now and then.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import counterplay as cp
import ledger
from common import interleaved, table
from counterplay.problem.subgame import Subgame
from counterplay.solvers.best_response import gap
from counterplay.solvers.iterates import Iterates
from counterplay.solvers.minimiser import MINIMISERS
from install_peers import NOREGRET_PYTHON

GOOFSPIEL = "goofspiel(imp_info=True,num_cards={},points_order=descending,returns_type=point_difference)"
SIMULTANEOUS = f"turn_based_simultaneous_game(game={GOOFSPIEL})"
GAMES = {  # our name: OpenSpiel's
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "goofspiel:5": SIMULTANEOUS.format(5),
    "liars_dice:1,6": "liars_dice",
    "goofspiel:6": SIMULTANEOUS.format(6),
}
PUBLISHED = {"leduc": 1168, "liars_dice:1,6": 4734, "goofspiel:6": 7116}
"""Microseconds an iteration that Kim and Sandholm (2026) state for NoRegret on a processor of theirs."""
ROUNDS, ROUND = 15, 0.02  # seconds a round of ours


def main() -> None:
    own_rows, peer_rows = [], []
    for spec, peer in GAMES.items():
        game = cp.load(spec, say=lambda _: None)
        subgame = Subgame(game.trees, game.payoff)
        own, peers = _own(subgame), _peers(peer) if peer else {}
        counts = {name: _count(call) for name, call in {**own, **peers}.items()}
        calls = {name: _repeated(call, counts[name]) for name, call in {**own, **peers}.items()}
        seconds = interleaved(calls, ROUNDS, of=spec, peer="OpenSpiel C++", sizes=counts, elsewhere=["NoRegret"])
        micros = {name: 1e6 * taken for name, taken in seconds.items()}
        own_rows.append((spec, *(micros[name] for name in own)))
        ours = micros["cfr+"]
        for name in peers:
            stated = PUBLISHED.get(spec, "") if name == "NoRegret" else ""
            peer_rows.append((spec, name, micros[name], ours, micros[name] / ours, stated))
        if "NoRegret" in peers:
            ledger.note(f"{spec}: cfr+", "NoRegret", ours / micros["NoRegret"])
    table("Microseconds an iteration", ("game", *MINIMISERS, "exploitability"), own_rows)
    table("Against others, CFR+", ("game", "peer", "peer µs", "ours µs", "ratio", "µs that the peer states"), peer_rows)


def _own(subgame: Subgame) -> dict[str, Callable[[int], object]]:
    """Functions that run so many iterations, by method; and one that measures exploitability so many times."""
    calls: dict[str, Callable[[int], object]] = {}
    for name, method in MINIMISERS.items():
        iterates = Iterates(subgame, method)
        iterates.advance(100)
        calls[name] = iterates.advance
    plans = iterates.average()
    calls["exploitability"] = lambda n: [gap(subgame, plans) for _ in range(n)]
    return calls


def _count(call: Callable[[int], object]) -> int:
    """Calls that fill a round."""
    call(1)
    begin = time.perf_counter()
    call(1)
    once = time.perf_counter() - begin
    begin, probe = time.perf_counter(), max(1, int(0.1 * ROUND / once))
    call(probe)
    return max(1, int(ROUND * probe / (time.perf_counter() - begin)))


def _repeated(call: Callable[[int], object], count: int) -> Callable[[], object]:
    return lambda: call(count)


def _peers(name: str) -> dict[str, Callable[[int], object]]:
    calls: dict[str, Callable[[int], object]] = {}
    try:
        import pyspiel

        solver = pyspiel.CFRPlusSolver(pyspiel.load_game(name))
        calls["OpenSpiel C++"] = lambda n: [solver.evaluate_and_update_policy() for _ in range(n)]
        calls["LiteEFG"] = _lite_efg(pyspiel.load_game(name))
    except ImportError as missing:
        print(f"{missing.name} is not installed: no comparison")
    if NOREGRET_PYTHON.exists():
        calls["NoRegret"] = _no_regret(name)
    else:
        print("NoRegret is not installed: no comparison")
    return calls


def _lite_efg(game: Any) -> Callable[[int], object]:
    import LiteEFG
    from LiteEFG.baselines import CFRplus

    LiteEFG.set_threads(1)
    with contextlib.redirect_stdout(io.StringIO()):
        graph = CFRplus.graph()
        environment = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=True)
    environment.set_graph(graph)

    def run(iterations: int) -> None:
        for _ in range(iterations):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

    return run


def _no_regret(name: str) -> Callable[[int], object]:
    script = Path(__file__).parent / "noregret_peer.py"
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    alone.pop("PYTHONPATH", None)
    process = subprocess.Popen(
        [str(NOREGRET_PYTHON), str(script), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=alone
    )
    given, told = process.stdin, process.stdout
    assert given is not None
    assert told is not None
    told.readline()  # it has listed the game

    def run(iterations: int) -> None:
        given.write(f"{iterations}\n")
        given.flush()
        if told.readline() != "done\n":
            raise RuntimeError(f"NoRegret ended on {name}")

    return run


if __name__ == "__main__":
    main()
