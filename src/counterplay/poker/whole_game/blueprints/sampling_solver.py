"""The solver of a blueprint by the name of its method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterplay.card_abstraction.card_abstraction import Buckets
from counterplay.jit.threads import threads as usual_threads
from counterplay.poker.whole_game.blueprints.external_sampling import ExternalSampling
from counterplay.poker.whole_game.blueprints.street_external_sampling import StreetExternalSampling
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling
from counterplay.poker.whole_game.sampling.sampling_problem import Lanes, SamplingProblem
from counterplay.solvers.minimiser import CFR_PLUS, minimiser

EXTERNAL, PUBLIC, CFR_BR = "external", "public", "cfr-br"
Sampling = StreetExternalSampling | PublicSampling
"""Sampling on several streets: the board of an iteration depends on the seed and on its number alone, so a solve can be put
aside, and its boards can be split."""
Solver = Sampling | ExternalSampling | VectorCFR


def solver_of(
    problem: SamplingProblem[Lanes], method: str, threads: int | None
) -> tuple[Solver, Callable[[int], None]]:
    """A solver, and what makes it do so many more iterations.

    Args:
        problem: game, buckets, seed and memory.
        method: of `blueprint`.
        threads: see `BlueprintOptions`.
    """
    sampling = sampling_of(problem, method, threads)
    if sampling is not None:
        return sampling, sampling.sample
    game, buckets, memory = problem.game, problem.buckets, problem.memory
    if method == EXTERNAL:
        assert isinstance(buckets, Buckets)
        external = ExternalSampling(SamplingProblem(game, buckets, problem.seed, memory))
        return external, external.sample
    if method == PUBLIC:
        drawing, random = VectorCFR(game, buckets, CFR_PLUS, memory=memory), np.random.default_rng(problem.seed)
        return drawing, lambda count: drawing.sample(count, random)
    sweeping = VectorCFR(game, buckets, minimiser(method), threads=threads or 1, memory=memory)
    return sweeping, sweeping.sweep


def sampling_of(problem: SamplingProblem[Lanes], method: str, threads: int | None) -> Sampling | None:
    """A solver by sampling on several streets; None for the other methods, and mostly for games that end on the flop."""
    if method == EXTERNAL and not isinstance(problem.buckets, Buckets):
        return StreetExternalSampling(problem)
    if method == CFR_BR or (method == PUBLIC and not isinstance(problem.game.boards, Flops)):
        return PublicSampling(problem, threads=threads or usual_threads(), exact=method == CFR_BR)
    return None


def why_whole(game: HoldemGame, method: str) -> str:
    """Why a method does not split boards in a game; empty where it does. Regrets of shares can be added up where they are
    plain sums over iterations, and the draws of an iteration depend on its number alone."""
    if method not in (PUBLIC, CFR_BR, EXTERNAL):
        return f"{method} does not split boards: each of its iterations sees all of them"
    if method == CFR_BR or not isinstance(game.boards, Flops):
        return ""
    why = {
        PUBLIC: "it floors regrets at 0 there, so that those of shares cannot be added up",
        EXTERNAL: "it draws deals in one sequence there",
    }[method]
    return f"{method} does not split boards of a game that ends on the flop: {why}; cfr-br does"
