"""A blueprint of a whole game in one call, that of a game's own buckets, the base of responses, and opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack
from weakref import WeakKeyDictionary

import numpy as np

from counterplay.archive import ArchiveKind, opened, write
from counterplay.arrays import F64
from counterplay.card_abstraction.card_abstraction import CardAbstraction, lanes_by_street
from counterplay.card_abstraction.make_buckets import make_buckets
from counterplay.errors import FileError, InputError
from counterplay.files import TRAINING, check_writable
from counterplay.jit.clock import run_time
from counterplay.jit.threads import threads as usual_threads
from counterplay.poker.whole_game.blueprints.board_split import (
    CFR_BR,
    PUBLIC,
    BoardSplit,
    RoundProgress,
    split_in,
    why_whole,
)
from counterplay.poker.whole_game.blueprints.public_sampling import PublicSampling, SamplingProblem
from counterplay.poker.whole_game.blueprints.split_sampling import SplitSampling
from counterplay.poker.whole_game.blueprints.vector_cfr import VectorCFR
from counterplay.poker.whole_game.boards.board import DrawnBoards, GameBoards
from counterplay.poker.whole_game.holdem import Facts, HoldemGame, question_of
from counterplay.poker.whole_game.strategy import BucketedStrategy, normalise_rows, strategy_of
from counterplay.poker.whole_game.values.measure import measure
from counterplay.solvers.iterates import Pace
from counterplay.solvers.minimiser import CFR_PLUS, minimiser
from counterplay.texts.arguments import check_keywords
from counterplay.work.run_work import Executor, InProcess

Watch = Callable[[int, float], None]
"""Called now and then with the iterations done, and the exploitability in milli-big-blinds a hand, NaN while unknown; on
`fixed_boards` unless a limit to it was given."""
_EVERY, _SHARE = 60.0, 20.0
"""Seconds between two times that something is kept, and how many times as long as keeping it takes at least."""
_DRAWS = 4, 2, 2
"""Flops, turns and rivers of `fixed_boards`."""
_FIRST_LOOK = {PUBLIC: 500, CFR_BR: 500}
"""Iterations after which exploitability is measured first, where that is asked; over all flops 8. Then after half as many
again, whatever the clock says, so that equal calls give equal strategies."""
ITERATIONS = 4000
"""The default number of iterations of public chance sampling."""
_MOST_STATE = 2**29
"""Bytes of regrets and averages that are kept of `usual_blueprint`."""
_BASES: WeakKeyDictionary[HoldemGame, Blueprint] = WeakKeyDictionary()
_PROBES = 64
"""Boards on which the size of regrets is found that begin as a blueprint."""
_TINY = 1e-20
"""Regrets that play a strategy and do not show beside those of a board."""
_LANES: WeakKeyDictionary[HoldemGame, CardAbstraction] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class ObservedRows:
    """Evidence of a model from hands: effective observations of each row, in tables like the strategy's; (categories,
    kinds of action) factors of the prior's tilt; the prior's `digest_play`; number of hands."""

    counts: BucketedStrategy
    weights: F64
    prior: str
    hands: int


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy and how it was made.

    Attributes:
        play: of both players.
        method: "public", "cfr-br", or a method of full iterations; files have others, such as "external".
        iterations, seed: of the solve.
        seconds: that it took; None of one from a file, since equal blueprints have equal files.
        split: of its boards, if they were split.
        observed: of a model from hands.
        state: regrets and averages by name, as of `PublicSampling.state`, where they are kept in memory; else None.
    """

    play: BucketedStrategy
    method: str
    iterations: int
    seed: int
    seconds: float | None
    interrupted: bool = False
    split: BoardSplit | None = None
    observed: ObservedRows | None = None
    state: Mapping[str, Any] | None = None


