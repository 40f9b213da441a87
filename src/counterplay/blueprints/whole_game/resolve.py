"""Blueprints solved again in any game: `resolve`, which whole games of hold'em answer in their own way.

In a whole game the place is a street: every board of it is solved again to the end of the hand, after every line of betting
that leads there. The value of such a game is not known. Exploitability is therefore counted from what both parts of the
blueprint win from each other, against a best responder who sees every card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Unpack

from counterplay.blueprints.baseline import Baseline
from counterplay.blueprints.report import Resolution, measure_resolution
from counterplay.blueprints.resolve import resolve_in_memory
from counterplay.blueprints.resolve_request import ResolveOptions, ResolveRequest
from counterplay.blueprints.resolve_subtrees import Watch
from counterplay.blueprints.settings import ResolveSettings
from counterplay.blueprints.whole_game.as_strategy import BoardSearches, EstimateError
from counterplay.blueprints.whole_game.further_measures import check_measures, measure_further, subtrees_on
from counterplay.blueprints.whole_game.whole_game_plans import WholeGamePlans
from counterplay.errors import InputError
from counterplay.jit.clock import run_time
from counterplay.opponents.opponent import opponent
from counterplay.poker.betting.rules import STREETS
from counterplay.poker.whole_game.boards.board import Board
from counterplay.poker.whole_game.holdem import HoldemGame, is_walked
from counterplay.poker.whole_game.rules import Holdem
from counterplay.problem.solvable_game import by_kind
from counterplay.work.run_work import WorkProgress, run_work
from counterplay.work.work_record import WorkRecord

_NOT_HERE, _OF_ALL = ("only", "declared"), ("continuation", "interval", "bounds")
"""Options that whole games do not have, and those that need all of their boards."""


def resolve(game: Any, blueprint: Any, at: str | Sequence[str], **options: Unpack[ResolveOptions]) -> Resolution:
    """Re-solve the subgames of a blueprint at a place, and splice them into one strategy.

    Args:
        game: from `load`: a game in memory; a spot of hold'em, where the place is `round` (the next street) or `round:N`; or
            a whole game of hold'em with few boards, where it is `flop`, `turn` or `river`.
        blueprint: the resolver's strategy, or both seats' as a pair, or anything that `opponent` takes for either seat.
        at: `moves:N`, `round`, `round:N` or `game`; or several, each inside the previous one (nested re-solving).
        options: the fields of `ResolveRequest`.

    Raises:
        InputError: an invalid argument, which the message names; raised before any computation.
    """
    answer: Callable[..., Resolution] = by_kind(RESOLVERS, game, resolve_in_memory)
    return answer(game, blueprint, at, ResolveRequest.of(options))


@dataclass(frozen=True, eq=False)
class WholeGameBlueprint:
    """The blueprint of a whole game to re-solve.

    Attributes:
        plans: both parts.
        resolver: 0 or 1.
        model: the opponent's modelled strategy.
    """

    plans: WholeGamePlans
    resolver: int
    model: WholeGamePlans | None

    @property
    def opponent(self) -> int:
        """The other player."""
        return 1 - self.resolver


def resolve_whole_game(game: Holdem, blueprint: Any, at: str | Sequence[str], asked: ResolveRequest) -> Resolution:
    """`resolve` in a whole game of hold'em.

    Raises:
        InputError: a place that is no street, an option that whole games do not have, or too many boards.
    """
    street, seat = _checked(game, at, asked), asked.seat
    model = None if asked.model is None else _plans(game, asked.model, 1 - seat, asked.seed)
    known = WholeGameBlueprint(_plans(game, blueprint, seat, asked.seed), seat, model)
    way = asked.settings(both=True)
    if way.alpha and model is None:
        raise InputError("alpha needs a model of the opponent")
    base, boards = Baseline(game.name, known.plans.value(0), known=False), _boards(game.game, street)
    found = _resolve_boards(known, boards, way, asked)
    extra = measure_further(game, base, known, found.plans, boards, way, asked)
    return measure_resolution(base, known, found, way, {"at": STREETS[street], "seed": asked.seed, **extra})


@dataclass(frozen=True, eq=False)
class _Found:
    """Boards solved again: the strategies, the number of boards times lines of betting, the largest known distance from
    the optimum in chips, seconds, and whether Ctrl-C ended it."""

    plans: WholeGamePlans
    states: int
    gap: float
    seconds: float
    interrupted: bool
    skipped: int = 0


def _resolve_boards(
    known: WholeGameBlueprint, boards: Sequence[Board], way: ResolveSettings, asked: ResolveRequest
) -> _Found:
    begin, game, street, plans = run_time(), known.plans.game, boards[0].street, known.plans
    lines = sum(bool(game.betting.children(int(node))) for node in game.roots[street])
    if way.gadget.keeps_path:
        if asked.record is not None:
            raise InputError("the full gadget solves all boards together, and takes no record")
        together = subtrees_on(game, boards[:1], known.resolver)
        joint, solved = plans.solved(known.resolver, together, way.solver, way.stop)
        return _Found(joint, lines * len(boards), solved.gap, run_time() - begin, solved.interrupted)
    error, model = EstimateError(way.error, asked.seed), known.model.play if known.model else None
    work = BoardSearches(game, plans.play, known.resolver, model, boards, way.search, way.profile, error)
    record = WorkRecord(asked.record, None if asked.record is None else _identity(work, known, way))
    watch = None if asked.watch is None else _counted(asked.watch)
    done = run_work(work, record=record, executor=asked.executor, watch=watch)
    if asked.watch is not None:
        asked.watch(len(done.results), len(work.keys()))
    found = replace(plans, play=work.finish(done.results))
    return _Found(found, lines * len(done.results), nan, run_time() - begin, done.interrupted)


def _identity(work: BoardSearches, known: WholeGameBlueprint, way: ResolveSettings) -> dict[str, Any]:
    """Everything that the boards solved again depend on."""
    plans = {"blueprint": known.plans, "model": known.model}
    digests = {name: one and one.digest(work.boards) for name, one in plans.items()}
    return {**work.identity(), **digests, **way.facts(), "stop": str(way.stop)}


def _checked(game: Holdem, at: str | Sequence[str], asked: ResolveRequest) -> int:
    """The street of the place."""
    texts = [at] if isinstance(at, str) else list(map(str, at))
    streets = STREETS[1 : game.game.last + 1]
    if len(texts) != 1 or texts[0] not in streets:
        raise InputError(f"in {game.name} the place is one street, {' or '.join(streets)}, not '{', '.join(texts)}'")
    check_options(asked)
    if not is_walked(game.game):
        raise InputError(
            f"{game.name} has too many boards to solve all again; --boards draws some, and the agent solves those that come"
        )
    check_measures(game, asked)
    return STREETS.index(texts[0])


def check_options(asked: ResolveRequest, *, drawn: bool = False) -> None:
    """Refuse options that whole games do not have.

    Args:
        asked: the options.
        drawn: only some boards are solved again.

    Raises:
        InputError: naming the first of them.
    """
    given = [name for name in (*_NOT_HERE, *(_OF_ALL if drawn else ())) if getattr(asked, name)]
    if given:
        raise InputError(f"whole games of hold'em have no {given[0]} of a re-solved blueprint")


def _plans(game: Holdem, source: Any, player: int, seed: int) -> WholeGamePlans:
    """Both players' strategies, from anything that `opponent` takes."""
    found: Any = opponent(game, source, player, seed)
    return WholeGamePlans(game, found.play)


def _boards(game: HoldemGame, street: int) -> list[Board]:
    """All different boards of a street."""
    found: list[Board] = [game.boards.root]
    for _ in range(street):
        found = [child for board in found for child in game.boards.after(board)]
    return found


def _counted(watch: Watch) -> Callable[[WorkProgress], None]:
    return lambda progress: watch(progress.done, progress.pieces)


RESOLVERS: dict[type, Callable[..., Resolution]] = {Holdem: resolve_whole_game}
"""Kinds of games that re-solve in their own way; all others are in memory."""
