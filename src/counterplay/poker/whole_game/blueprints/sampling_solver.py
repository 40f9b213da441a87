"""The trainer of a blueprint by the name of its method: vector CFR where all boards are swept or a game ends on the flop,
public chance sampling elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterplay.jit.threads import threads as usual_threads
from counterplay.poker.whole_game.blueprints.board_split import CFR_BR, PUBLIC, BoardSplit, RoundProgress, why_whole
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.split_sampling import SplitSampling
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.solvers.minimiser import CFR_PLUS, minimiser
from counterplay.work.executor import Executor


def solver_of(
    problem: SamplingProblem, method: str, threads: int | None, split: BoardSplit | None, executor: Executor,
    watch: Callable[[RoundProgress], None] | None,
) -> tuple[PublicSampling | VectorCFR, Callable[[int], None]]:  # fmt: skip
    """A solver, and what makes it do so many more iterations; arguments as of `blueprint` and its options."""
    game, memory = problem.game, problem.memory
    if split is not None:
        sampling: PublicSampling = SplitSampling(problem, method, split, executor, threads, watch)
        return sampling, sampling.sample
    if not why_whole(game, method):
        sampling = PublicSampling(problem, threads=threads or usual_threads(), exact=method == CFR_BR)
        return sampling, sampling.sample
    if method == PUBLIC:
        drawing, random = VectorCFR(game, problem.buckets, CFR_PLUS, memory=memory), np.random.default_rng(problem.seed)
        return drawing, lambda count: drawing.sample(count, random)
    sweeping = VectorCFR(game, problem.buckets, minimiser(method), threads=threads or 1, memory=memory)
    return sweeping, sweeping.sweep