class BlueprintOptions(TypedDict, total=False):
    """Limits of `blueprint`, of which there must be one, and how it is computed.

    Attributes:
        exploitability: milli-big-blinds a hand in the game without buckets, measured now and then.
        threads: at once; for sampling on several streets all cores unless given.
        memory: bytes that may be taken; by default half of the machine's.
        training: a file in which regrets are kept now and then, and from which the solve goes on if it is there.
        every: seconds from one time that something is kept to the next.
        split: of the boards, for sampling on several streets: regrets of the shares are added up round by round, and the
            solve ends with the first round that reaches a limit. By default the boards are not split.
        executor: sweeps the shares; it does not change the result. By default this process.
        watch_round: called when a round of shares begins, and whenever a share is done.
        most_state: bytes of regrets and averages up to which they stay in memory with the blueprint; by default 0.
    """

    iterations: int | None
    seconds: float
    exploitability: float
    seed: int
    threads: int
    memory: float | None
    training: Path | None
    every: float
    split: BoardSplit | None
    executor: Executor | None
    watch_round: Callable[[RoundProgress], None] | None
    most_state: float


def blueprint(
    game: HoldemGame,
    buckets: CardAbstraction,
    *,
    method: str = PUBLIC,
    watch: Watch | None = None,
    keep: Callable[[Blueprint], None] | None = None,
    **options: Unpack[BlueprintOptions],
) -> Blueprint:
    """Solve the game with buckets, until the first of the limits; Ctrl-C keeps what is there.

    Args:
        game: of hold'em.
        buckets: from `cluster`, or `lossless` for the game itself.
        method: "public" sampling (of one board an iteration, by Linear CFR; of one flop, by CFR+, where the game ends
            there); "cfr-br", public sampling against best responses on the last street; or over all flops "cfr", "cfr+" or
            "dcfr".
        watch: called now and then with what is done.
        keep: called now and then with the blueprint so far.
        options: the limits, the seed and the training file.

    Raises:
        InputError: no such method or limit, too little memory, a training file that does not fit, boards in too few parts.
    """
    check_keywords("blueprint", options, BlueprintOptions)
    check_limits(options)
    problem = SamplingProblem(game, buckets, options.get("seed", 0), options.get("memory"))
    split, executor = options.get("split"), options.get("executor") or InProcess()
    split = None if split is not None and split.shares == 1 else split
    solver, advance = solver_of(problem, method, options.get("threads"), split, executor, options.get("watch_round"))
    return train(solver, advance, method=method, watch=watch, keep=keep, **options)


class _Running(NamedTuple):
    """A solver, and what makes it do so many more iterations."""

    solver: Any
    advance: Callable[[int], None]

    @property
    def done(self) -> int:
        return int(self.solver.iterations)


def train(
    solver: Any,
    advance: Callable[[int], None],
    *,
    method: str,
    watch: Watch | None = None,
    keep: Callable[[Blueprint], None] | None = None,
    **options: Unpack[BlueprintOptions],
) -> Blueprint:
    """Advance a solver until the first of the limits, with its training file, watch and saves as of `blueprint`.

    Args:
        solver: has `game`, `iterations`, `seconds` and `average()`; with `state()` it can be put aside.
        advance: makes it do so many more iterations.
        method, watch, keep, options: as of `blueprint`."""
    iterations, exploitability = check_limits(options)
    pace, running = Pace(run_time() + options.get("seconds", float("inf"))), _Running(solver, advance)
    seed, executor, split = (
        options.get("seed", 0),
        options.get("executor") or InProcess(),
        getattr(solver, "split", None),
    )
    training, every = options.get("training"), options.get("every", _EVERY)
    if training is not None:
        check_writable(training, TRAINING)
        if not hasattr(solver, "state"):
            raise InputError(f"{method} over flops keeps no training file: that is for sampling on several streets")
        if training.exists():
            load_training(training, method, solver)
    most, look, interrupted = iterations or 1 << 62, _FIRST_LOOK.get(method, 8), False
    due = run_time() + every if training is not None or keep is not None else float("inf")
    try:
        with executor.held():
            while running.done < most and not pace.late:
                while exploitability and look <= running.done:
                    look += look // 2
                pace.advance(running, min(most, look) if exploitability else most)
                measured = float("nan")
                if exploitability and running.done >= look:
                    measured = measure(solver.game, solver.average()).exploitability
                if (begin := run_time()) >= due:
                    if training is not None:
                        save_training(training, method, solver)
                    play = solver.average()
                    if keep:
                        keep(Blueprint(play, method, running.done, seed, solver.seconds, split=split))
                    if measured != measured and solver.game.last > 1:
                        measured = measure(solver.game, play, fixed_boards(solver.game.boards)).exploitability
                    due = run_time() + max(every, _SHARE * (run_time() - begin))
                if watch:
                    watch(running.done, measured)
                if measured <= exploitability:
                    break
    except KeyboardInterrupt:
        if not solver.iterations:
            raise
        interrupted = True
    if training is not None:
        save_training(training, method, solver)
    state = solver.state() if "most_state" in options and hasattr(solver, "state") else {}
    if sum(table.nbytes for table in state.values()) > options.get("most_state", 0.0):
        state = {}
    play = solver.average()
    return Blueprint(play, method, running.done, seed, solver.seconds, interrupted, split, state=state or None)


