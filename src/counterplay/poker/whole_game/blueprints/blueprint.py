"""A blueprint of a whole game in one call, and opponents made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from counterplay.card_abstraction.card_abstraction import Buckets, CardAbstraction
from counterplay.errors import InputError
from counterplay.files import check_writable
from counterplay.jit.clock import run_time
from counterplay.jit.threads import threads as cores
from counterplay.poker.whole_game.blueprints.external_sampling import ExternalSampling
from counterplay.poker.whole_game.blueprints.street_external_sampling import StreetExternalSampling
from counterplay.poker.whole_game.blueprints.training_file import ENDING, load_training, save_training
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import GameBoards
from counterplay.poker.whole_game.boards.flops import Flops
from counterplay.poker.whole_game.boards.seen_boards import DrawnBoards
from counterplay.poker.whole_game.holdem import HoldemGame
from counterplay.poker.whole_game.sampling.public_sampling import PublicSampling
from counterplay.poker.whole_game.sampling.sampling_problem import SamplingProblem
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows
from counterplay.poker.whole_game.values.measure import measure
from counterplay.solvers.minimiser import CFR_PLUS, minimiser
from counterplay.texts.keywords import check_keywords

EXTERNAL, PUBLIC, CFR_BR = "external", "public", "cfr-br"
Watch = Callable[[int, float], None]
"""Called now and then with the iterations done, and the exploitability in milli-big-blinds a hand, NaN while unknown; on
`fixed_boards` unless a limit to it was given."""
_EVERY, _SHARE = 60.0, 20.0
"""Seconds between two times that something is kept, and how many times as long as keeping it takes at least."""
_DRAWS = 4, 2, 2
"""Flops, turns and rivers of `fixed_boards`."""
_PATIENCE = 0.2
"""Seconds between two looks at the clock, about."""
_FIRST_LOOK = {EXTERNAL: 100_000, PUBLIC: 500, CFR_BR: 500}
"""Iterations after which exploitability is measured first, where that is asked; over all flops 8. Then after half as many
again, whatever the clock says, so that equal calls give equal strategies."""


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy and how it was made.

    Attributes:
        play: of both players.
        method: "external", "public", "cfr-br", or a method of full iterations.
        iterations, seed, seconds: of the solve.
        interrupted: by Ctrl-C.
    """

    play: BucketedStrategy
    method: str
    iterations: int
    seed: int
    seconds: float
    interrupted: bool = False


class BlueprintOptions(TypedDict, total=False):
    """Limits of `blueprint`, of which there must be one, and how it is computed.

    Attributes:
        iterations: of the method.
        seconds: of the solve.
        exploitability: milli-big-blinds a hand in the game without buckets, measured now and then.
        seed: of the draws.
        threads: at once; for sampling on several streets all cores unless given, for external sampling one.
        memory: bytes that may be taken; by default half of the machine's.
        training: a file in which regrets are kept now and then, and from which the solve goes on if it is there.
        every: seconds from one time that something is kept to the next.
    """

    iterations: int | None
    seconds: float
    exploitability: float
    seed: int
    threads: int
    memory: float | None
    training: Path | None
    every: float


def blueprint(
    game: HoldemGame,
    buckets: CardAbstraction,
    *,
    method: str = EXTERNAL,
    watch: Watch | None = None,
    keep: Callable[[Blueprint], None] | None = None,
    **options: Unpack[BlueprintOptions],
) -> Blueprint:
    """Solve the game with buckets, until the first of the limits; Ctrl-C keeps what is there.

    Args:
        game: the game.
        buckets: from `cluster`, or `lossless` for the game itself.
        method: "external" or "public" sampling (the latter of one board an iteration, by Linear CFR; of
            one flop, by CFR+, where the game ends there); "cfr-br", public sampling against best responses on the last
            street; or over all flops "cfr", "cfr+" or "dcfr".
        watch: see `Watch`.
        keep: called now and then with the blueprint so far.
        options: see `BlueprintOptions`.

    Raises:
        InputError: no such method, no limit, too little memory, or a training file that does not fit.
    """
    check_keywords("blueprint", options, BlueprintOptions)
    iterations, seconds = options.get("iterations"), options.get("seconds", float("inf"))
    exploitability, seed = options.get("exploitability", 0.0), options.get("seed", 0)
    check_limits(iterations, seconds, exploitability)
    begin, most = run_time(), iterations or 1 << 62
    solver, step = _solver(game, buckets, method, seed, options.get("threads"), options.get("memory"))
    keeping = _Keeping(method, solver, seed, options.get("training"), keep, options.get("every", _EVERY))
    look, count, interrupted = _FIRST_LOOK.get(method, 8), 1, False
    while look <= solver.iterations:
        look += look // 2
    try:
        while solver.iterations < most and run_time() - begin < seconds:
            goal = min(most, look) if exploitability else most
            count, spent = min(count, goal - solver.iterations), run_time()
            step(count)
            spent = max(run_time() - spent, 1e-9)
            found = float("nan")
            if exploitability and solver.iterations >= look:
                found, look = measure(game, solver.average()).exploitability, look + look // 2
            if keeping.due():
                found = keeping.keep(found)
            if watch:
                watch(solver.iterations, found)
            if found <= exploitability:
                break
            left = min(_PATIENCE, max(0.0, seconds - (run_time() - begin)))
            count = max(1, min(4 * count, int(count * left / spent)))
    except KeyboardInterrupt:
        if not solver.iterations:
            raise
        interrupted = True
    keeping.finish()
    return Blueprint(solver.average(), method, solver.iterations, seed, solver.seconds, interrupted)


