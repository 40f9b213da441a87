"""Flop Hold'em: seconds of a CFR+ iteration with 200 buckets and without any, iterations a second of both kinds of sampling,
seconds of an exact best response over all 1,755 flops, how exploitable the blueprints are, what a decision of safe
exploitation search takes, and a look-ahead before the flop.

One thread, but for the look-ahead, which has all cores. Least time of a few rounds; the first call of everything, which
compiles, is not counted. Exploitability is that in the whole game, of the mean over both seats, in milli-big-blinds a hand.
Without buckets an iteration needs 2 GiB. A decision solves a whole flop, whatever the betting before it was, in processor
time; the paper allows 10 seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from common import interleaved, table
from counterplay.blueprints.whole_game.board_subtree import board_subtree
from counterplay.blueprints.whole_game.portfolio_look_ahead import look_ahead_preflop
from counterplay.blueprints.whole_game.solved_board import known_at_board
from counterplay.card_abstraction.card_abstraction import CardAbstraction, lossless
from counterplay.card_abstraction.ochs import cluster
from counterplay.lookahead.resolver import resolve_subtree
from counterplay.lookahead.search import LookAhead
from counterplay.lookahead.search import Search as Resolve
from counterplay.opponents.reference_players import STYLES, play_style
from counterplay.poker.betting.rules import flop_holdem
from counterplay.poker.whole_game.blueprints.blueprint import shuffle_blueprint
from counterplay.poker.whole_game.blueprints.public_sampling import SamplingProblem
from counterplay.poker.whole_game.blueprints.street_regrets import memory_of
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import flops_of
from counterplay.poker.whole_game.holdem import HoldemGame, holdem_game
from counterplay.poker.whole_game.strategy import BucketedStrategy, uniform
from counterplay.poker.whole_game.values.continuation_values import continuation_values
from counterplay.poker.whole_game.values.measure import best_response_value, measure
from counterplay.solvers.cfr import Stop
from counterplay_papers.external_sampling import ExternalSampling
from counterplay_papers.refined_flops import search_all_flops, ses_search

BUCKETS, ROUNDS = 200, 3
EXTERNAL, PUBLIC, SWEEPS = 200_000, 1000, 10
"""Iterations of each kind of solve, before the exploitability is taken, and again after four times as many."""
FLOP, ALPHA, SEARCHES = 700, 0.5, (100, 300, 1000, 3000)
"""The flop of the search, how much its model counts, and its iterations."""


def main() -> None:
    game, boards = holdem_game(flop_holdem()), flops_of()
    flops, building = _timed(lambda: boards.after(boards.root))
    cluster(boards, 2, preflop=2, groups=2)
    buckets, clustering = _timed(lambda: cluster(boards, BUCKETS))
    print(f"\n## Flop Hold'em: {len(flops)} flops, {game.betting.nodes} betting nodes, {buckets}")
    table("Seconds, once", ("what", "s"), [("all flops", building), (f"{BUCKETS} buckets", clustering)])
    _speed(game, buckets)
    _accuracy(game, buckets)


def _speed(game: HoldemGame, buckets: CardAbstraction) -> None:
    """What an iteration takes."""
    blind, random = uniform(game), np.random.default_rng(0)
    swept, drawn, whole = VectorCFR(game, buckets), VectorCFR(game, buckets), VectorCFR(game, lossless(game.boards))
    outside = ExternalSampling(SamplingProblem(game, buckets))
    calls: dict[str, Callable[[], object]] = {
        "CFR+ over all flops": lambda: swept.sweep(1),
        "the same without buckets": lambda: whole.sweep(1),
        "public chance sampling, 100": lambda: drawn.sample(100, random),
        "external sampling, 10,000": lambda: outside.sample(10_000),
        "exact best response": lambda: best_response_value(game, blind, 0),
        "exploitability and value": lambda: measure(game, blind),
    }
    for call in calls.values():
        call()
    seconds = interleaved(calls, ROUNDS)
    rows = [(name, time, _times(name) / time) for name, time in seconds.items()]
    table("One thread", ("what", "s", "a second"), rows)
    memory = memory_of(game, whole.buckets) / 2**30
    _ahead(game)
    print(f"\nWithout buckets: {memory:.3g} GiB of regrets, sums and the average made of them.")


def _ahead(game: HoldemGame) -> None:
    """What a look-ahead before the flop takes: ways to go on against each other, and the problem solved."""
    ways = [play_style(game, style) for style in STYLES]
    model, stop = shuffle_blueprint(game, uniform(game), 0.7, np.random.default_rng(1)), Stop(1e-3, 2000)
    search = Resolve(LookAhead("round", "portfolio:passive;aggressive"), 0.5, solver="dcfr:1.5,0,4", stop=stop)
    continuation_values(game, ways[:1], ways[1:], np.arange(2), np.ones(2))
    _, one = _timed(lambda: continuation_values(game, ways[:1], ways[1:]))
    found, seconds = _timed(lambda: look_ahead_preflop(game, model, 0, model, (ways, ways), search))
    rows = [("a pair of ways to go on, all flops", one), ("abd with 2 ways each, p = 0.5", seconds)]
    table(
        "All cores",
        ("what", "s"),
        [*rows, (f"of these {found.solution.iterations} iterations", found.solution.seconds)],
    )


def _times(name: str) -> int:
    """How many iterations a call does."""
    number = name.rpartition(", ")[2].replace(",", "")
    return int(number) if number.isdigit() else 1


def _accuracy(game: HoldemGame, buckets: CardAbstraction) -> None:
    """How exploitable the averages are, and after how long."""
    random = np.random.default_rng(1)
    swept, drawn, outside = (
        VectorCFR(game, buckets),
        VectorCFR(game, buckets),
        ExternalSampling(SamplingProblem(game, buckets, seed=1)),
    )
    solves: list[tuple[str, VectorCFR | ExternalSampling, int, Callable[[int], None]]] = [
        ("external sampling", outside, EXTERNAL, outside.sample),
        ("public chance sampling", drawn, PUBLIC, lambda count: drawn.sample(count, random)),
        ("CFR+ over all flops", swept, SWEEPS, swept.sweep),
    ]
    rows = []
    for name, solver, count, run in solves:
        for more in (count, 3 * count):
            run(more)
            found = measure(game, solver.average())
            rows.append((name, solver.iterations, solver.seconds, found.exploitability))
    table(f"{BUCKETS} buckets", ("what", "iterations", "s", "mbb a hand"), rows)
    _search(game, drawn.average())


def _search(game: HoldemGame, base: BucketedStrategy) -> None:
    """What a decision takes, and its NashConv, in the mean over the ways in which the betting before the flop may have
    ended."""
    model = shuffle_blueprint(game, base, 0.7, np.random.default_rng(1))
    search_all_flops(game, base, 0, model, [FLOP], ses_search(ALPHA, 1))
    entries = [e for e, node in enumerate(game.entries.tolist()) if game.betting.children(node)]
    board, rows = list(game.flops[FLOP].cards), []
    for iterations in SEARCHES:
        search = ses_search(ALPHA, iterations)
        begin, gaps = time.process_time(), []
        for entry in entries:
            piece = board_subtree(game, entry, board, 0)
            found = resolve_subtree(piece, search, known_at_board(piece, base, model, search))
            gaps.append(0.0 if found is None else found.solution.nash_conv)
        rows.append((iterations, time.process_time() - begin, float(np.mean(gaps)) * game.milli))
    table(f"A decision of SES, alpha {ALPHA}", ("iterations", "processor s", "NashConv of a hand, mbb"), rows)


Made = TypeVar("Made")


def _timed(make: Callable[[], Made]) -> tuple[Made, float]:
    make()
    begin = time.perf_counter()
    made = make()
    return made, time.perf_counter() - begin


if __name__ == "__main__":
    main()