def fixed_boards(boards: GameBoards) -> DrawnBoards:
    """A few boards, always the same. A best response to what is played there knows that no others come: its value is
    above the exploitability."""
    return DrawnBoards(boards, np.random.default_rng(0), _DRAWS)


def check_limits(options: BlueprintOptions) -> tuple[int | None, float]:
    """Iterations and exploitability, once it is known that there is a limit, and that all limits are possible."""
    iterations, exploitability = options.get("iterations"), options.get("exploitability", 0.0)
    seconds = options.get("seconds", float("inf"))
    if iterations is not None and iterations < 1:
        raise InputError(f"iterations: at least 1 is needed, not {iterations}")
    if not seconds > 0.0:
        raise InputError(f"the seconds of a blueprint must be above 0, not {seconds:g}")
    if not exploitability >= 0.0:
        raise InputError(f"the exploitability of a blueprint must be a number of at least 0, not {exploitability:g}")
    if iterations is None and seconds == float("inf") and not exploitability:
        raise InputError("a blueprint needs a limit: iterations, seconds or an exploitability above 0")
    return iterations, exploitability


def shuffle_blueprint(
    game: HoldemGame, play: BucketedStrategy, chance: float, random: np.random.Generator
) -> BucketedStrategy:
    """The opponents of Liu et al. 2022: with this chance an infoset's probabilities are multiplied by uniform draws;
    infosets are those of the buckets, before the flop of the classes."""
    if not 0 <= chance <= 1:
        raise InputError(f"the chance to shuffle must be between 0 and 1, not {chance:g}")

    def shuffled(table: Any, decisions: Any) -> Any:
        draws = random.random(table.shape)
        for _, _, first, count in decisions:
            draws[first : first + count, random.random(table.shape[1]) >= chance] = 1.0
        return normalise_rows(table * draws, decisions).astype(table.dtype)

    _, first = np.unique(play.buckets.preflop, return_index=True)
    tables = []
    for player, side in enumerate(game.sides):
        streets = [[play.preflop[player][:, first]], *(pair[player] for pair in play.tables)]
        tables.append([[shuffled(table, side.decisions[k]) for table in blocks] for k, blocks in enumerate(streets)])
    return strategy_of(game, play.buckets, lambda player, street: tables[player][street])


def solver_of(
    problem: SamplingProblem, method: str, threads: int | None, split: BoardSplit | None, executor: Executor,
    watch: Callable[[RoundProgress], None] | None,
) -> tuple[PublicSampling | VectorCFR, Callable[[int], None]]:  # fmt: skip
    """A solver, and what makes it do so many more iterations: vector CFR where all boards are swept or a game ends on
    the flop, public chance sampling elsewhere."""
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


def usual_blueprint(game: HoldemGame) -> Blueprint:
    """The blueprint of a game in its buckets, by public chance sampling, with its regrets; computed once."""
    if game not in _BASES:
        _BASES[game] = blueprint(game, usual_lanes(game), method=PUBLIC, iterations=ITERATIONS, most_state=_MOST_STATE)
    return _BASES[game]


def has_blueprint(game: HoldemGame) -> bool:
    """Return whether the blueprint of a game is computed already."""
    return game in _BASES


def usual_lanes(game: HoldemGame) -> CardAbstraction:
    """The lanes of a game's buckets; made once."""
    if game not in _LANES:
        _LANES[game] = make_buckets(game.boards, game.buckets)
    return _LANES[game]