class _Keeping:
    """Saves of a solve now and then.

    Raises:
        InputError: the training file does not fit, or the method has none.
    """

    def __init__(
        self,
        method: str,
        solver: Any,
        seed: int,
        training: Path | None,
        told: Callable[[Blueprint], None] | None,
        every: float,
    ) -> None:
        self._method, self._solver, self._seed = method, solver, seed
        self._training, self._told, self._every = training, told, every
        self._next = run_time() + every
        if training is None:
            return
        check_writable(training, ENDING)
        if not hasattr(solver, "state"):
            raise InputError(f"{method} over flops keeps no training file: that is for sampling on several streets")
        if training.exists():
            load_training(training, method, solver)

    def due(self) -> bool:
        """Whether it is time."""
        return run_time() >= self._next and (self._training is not None or self._told is not None)

    def keep(self, found: float) -> float:
        """Keep everything; the exploitability on a few boards, which are always the same, if it is not known."""
        solver, begin = self._solver, run_time()
        self.finish()
        play = solver.average()
        if self._told:
            self._told(Blueprint(play, self._method, solver.iterations, self._seed, solver.seconds))
        if found != found and not isinstance(solver.game.boards, Flops):
            found = measure(solver.game, play, fixed_boards(solver.game.boards)).exploitability
        self._next = run_time() + max(self._every, _SHARE * (run_time() - begin))
        return found

    def finish(self) -> None:
        """Keep the regrets."""
        if self._training is not None:
            save_training(self._training, self._method, self._solver)


def fixed_boards(boards: GameBoards) -> DrawnBoards:
    """A few boards that are always the same. A best response to what is played there knows that no others come: it shows how
    a blueprint gets on, and is above the exploitability."""
    return DrawnBoards(boards, np.random.default_rng(0), _DRAWS)


def check_limits(iterations: int | None, seconds: float, exploitability: float) -> None:
    """Refuse limits that are none.

    Raises:
        InputError: naming the one.
    """
    if iterations is not None and iterations < 1:
        raise InputError(f"iterations: at least 1 is needed, not {iterations}")
    if not seconds > 0.0:
        raise InputError(f"the seconds of a blueprint must be above 0, not {seconds:g}")
    if not exploitability >= 0.0:
        raise InputError(f"the exploitability of a blueprint must be a number of at least 0, not {exploitability:g}")
    if iterations is None and seconds == float("inf") and not exploitability:
        raise InputError("a blueprint needs a limit: iterations, seconds or an exploitability above 0")


def _solver(
    game: HoldemGame, buckets: CardAbstraction, method: str, seed: int, threads: int | None, memory: float | None
) -> tuple[ExternalSampling | StreetExternalSampling | PublicSampling | VectorCFR, Callable[[int], None]]:
    """A solver, and what makes it do so many more iterations."""
    if method == EXTERNAL:
        if not isinstance(buckets, Buckets):
            walking = StreetExternalSampling(SamplingProblem(game, buckets, seed, memory))
            return walking, walking.sample
        external = ExternalSampling(SamplingProblem(game, buckets, seed, memory))
        return external, external.sample
    if method == CFR_BR or (method == PUBLIC and not isinstance(game.boards, Flops)):
        exact, many = method == CFR_BR, threads or cores()
        sampling = PublicSampling(SamplingProblem(game, buckets, seed, memory), threads=many, exact=exact)
        return sampling, sampling.sample
    if method == PUBLIC:
        drawing, random = VectorCFR(game, buckets, CFR_PLUS, memory=memory), np.random.default_rng(seed)
        return drawing, lambda count: drawing.sample(count, random)
    sweeping = VectorCFR(game, buckets, minimiser(method), threads=threads or 1, memory=memory)
    return sweeping, sweeping.sweep


def shuffle_blueprint(
    game: HoldemGame, play: BucketedStrategy, chance: float, random: np.random.Generator
) -> BucketedStrategy:
    """The opponents of Liu et al. 2022: with this chance an infoset's probabilities are multiplied by uniform draws.

    Args:
        play: what is changed; infosets are those of its buckets, before the flop of its classes.
        chance: from 0 to 1.

    Raises:
        InputError: the chance is no probability.
    """
    if not 0 <= chance <= 1:
        raise InputError(f"the chance to shuffle must be between 0 and 1, not {chance:g}")

    def changed(table: Any, decisions: Any) -> Any:
        draws = random.random(table.shape)
        for _, _, first, count in decisions:
            draws[first : first + count, random.random(table.shape[1]) >= chance] = 1.0
        return normalise_rows(table * draws, decisions).astype(table.dtype)

    group = play.buckets.preflop
    _, first = np.unique(group, return_index=True)
    early, late = [], []
    for player, side in enumerate(game.sides):
        early.append(changed(play.preflop[player][:, first], side.preflop)[:, group])
        late.append(
            [[changed(table, side.decisions[k]) for table in pair[player]] for k, pair in enumerate(play.tables, 1)]
        )
    tables = tuple(zip(late[0], late[1], strict=True))
    return replace(play, preflop=(early[0], early[1]), tables=tables)