_TRAINING_PARTS = {
    f"{what}{player}_{street}" for what in ("regrets", "sums", "opponent") for player in (0, 1) for street in range(4)
}
TRAINING_KIND = ArchiveKind("a blueprint in training", 1, frozenset(_TRAINING_PARTS | {"random"}))


def save_training(path: Path, method: str, solver: PublicSampling) -> None:
    """Write a solve, whole or not at all."""
    facts = {**_training_identity(method, solver), "iterations": solver.iterations, "seconds": solver.seconds}
    write(path, TRAINING_KIND, facts, solver.state())


def load_training(path: Path, method: str, solver: PublicSampling) -> None:
    """Bring a solve to where a file has it; an `InputError` for a file of another game, buckets, seed or solve."""
    with opened(path, TRAINING_KIND) as archive:
        facts = archive.facts
        if any(facts.get(key) != value for key, value in _training_identity(method, solver).items()):
            raise FileError(f"{path} is of another game, other buckets, another method, seed or split of boards")
        iterations, seconds = facts.get("iterations"), facts.get("seconds")
        if not isinstance(iterations, int) or iterations < 0 or not isinstance(seconds, float):
            raise FileError(f"{path} is damaged: it does not say how far it is")
        state = solver.state()
        found = {name: archive.array(name, table.shape, table.dtype.kind) for name, table in state.items()}
    if not all(np.isfinite(table).all() for table in found.values()):
        raise FileError(f"{path} is damaged: it has numbers that are not finite")
    for name, table in state.items():
        table[...] = found[name]
    solver.iterations, solver.seconds = iterations, seconds


def _training_identity(method: str, solver: PublicSampling) -> Facts:
    split: BoardSplit | None = getattr(solver, "split", None)
    return {
        **question_of(solver.game), "dtype": str(solver.game.dtype), "buckets": solver.buckets.name,
        "lanes": lanes_by_street(solver.buckets, solver.game.last), "method": method, "seed": solver.seed,
        "split": None if split is None else split.facts,
    }  # fmt: skip


def split_of(path: Path) -> BoardSplit | None:
    """Split of the boards of the solve in a file; None if they are not split."""
    with opened(path, TRAINING_KIND) as archive:
        return split_in(archive.facts.get("split"))


def begin_as(solver: PublicSampling | VectorCFR, play: BucketedStrategy, iterations: int) -> None:
    """Begin a new solve as a strategy in its buckets, which counts as so many iterations.

    A file of a blueprint has no regrets. Any regrets in proportion to its probabilities play it (Brown and Sandholm
    2016); their size says how soon a row leaves it. The first boards find that size: both players keep to the blueprint
    there, and the regrets of a decision begin as large as those of so many iterations without a trend.
    """
    tables = solver.start_tables(play)
    squares = [np.zeros_like(table.regrets) for table in tables]
    for number in range(_PROBES):
        for player in (0, 1):
            for table in tables:
                np.multiply(table.strategy, _TINY, out=table.regrets)
            solver.probe(player, number)
            for table, found in zip(tables, squares, strict=True):
                if table.player == player:
                    found += np.square(table.regrets)
    spread, weight = solver.begin_at(iterations)
    for key in dict.fromkeys((table.player, table.street) for table in tables):
        pairs = [(table, square) for table, square in zip(tables, squares, strict=True) if table[:2] == key]
        for _, _, first, count in pairs[0][0].decisions.tolist():
            rows = [[table.at(row) for row in range(first, first + count)] for table, _ in pairs]
            lanes = sum(table.strategy[some[0]].size for (table, _), some in zip(pairs, rows, strict=True))
            squared = sum(
                float(square[row].sum()) for (_, square), some in zip(pairs, rows, strict=True) for row in some
            )
            size = float(np.sqrt(spread / _PROBES * squared / (count * lanes))) or _TINY
            reaches = [sum(table.sums[row] for row in some) for (table, _), some in zip(pairs, rows, strict=True)]
            mean = sum(float(reach.sum()) for reach in reaches) / lanes
            for (table, _), some, reach in zip(pairs, rows, reaches, strict=True):
                known = np.maximum(reach, 1e-3 * mean) if reach.any() else np.full_like(reach, mean)
                for row in some:
                    table.regrets[row] = size * table.strategy[row]
                    table.sums[row] = (weight / _PROBES * known + _TINY) * table.strategy[row]
